"""What every command shares: `--json`, `--url`, `--api-key`, a client, an output, and the exit code of an error."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import click

from memlane.errors import MemlaneError
from memlane.http import DEFAULT_URL, Client
from memlane.narrowing import ARMS, HALF_LIFE_DAYS, KINDS, Narrowing
from memlane.render import Output

NOTHING_FOUND = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a command is handed."""

    client: Client
    output: Output
    api_key: str | None

    def warn(self, answer: dict[str, Any]) -> None:
        """Pass on what the server says is missing from its answer."""
        degraded = answer.get("degraded") or []
        for sentence in [degraded] if isinstance(degraded, str) else degraded:
            self.output.note(f"Degraded: {sentence}")
        if answer.get("warning"):
            self.output.note(f"Warning: {answer['warning']}")

    def nothing(self, sentence: str) -> int:
        """Say that nothing was found and return the exit code for it."""
        self.output.note(sentence)
        return NOTHING_FOUND


def asks(function: Callable[..., int | None]) -> Callable[..., None]:
    """Give a command its options, client and output, and turn errors into a sentence and an exit code."""

    @click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output and nothing else there.")
    @click.option("--url", metavar="URL", help=f"The server; else MEMLANE_URL, else {DEFAULT_URL}.")
    @click.option("--api-key", metavar="KEY", help="The key; else MEMLANE_API_KEY (which other users cannot see).")
    @functools.wraps(function)
    def run(*, as_json: bool, url: str | None, api_key: str | None, **options: Any) -> None:
        output = Output(as_json=as_json)
        try:
            with Client(url, api_key) as client:
                key = api_key or os.environ.get("MEMLANE_API_KEY")
                code = function(Call(client=client, output=output, api_key=key), **options)
        except MemlaneError as error:
            output.fail(error)
            code = error.exit_code
        click.get_current_context().exit(code or 0)

    return run


class Words(click.ParamType[str]):
    """Text: valid Unicode with something in it."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, read as UTF-8 whatever the locale."""
        try:
            text = os.fsencode(value).decode("utf-8") if _has_escapes(value) else str(value)
        except UnicodeError:
            self.fail("is not valid UTF-8.", param, ctx)
        return text


class Moment(click.ParamType[str]):
    """A date or time in ISO 8601, passed on as it was written."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text after checking it."""
        try:
            datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a date or time such as 2026-05-04 or 2026-05-04T09:30:00+02:00.", param, ctx)
        return str(value)


class Pair(click.ParamType[tuple[str, str]]):
    """A name and a value, written name=value."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Return the name and the value."""
        if isinstance(value, tuple):
            return value
        name, equals, text = WORDS.convert(value, param, ctx).partition("=")
        if not (equals and name.strip()):
            self.fail(f"{value!r} is not written name=value.", param, ctx)
        return name.strip(), text


def _has_escapes(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


WORDS, MOMENT, PAIR = Words(), Moment(), Pair()

space = click.option("--container-tag", "space", metavar="SPACE", type=WORDS, help="The space; else `default`.")
spaces = click.option("--container-tag", "spaces", metavar="SPACE", type=WORDS, multiple=True,
                      help="A space to read, may be repeated; else `default`.")  # fmt: skip
metadata = click.option("--metadata", "pairs", metavar="NAME=VALUE", type=PAIR, multiple=True,
                        help="Metadata, may be repeated; a repeated name makes a list.")  # fmt: skip
as_of = click.option("--as-of", metavar="WHEN", type=MOMENT, help="Answer with what was true then (ISO 8601).")
known_at = click.option("--known-at", metavar="WHEN", type=MOMENT, help="Answer with what was known then (ISO 8601).")


def _arms(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    arms = tuple(part.strip() for part in value.split(",")) if value is not None else ()
    unknown = [arm for arm in arms if arm not in ARMS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(ARMS)}.")
    return arms


_NARROWING = (
    click.option(
        "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only memories of this kind, may be repeated."
    ),
    click.option("--min-confidence", type=click.FloatRange(0, 1), help="Only memories at least so sure, 0 to 1."),
    click.option("--session", metavar="ID", type=WORDS, help="Only what was said in this session or conversation."),
    click.option("--arms", metavar="ARM,ARM", callback=_arms, help=f"Ways of finding: of {', '.join(ARMS)}; else all."),
    click.option("--exact", is_flag=True, default=None, help="Compare every vector in full, however many there are."),
    click.option("--now", metavar="WHEN", type=MOMENT, help='What "last spring" counts from; else now.'),
    click.option("--zone", "time_zone", metavar="ZONE", type=WORDS, help="Yours, as +02:00 or Europe/Oslo; else UTC."),
    click.option(
        "--half-life", "half_life_days", metavar="DAYS", type=click.FloatRange(*HALF_LIFE_DAYS),
        help="After so many days a memory's age has taken half of its weight; else age counts for nothing.",
    ),
)  # fmt: skip


def narrows(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command these options; they arrive as `narrowing`."""

    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        named = {one.name: options.pop(one.name) for one in fields(Narrowing)}
        return function(*args, narrowing=Narrowing(**named), **options)

    return functools.reduce(lambda wrapped, option: option(wrapped), reversed(_NARROWING), run)


def joined(words: tuple[str, ...], what: str) -> str:
    """Return the words of a command line as one text.

    Raises:
        UsageError: there is nothing in them.
    """
    text = " ".join(words).strip()
    if not text:
        raise click.UsageError(f"The {what} is empty.")
    return text


def merged(pairs: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """Return metadata; a name given several times has a list of texts."""
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in values.items()}
