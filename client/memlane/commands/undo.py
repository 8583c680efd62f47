"""`memlane undo`."""

import click

from memlane import time_views
from memlane.call import WORDS, Call, asks, space


@click.command()
@click.argument("memory_id", type=WORDS, metavar="ID")
@click.option("--reason", type=WORDS, help="Kept with the versions that it changes.")
@space
@asks
def undo(call: Call, memory_id: str, reason: str | None, space: str | None) -> None:
    """Undo what retired a memory; it lives again as a new version."""
    answer = call.client.undo(memory_id, reason=reason, space=space)
    call.output.show(answer, time_views.undone)
    call.warn(answer)
