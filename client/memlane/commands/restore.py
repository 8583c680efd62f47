"""`memlane restore`."""

import click

from memlane import views
from memlane.call import WORDS, Call, asks, space


@click.command()
@click.argument("memory_id", required=False, type=WORDS, metavar="[ID]")
@click.option("--batch", type=WORDS, metavar="BATCH", help="Everything that one `forget` forgot.")
@space
@asks
def restore(call: Call, memory_id: str | None, batch: str | None, space: str | None) -> None:
    """Make a forgotten memory live again, or all of one `forget`."""
    if (memory_id is None) == (batch is None):
        raise click.UsageError("Give the id of a memory, or --batch.")
    if batch is not None:
        answer = call.client.restore_batch(batch, space=space)
    else:
        answer = call.client.restore(str(memory_id), space=space)
    call.output.show(answer, views.restored)
    call.warn(answer)
