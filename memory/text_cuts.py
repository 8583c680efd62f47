"""Cuts a long text into parts that fit: at sentence ends, else line ends, else white space, else between graphemes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import regex

from memory.sentences import sentences
from memory.token_estimate import TokenCosts

_GRAPHEME = regex.compile(r"\X")
_INK = regex.compile(r"\S")
_EXTENDS = regex.compile(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]")


def ink(text: str, start: int, end: int) -> int:
    """Return the offset of the first character in [start, end) that is not white space, or `end`."""
    found = _INK.search(text, start, end)
    return found.start() if found else end


def cut_sentences(text: str, start: int, end: int, costs: TokenCosts, chars: int, tokens: float) -> list[int]:
    """Cut at sentence ends, and finer where a sentence alone is too long.

    Args:
        text: the whole text.
        start: offset of the first character, a grapheme boundary.
        end: offset behind the last.
        costs: the text's token costs.
        chars: the longest part, in characters without outer white space.
        tokens: the most estimated wordpieces of a part.

    Returns:
        The offsets where parts end, the last being `end`.
    """
    starts = [start + first for first, _ in sentences(text[start:end])]
    bounds = [start, *starts[1:], end]
    cuts: list[int] = []
    for first, last in pairwise(bounds):
        cuts.extend(cut_run(text, first, last, lambda at: min(at + chars, costs.furthest(at, tokens))))
    return cuts


def cut_run(text: str, start: int, end: int, reach: Callable[[int], int]) -> Iterator[int]:
    """Cut a text anywhere it must be cut, but within a grapheme cluster only where one alone is too long.

    Args:
        text: the whole text.
        start: offset of the first character, a grapheme boundary.
        end: offset behind the last.
        reach: maps where a part's text begins to the furthest offset it may end at.

    Yields:
        The offsets where parts end, the last being `end`. White space at a cut goes with the part before it.
    """
    last = start + len(text[start:end].rstrip())
    while True:
        first = ink(text, start, end)
        limit = max(reach(first), first + 1)
        if limit >= last:
            yield end
            return
        start = _skip_blank(text, _best_cut(text, first, limit), end)
        yield start


def _best_cut(text: str, first: int, limit: int) -> int:
    """Return the best grapheme boundary in (first, limit]; `limit` itself when there is none."""
    window = text[first:limit]
    if window.isascii() and text[limit].isascii():
        bounds: list[int] = list(range(first + 1, limit + 1))
        if text[limit - 1 : limit + 1] == "\r\n":
            bounds.pop()
    else:
        # One character of look-ahead decides whether the limit is a boundary. The window is copied because the library
        # looks back over all flags before a position, which took minutes on a long run of them.
        found = [match.end() + first for match in _GRAPHEME.finditer(text[first : limit + 1])]
        bounds = [bound for bound in found if bound <= limit]
    if not bounds:
        return limit
    upper = [bound for bound in bounds if bound > first + (limit - first) // 2]
    for wanted in ("\n", None):
        for bound in reversed(upper):
            before = text[bound - 1]
            if before == wanted or (wanted is None and before.isspace()):
                return bound
    return bounds[-1]


def _skip_blank(text: str, at: int, end: int) -> int:
    following = ink(text, at, end)
    if following > at and _EXTENDS.match(text, following):
        return following - 1  # the mark stands on the last blank
    return following
