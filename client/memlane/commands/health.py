"""`memlane health`."""

import click

from memlane import views
from memlane.call import Call, asks


@click.command()
@asks
def health(call: Call) -> int:
    """Say whether the server is well. Exits 1 when it is down; ok and degraded exit 0."""
    answer = call.client.health()
    call.output.show(answer, views.health)
    return 1 if answer.get("status") == "down" else 0
