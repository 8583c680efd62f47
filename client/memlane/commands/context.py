"""`memlane context` and `memlane scratchpad`: what a model should be told, and the notes of a session."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from memlane.call import WORDS, Call, as_of, asks, known_at, space, spaces
from memlane.render import Block, Rows
from memlane.texts import read_stdin

PARTS = ["system", "profile", "memories", "chunks", "scratchpad", "turns"]
user = click.option("--user", metavar="ID", type=WORDS, help="Whose; else nobody's in particular.")
session = click.argument("session", type=WORDS)
words = click.argument("words", nargs=-1, type=WORDS, metavar="[TEXT]...")
ttl = click.option("--ttl", "ttl_seconds", type=click.FloatRange(min=1), metavar="SECONDS",
                   help="How long the notes are kept from now on; else as the server is set.")  # fmt: skip


@click.command()
@click.argument("words", nargs=-1, type=WORDS, metavar="[QUESTION]...")
@spaces
@click.option("--budget", type=click.IntRange(min=0), metavar="TOKENS", help="Most tokens; else 2000.")
@click.option("--section", "sections", type=click.Choice(PARTS), multiple=True, help="Only this part; may be repeated.")
@click.option("--session", metavar="ID", type=WORDS, help="Tell the turns and the notes of this conversation.")
@click.option("--system", metavar="TEXT", type=WORDS, help="A text of your own that is put first.")
@click.option("--format", type=click.Choice(["markdown", "json"]), help="How it is written; else markdown.")
@click.option("--half-life", "half_life_days", type=click.FloatRange(min=0, min_open=True), metavar="DAYS",
              help="Of memories that fit about equally well, the newer one first.")  # fmt: skip
@click.option("--rerank", is_flag=True, default=None, help="Read the best candidates again with the reranker.")
@user
@as_of
@known_at
@asks
def context(call: Call, words: tuple[str, ...], **options: Any) -> int:
    """Tell a model what is known; exits 4 if that is nothing."""
    answer = call.client.context(" ".join(words).strip() or None, **options)
    call.output.show(answer, context_view)
    call.output.note(packed(answer))
    call.warn(answer)
    return 0 if answer["context"] else call.nothing("There is nothing to tell within that budget.")


@click.group()
def scratchpad() -> None:
    """Read or write the notes of a session."""


@scratchpad.command()
@session
@space
@user
@asks
def get(call: Call, session: str, **whose: Any) -> None:
    """Show the notes of SESSION."""
    call.output.show(call.client.scratchpad(session, **whose), notes_view)


@scratchpad.command("set")
@session
@words
@ttl
@space
@user
@asks
def put(call: Call, session: str, words: tuple[str, ...], **more: Any) -> None:
    """Put TEXT, else standard input, in place of the notes of SESSION."""
    call.output.show(call.client.note(session, " ".join(words) or read_stdin(), replace=True, **more), notes_view)


@scratchpad.command()
@session
@words
@ttl
@space
@user
@asks
def append(call: Call, session: str, words: tuple[str, ...], **more: Any) -> None:
    """Add TEXT, else standard input, to the notes of SESSION."""
    call.output.show(call.client.note(session, " ".join(words) or read_stdin(), **more), notes_view)


@scratchpad.command()
@session
@space
@user
@asks
def clear(call: Call, session: str, **whose: Any) -> None:
    """Take away the notes of SESSION."""
    call.output.show(call.client.note(session, "", replace=True, **whose), notes_view)


def context_view(answer: Mapping[str, Any]) -> Iterator[Block]:
    """Show a context and nothing else, so that it can be piped on."""
    told = answer["context"]
    if told:
        yield told if isinstance(told, str) else json.dumps(told, ensure_ascii=False, indent=2)


def packed(answer: Mapping[str, Any]) -> str:
    """Return one sentence about what was packed and what was not."""
    left = {name: count for name, count in answer["left_out"].items() if count and name != "total"}
    out = ", ".join(f"{count} of {name}" for name, count in left.items())
    more = f"; more {' and '.join(answer['more'])} were not looked at" if answer.get("more") else ""
    return f"{answer['tokens']} of {answer['budget']} tokens{f'; left out: {out}' if out else ''}{more}"


def notes_view(answer: Mapping[str, Any]) -> Iterator[Block]:
    """Show notes in the order they were written."""
    yield Rows(columns=("written", "note"), rows=[(note["at"], note["text"]) for note in answer["notes"]])
