"""`memlane history`."""

import click

from memlane import views
from memlane.call import WORDS, Call, as_of, asks, known_at, space


@click.command()
@click.argument("memory_id", type=WORDS, metavar="ID")
@space
@as_of
@known_at
@asks
def history(call: Call, memory_id: str, **when: str | None) -> None:
    """Show every version of a memory. The oldest comes first, each with where it came from."""
    call.output.show(call.client.history(memory_id, **when), views.versions)
