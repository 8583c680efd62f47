"""`memlane spaces`: list, and how long each keeps its memories."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from memlane.call import WORDS, Call, asks
from memlane.groups import ListsByDefault
from memlane.render import Block, Rows


@click.group(cls=ListsByDefault)
def spaces() -> None:
    """List spaces (the default), or set how long each keeps."""


@spaces.command("list")
@asks
def list_spaces(call: Call) -> None:
    """List the spaces of the key, with what is in them and for how many days memories are kept."""
    call.output.show(call.client.spaces()["spaces"], spaces_view)


@spaces.command()
@click.argument("name", type=WORDS, metavar="SPACE")
@click.option("--days", type=click.IntRange(1, 36_500), help="Forget memories so many days after they were recorded.")
@click.option("--always", is_flag=True, help="Keep them until they are forgotten.")
@asks
def keep(call: Call, name: str, days: int | None, always: bool) -> None:
    """Set how long a space keeps its memories."""
    if (days is None) != always:
        raise click.UsageError("Give --days, or --always.")
    call.output.show([call.client.set_retention(name, days)], spaces_view)


def spaces_view(found: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """Show spaces, what is in them, and for how many days memories are kept."""
    rows = [(one["name"], one["documents"], one["memories"], one["retention_days"] or "always") for one in found]
    yield Rows(columns=("space", "documents", "memories", "days kept"), rows=rows)
