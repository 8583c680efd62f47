"""`memlane changes`."""

from itertools import islice

import click

from memlane import time_views
from memlane.call import MOMENT, Call, asks, spaces


@click.command()
@spaces
@click.option("--from", "since", metavar="WHEN", type=MOMENT, help="The first time, inclusive; else the beginning.")
@click.option("--to", "until", metavar="WHEN", type=MOMENT, help="The last time, exclusive; else now.")
@click.option("--limit", type=click.IntRange(min=1), help="Most changes; else every one.")
@asks
def changes(call: Call, spaces: tuple[str, ...], since: str | None, until: str | None, limit: int | None) -> int:
    """Show what changed between two times; exits 4 if nothing did."""
    found = list(islice(call.client.every_change(since=since, until=until, spaces=spaces), limit))
    call.output.show(found, time_views.changes)
    return 0 if found else call.nothing("Nothing has changed between these times.")
