"""`memlane profile`: what holds about a space in a few lines, and its buckets."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from memlane import views
from memlane.call import WORDS, Call, as_of, asks, known_at, space, spaces
from memlane.groups import ShowsByDefault
from memlane.render import Block, Rows, one_line


@click.group(cls=ShowsByDefault)
def profile() -> None:
    """Show the profile of a space (the default), or its buckets."""


@profile.command()
@spaces
@click.option("--q", metavar="QUESTION", type=WORDS, help="Search results for it beside the profile.")
@click.option(
    "--bucket", "buckets", metavar="KEY", type=WORDS, multiple=True, help="Only this bucket; may be repeated."
)
@click.option("--limit", type=click.IntRange(1, 200), help="Most lines of each part; else 50.")
@as_of
@known_at
@asks
def show(call: Call, **wanted: Any) -> int:
    """Show what is lasting, what is new, and the buckets; exits 4 when there is nothing."""
    answer = call.client.profile(**wanted)
    call.warn(answer)
    call.output.show(answer, profile_view)
    parts = answer["profile"]
    known = any((parts["static"], parts["dynamic"], *parts["buckets"].values(), _found(answer)))
    return 0 if known else call.nothing("Nothing is known there yet.")


@profile.command()
@spaces
@asks
def buckets(call: Call, spaces: tuple[str, ...]) -> None:
    """List the buckets."""
    call.output.show(call.client.buckets(spaces=spaces)["buckets"], buckets_view)


@profile.command()
@click.argument("key", type=WORDS)
@click.argument("description", type=WORDS)
@space
@asks
def put(call: Call, key: str, description: str, space: str | None) -> None:
    """Name a bucket KEY that holds what DESCRIPTION says, or describe it anew."""
    call.output.show(call.client.put_bucket(key, description, space=space)["buckets"], buckets_view)


@profile.command()
@click.argument("key", type=WORDS)
@space
@asks
def remove(call: Call, key: str, space: str | None) -> None:
    """Take a bucket away; its memories stay."""
    call.output.show(call.client.remove_bucket(key, space=space)["buckets"], buckets_view)


def profile_view(answer: Mapping[str, Any]) -> Iterator[Block]:
    """Show a profile, a part under its name."""
    parts = answer["profile"]
    named = [("Lasting", parts["static"]), ("New", parts["dynamic"]), *parts["buckets"].items()]
    for name, lines in named:
        if lines:
            yield name
            yield from (f"  {one_line(text)}" for text in lines)
    if _found(answer):
        yield "Found"
        yield from views.found(answer["searchResults"])


def buckets_view(found: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """Show buckets."""
    rows = [(one["key"], one["description"], one.get("container_tag")) for one in found]
    yield Rows(columns=("key", "description", "space"), rows=rows)


def _found(answer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = (answer.get("searchResults") or {}).get("results", ())
    return found
