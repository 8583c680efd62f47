"""What a document is called when nobody has called it anything, and where that is no name for who says something."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from memory.records import Statement

TITLE_CHARS: Final = 120


def title_of(headings: Iterable[Sequence[str]], content: str) -> str | None:
    """Return what a text calls itself: its first heading, else its first line.

    Args:
        headings: the heading path of each chunk, in order.
        content: the text.
    """
    return next((path[0] for path in headings if path), None) or _first_line(content)


def without_echo(found: Iterable[Statement], content: str) -> list[Statement]:
    """Take the title off each statement that is part of it: an untitled document would say "X: X" of its first line.

    Args:
        found: statements of a document, with its title as their speaker.
        content: the whole text that their offsets are in.
    """
    line = _first_line(content)
    if line is None:
        return list(found)
    end = content.index(line) + len(line)
    return [replace(one, speaker=None) if one.speaker == line and one.start < end else one for one in found]


def _first_line(content: str) -> str | None:
    line = next((line.strip() for line in content.splitlines() if line.strip()), None)
    return line[:TITLE_CHARS] if line else None
