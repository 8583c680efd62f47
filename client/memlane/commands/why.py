"""`memlane why`."""

import click

from memlane import time_views
from memlane.call import WORDS, Call, asks, space


@click.command()
@click.argument("memory_id", type=WORDS, metavar="ID")
@space
@asks
def why(call: Call, memory_id: str, space: str | None) -> None:
    """Show where a memory comes from: sources, decisions, versions."""
    call.output.show(call.client.provenance(memory_id, space=space), time_views.provenance)
