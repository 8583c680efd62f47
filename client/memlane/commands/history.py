"""`memlane history`."""

import click

from memlane import views
from memlane.call import WORDS, Call, asks, space


@click.command()
@click.argument("memory_id", type=WORDS, metavar="ID")
@space
@asks
def history(call: Call, memory_id: str, space: str | None) -> None:
    """Show every version of a memory. The oldest comes first, each with where it came from."""
    call.output.show(call.client.history(memory_id, space=space), views.versions)
