"""Rules that rewrite parts of a text, each tried only on a text that it can match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import regex

Replacement = str | Callable[[regex.Match[str]], str]


class Rule(NamedTuple):
    """A pattern and what is written instead.

    Every match holds one of the hints: to look for them takes a fraction of the time of a search for the pattern.
    """

    hints: tuple[str, ...]
    pattern: regex.Pattern[str]
    new: Replacement


def rules(written: Iterable[tuple[str, str, Replacement]]) -> tuple[Rule, ...]:
    """Return rules of their hints, with "|" between them, their patterns and what is written instead."""
    return tuple(Rule(tuple(hints.split("|")), regex.compile(pattern), new) for hints, pattern, new in written)


def rewritten(text: str, by: Sequence[Rule]) -> str:
    """Return a text to which rules were applied one after the other."""
    for hints, pattern, new in by:
        for hint in hints:
            if hint in text:
                text = pattern.sub(new, text)
                break
    return text
