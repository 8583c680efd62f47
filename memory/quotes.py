"""Finds a model's quote in its source, in spite of other white space, Unicode forms, case and inline marks."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import regex

_SAME = str.maketrans({
    "‘": "'", "’": "'", "ʼ": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-",
    "‐": "-", "‑": "-", "−": "-",
})  # fmt: skip
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Variation_Selector}]")
# Marks of emphasis and code; within a word ("max_load", "2*3") they are characters like others.
_MARKS = frozenset("*_`")
_WORD = regex.compile(r"[\p{L}\p{N}]")
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text in the form in which quotes are compared."""

    text: str
    places: tuple[int, ...]  # offset in the original of each character


def find_quote(quote: str, source: str) -> tuple[int, int] | None:
    """Find where a source says what is quoted.

    Args:
        quote: as a model wrote it.
        source: the text it is said to be from.

    Returns:
        The span (start, end) in the source; None when it is not there, says nothing, or begins or ends within a word.
    """
    wanted, held = _plain(quote), _plain(source)
    text = wanted.text.strip().strip('"').strip()
    if not _WORD.search(text):
        return None
    at = held.text.find(text)
    while at >= 0:
        if _is_whole(held.text, at, at + len(text)):
            return _span(held, at, at + len(text), source)
        at = held.text.find(text, at + 1)
    return None


def _plain(text: str) -> _Plain:
    letters: list[str] = []
    places: list[int] = []
    for offset, letter in enumerate(text):
        if _INVISIBLE.match(letter) or (letter in _MARKS and not _within_word(text, offset)):
            continue
        folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letter).translate(_SAME).casefold())
        for one in folded or " ":
            space = one.isspace()
            if space and letters and letters[-1] == " ":
                continue
            letters.append(" " if space else one)
            places.append(offset)
    return _Plain("".join(letters), tuple(places))


def _within_word(text: str, offset: int) -> bool:
    around = text[max(0, offset - 1) : offset], text[offset + 1 : offset + 2]
    return all(side and _WORD.match(side) for side in around)


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (_cuts(text, start) or _cuts(text, end))


def _cuts(text: str, at: int) -> bool:
    """Tell whether a boundary lies within a word or number; scripts without spaces have no such place."""
    if not 0 < at < len(text):
        return False
    before, behind = text[at - 1], text[at]
    if unicodedata.combining(behind):
        return True
    if not (_WORD.match(before) and _WORD.match(behind)):
        # "4" of "4.5" and "40" of "1,40" are other numbers.
        number = before.isdigit() and behind in ".," and at + 1 < len(text) and text[at + 1].isdigit()
        return number or (before in ".," and behind.isdigit() and at > 1 and text[at - 2].isdigit())
    return not (_DENSE.match(before) or _DENSE.match(behind))


def _span(held: _Plain, start: int, end: int, source: str) -> tuple[int, int]:
    first, last = held.places[start], held.places[end - 1] + 1
    while last < len(source) and unicodedata.combining(source[last]):
        last += 1
    return first, last
