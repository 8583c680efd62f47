"""`memlane stats`."""

import click

from memlane import views
from memlane.call import Call, asks, space


@click.command()
@space
@asks
def stats(call: Call, space: str | None) -> None:
    """Count what is stored."""
    call.output.show(call.client.stats(space=space), views.fields)
