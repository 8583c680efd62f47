"""`memlane episodes`: list sessions, read one, append to one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from memlane.call import MOMENT, WORDS, Call, as_of, asks, joined, known_at, merged, metadata, space, spaces
from memlane.groups import ListsByDefault
from memlane.render import Block, Rows
from memlane.texts import read_stdin
from memlane.texts import records as read_records

KINDS = ("turn", "tool_call", "tool_result", "outcome", "error")
ROLES = ("user", "assistant", "system", "tool")
limit = click.option("--limit", type=click.IntRange(min=1), default=200, show_default=True, help="Most rows.")


@click.group(cls=ListsByDefault)
def episodes() -> None:
    """List sessions (the default), show one, append to one."""


@episodes.command("list")
@spaces
@click.option("--user", metavar="ID", type=WORDS, help="Only sessions of this user, or of nobody in particular.")
@click.option("--agent", metavar="ID", type=WORDS, help="Only sessions of this agent, or of none in particular.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Most sessions.")
@asks
def list_sessions(call: Call, **which: Any) -> None:
    """List sessions, last used first."""
    call.output.show(call.client.sessions(**which)["sessions"], sessions_view)


@episodes.command()
@click.argument("session", type=WORDS)
@space
@click.option("--kind", type=click.Choice(KINDS), help="Only episodes of this kind.")
@click.option("--text", "q", metavar="TEXT", type=WORDS, help="Only episodes that have this in their words.")
@click.option("--from-seq", type=click.IntRange(min=0), metavar="SEQ", help="Only episodes from this place on.")
@as_of
@known_at
@limit
@asks
def show(call: Call, session: str, **which: Any) -> int:
    """Show the episodes of SESSION, an id or a name, in the order they were appended in."""
    rows = list(call.client.every_episode(session, **which))
    call.output.show(rows, episodes_view)
    return 0 if rows else call.nothing("The session has no such episode.")


@episodes.command()
@click.argument("session", type=WORDS)
@click.argument("words", nargs=-1, type=WORDS, metavar="[TEXT]...")
@click.option("--kind", type=click.Choice(KINDS), default="turn", show_default=True, help="What happened.")
@click.option("--role", type=click.Choice(ROLES), help="Who it comes from; of a turn, else the user.")
@click.option("--name", metavar="NAME", type=WORDS, help="Of the speaker or the tool.")
@click.option("--at", "occurred_at", metavar="WHEN", type=MOMENT, help="When it happened (ISO 8601).")
@click.option("--jsonl", is_flag=True, help="Read standard input as JSON lines, an episode each, and append them all.")
@metadata
@space
@asks
def add(call: Call, session: str, words: tuple[str, ...], jsonl: bool, space: str | None, **event: Any) -> None:
    """Append TEXT, else standard input, to SESSION, which is made when the name is new."""
    events = read_records(read_stdin()) if jsonl else [_event(joined(words or (read_stdin(),), "text"), **event)]
    answer = call.client.append_episodes(events, session=session, space=space)
    call.output.show(answer, lambda made: episodes_view(made["episodes"]))
    call.warn(answer)


def _event(content: str, *, kind: str, role: str | None, pairs: tuple[tuple[str, str], ...], **more: Any) -> Any:
    told = {"kind": kind, "role": role or ("user" if kind == "turn" else None), "content": content, **more}
    return {name: value for name, value in {**told, "metadata": merged(pairs) or None}.items() if value is not None}


def sessions_view(found: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """Show sessions: where they are, how long they are and when they were used last."""
    rows = [
        (one["id"], one["conversation_id"], one["container_tag"], one["episodes"], one["updated_at"]) for one in found
    ]
    yield Rows(columns=("id", "name", "space", "episodes", "last used"), rows=rows)


def episodes_view(found: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    """Show episodes: place, kind, who, and what was said."""
    rows = [
        (one["seq"], one["kind"], one["name"] or one["role"], one["occurred_at"] or one["recorded_at"], _words(one))
        for one in found
    ]
    yield Rows(columns=("seq", "kind", "who", "when", "text"), rows=rows, below="text")


def _words(one: Mapping[str, Any]) -> str:
    return "(erased)" if one["is_erased"] else str(one["content"])
