"""`memlane reembed`: start, status, switch, rollback, drop."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from memlane.call import Call, asks
from memlane.errors import MemlaneError
from memlane.render import Block, Rows

Json = Mapping[str, Any]
named = click.argument("generation", required=False, type=click.IntRange(min=1), metavar="[ID]")


@click.group()
def reembed() -> None:
    """Change the embedding model: embed all anew, then switch."""


@reembed.command()
@asks
def start(call: Call) -> None:
    """Embed what has no vector of the configured model, after all other work; goes on where it stopped."""
    call.output.show(call.client.start_generation(), view)


@reembed.command()
@asks
def status(call: Call) -> None:
    """Show every generation with how far it is."""
    answer = call.client.generations()
    call.output.show(answer, view)
    call.warn(answer)


@reembed.command()
@named
@asks
def switch(call: Call, generation: int | None) -> None:
    """Search by the new vectors from now on; ID may be left out when only one generation can serve.

    Refused, with numbers, while a row has no new vector. The old vectors are kept.
    """
    chosen = generation or _only(call, ("building", "retired"))
    call.output.show(call.client.switch_generation(chosen), view)


@reembed.command()
@named
@asks
def rollback(call: Call, generation: int | None) -> None:
    """Search by the vectors from before the switch again; the rows that came since are embedded after that."""
    chosen = generation or _only(call, ("retired",))
    call.output.show(call.client.roll_back_generation(chosen), view)


@reembed.command()
@click.argument("generation", type=click.IntRange(min=1), metavar="ID")
@click.option("--yes", is_flag=True, help="Drop without asking.")
@asks
def drop(call: Call, generation: int, yes: bool) -> None:
    """Delete the vectors of a generation for good."""
    if not yes and not click.confirm(f"Drop the vectors of generation {generation} for good?", err=True):
        call.output.note("Nothing was changed.")
        return
    call.output.show(call.client.drop_generation(generation), view)


def _only(call: Call, states: tuple[str, ...]) -> int:
    """Return the one generation of the configured model that may be meant.

    Raises:
        MemlaneError: there is none.
    """
    told = call.client.generations()["generations"]
    fit = [int(one["id"]) for one in told if one["configured"] and one["state"] in states]
    if not fit:
        raise MemlaneError("No other generation is of the configured model; see `memlane reembed status`.")
    return fit[-1]


def view(answer: Json) -> Iterator[Block]:
    """Show the generations and the jobs that embed anew."""
    rows = [
        (one["id"], one["model"], one["dimension"], one["state"], "yes" if one["configured"] else "",
         one["vectors"], one["missing"])
        for one in answer["generations"]
    ]  # fmt: skip
    yield Rows(columns=("id", "model", "numbers", "state", "configured", "vectors", "missing"), rows=rows)
    jobs = [
        (one["id"], one["space"], one["state"], f"{one['items_done']} of {one['items_total']}", one.get("warning"))
        for one in answer["jobs"]
    ]
    if jobs:
        yield Rows(columns=("job", "space", "state", "items done", "waits for"), rows=jobs)
