"""`memlane list`."""

from typing import Any

import click

from memlane import views
from memlane.call import Call, as_of, asks, known_at, spaces


@click.command("list")
@spaces
@click.option("--history", is_flag=True, help="Also versions that were superseded.")
@click.option("--forgotten", is_flag=True, help="Also memories that were forgotten.")
@click.option("--limit", type=click.IntRange(min=1), help="Most memories; else every one.")
@as_of
@known_at
@asks
def listing(call: Call, limit: int | None, **which: Any) -> None:
    """List memories."""
    call.output.show(list(call.client.every_memory(limit=limit, **which)), views.memories)
