"""`memlane list`."""

import click

from memlane import views
from memlane.call import Call, asks, spaces


@click.command("list")
@spaces
@click.option("--history", is_flag=True, help="Also versions that were superseded.")
@click.option("--forgotten", is_flag=True, help="Also memories that were forgotten.")
@click.option("--limit", type=click.IntRange(min=1), help="Most memories; else every one.")
@asks
def listing(call: Call, spaces: tuple[str, ...], history: bool, forgotten: bool, limit: int | None) -> None:
    """List memories."""
    entries = list(call.client.every_memory(spaces=spaces, history=history, forgotten=forgotten, limit=limit))
    call.output.show(entries, views.memories)
