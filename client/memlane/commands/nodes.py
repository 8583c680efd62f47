"""`memlane nodes`: list, pause, resume, drain."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from memlane import views
from memlane.call import MOMENT, WORDS, Call, asks
from memlane.draining import drained
from memlane.durations import DURATION
from memlane.errors import Invalid
from memlane.groups import ListsByDefault

named = click.argument("names", nargs=-1, required=True, type=WORDS, metavar="NODE...")
seconds = click.option(
    "--for",
    "seconds",
    metavar="TIME",
    type=DURATION,
    help="How long: 2h, 30m; 24h at most. This or --until must be given.",
)
until = click.option("--until", metavar="WHEN", type=MOMENT, help="The end (ISO 8601), at most 24 hours ahead.")


@click.group(cls=ListsByDefault)
def nodes() -> None:
    """List nodes (the default), pause, resume or drain some."""


@nodes.command("list")
@asks
def list_nodes(call: Call) -> None:
    """List the nodes: lanes now, state, what is in flight, temperature, memory, models, and why."""
    answer = call.client.nodes()
    call.output.show(answer, views.nodes)
    for warning in answer["warnings"]:
        call.output.note(f"Warning: {warning}")


@nodes.command()
@named
@seconds
@until
@asks
def pause(call: Call, names: tuple[str, ...], seconds: int | None, until: str | None) -> None:
    """Take nodes out of both lanes; what they hold they finish.

    A pause has an end, so --for or --until must be given: memlane nodes pause a0 --for 2h
    """
    end = _end(seconds, until, needed=True)
    with _own_words():
        answer = call.client.pause_nodes(names, **end)
    call.output.show(answer, views.nodes)
    call.warn(answer)


@nodes.command()
@named
@asks
def resume(call: Call, names: tuple[str, ...]) -> None:
    """End the pause of nodes now."""
    answer = call.client.resume_nodes(names)
    call.output.show(answer, views.nodes)
    call.warn(answer)


@nodes.command()
@named
@seconds
@until
@asks
def drain(call: Call, names: tuple[str, ...], seconds: int | None, until: str | None) -> int:
    """Pause nodes and wait until nothing of theirs is in flight.

    Exits 1 when the pause ends before that, or a node is lost while it holds something.

    A pause has an end, so --for or --until must be given, unless all of them are paused already: memlane nodes drain a0
    --for 2h
    """
    answer = _drain(call, names, _end(seconds, until, needed=False))
    call.warn(answer)
    done, last = drained(call, answer, names, pause=time.sleep)
    call.output.show({**last, "drained": done}, views.nodes)
    return 0 if done else 1


def _end(seconds: int | None, until: str | None, *, needed: bool) -> dict[str, Any]:
    if seconds is not None and until is not None:
        raise click.UsageError("Give --for or --until, not both.")
    if needed and seconds is None and until is None:
        raise click.UsageError(_needs_end("pause", ["a0"]))
    return {"seconds": seconds, "until": until}


@contextmanager
def _own_words() -> Iterator[None]:
    """Let the server's refusal speak of this command's options in place of its own fields."""
    try:
        yield
    except Invalid as error:
        error.message = _in_options(error.message)
        if error.hint:
            error.details["hint"] = _in_options(error.hint)
        raise


def _in_options(sentence: str) -> str:
    for field, option in (("until", "--until"), ("seconds", "--for")):
        sentence = sentence.replace(f"`{field}`", option)
    return sentence


def _drain(call: Call, names: tuple[str, ...], end: dict[str, Any]) -> dict[str, Any]:
    try:
        with _own_words():
            return call.client.drain_nodes(names, **end)
    except Invalid as error:
        if error.details.get("field") != "until" or any(end.values()):
            raise
        # Only the server knows whether the nodes are paused already, and it speaks of its own fields.
        raise click.UsageError(_needs_end("drain", names)) from error


def _needs_end(command: str, names: Sequence[str]) -> str:
    return (
        "A pause must have an end, so that a forgotten one ends by itself: give --for or --until, for example "
        f"`memlane nodes {command} {' '.join(names)} --for 2h`."
    )
