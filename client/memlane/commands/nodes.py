"""`memlane nodes`: list, pause, resume, drain."""

import time
from typing import Any

import click

from memlane import views
from memlane.call import MOMENT, WORDS, Call, asks
from memlane.commands.jobs import ListsByDefault
from memlane.draining import drained
from memlane.durations import DURATION

named = click.argument("names", nargs=-1, required=True, type=WORDS, metavar="NODE...")
seconds = click.option("--for", "seconds", metavar="TIME", type=DURATION, help="How long: 2h, 30m; 24h at most.")
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
    """Take nodes out of both lanes; what they hold they finish."""
    answer = call.client.pause_nodes(names, **_end(seconds, until, needed=True))
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
    """Pause nodes and wait until nothing of theirs is in flight; exits 1 when the pause ends before that."""
    answer = call.client.drain_nodes(names, **_end(seconds, until, needed=False))
    call.warn(answer)
    done, last = drained(call, answer, names, pause=time.sleep)
    call.output.show({**last, "drained": done}, views.nodes)
    return 0 if done else 1


def _end(seconds: int | None, until: str | None, *, needed: bool) -> dict[str, Any]:
    if seconds is not None and until is not None:
        raise click.UsageError("Give --for or --until, not both.")
    if needed and seconds is None and until is None:
        raise click.UsageError("A pause has an end: give --for 2h, or --until with a time.")
    return {"seconds": seconds, "until": until}
