"""Recalled context: marked when it goes out, recognised when it comes back in a transcript, and not learned again.

Three signs: the marks that every context carries; where somebody took them off, the form of our own lines: a number in
brackets and an attribution, "[1] [8 May 2023] Caroline: I moved to Oslo.", and answers made of such lines; and our ids
and fields in JSON or in front of a line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import regex

from memory.answering import NOTHING_FOUND
from memory.recalled_json import json_spans

# A context is packed for a model: a piece of a text is seen with as much before it as any of them reads.
_LOOK_BACK = 200_000

RECALLED_OPEN = "<memlane-recalled>"
RECALLED_CLOSE = "</memlane-recalled>"

# By section of a packed context, in the order they are shown: what stays the same stands in front, so that a model's
# cache of the prompt is of use; what was said last stands where the question follows.
HEADINGS: Mapping[str, str] = {
    "profile": "## Profile",
    "memories": "## Memories",
    "chunks": "## Documents",
    "scratchpad": "## Notes",
    "turns": "## Conversation",
}

_DAY = r"\[\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\]"
# What a quoting client or a list puts in front of a line.
_LEAD = r"^[ \t>*•-]*"
# A line as `attributed` writes it, numbered or not. Nobody types a day in brackets and then a name with a colon.
_ATTRIBUTED = regex.compile(rf"{_LEAD}(?:\[\d{{1,3}}\] )?{_DAY} [^\n:]{{1,200}}: [^\n]*$", regex.MULTILINE)
# The evidence of an answer: from a numbered line to the next empty one. In a message only, texts have bibliographies.
_NUMBERED = regex.compile(rf"{_LEAD}\[1\] \S[^\n]*(?:\n(?![ \t]*\n)[^\n]+)*", regex.MULTILINE)
# A line of a packed context: its number, and its day.
_DATED = regex.compile(rf"{_LEAD}\[\d{{1,5}}\] {_DAY} \S[^\n]*$", regex.MULTILINE)
# A section of one, up to the next empty line. In a message only: documents have numbered notes under a heading.
_SECTION = regex.compile(
    rf"{_LEAD}(?:{'|'.join(HEADINGS.values())})\n\[\d{{1,5}}\] \S[^\n]*(?:\n(?![ \t]*\n)[^\n]+)*", regex.MULTILINE
)
# A row of results as a client shows it: its score, if any, and its id in front.
_LISTED = regex.compile(
    rf"{_LEAD}[|│ \t]*(?:[01]?\.\d+[|│ \t]+)?(?:mem|chk)_[0-9A-Za-z]{{16,}}\b[^\n]*$", regex.MULTILINE
)
# A line of an answer ends with the number of its last citation.
_CITED = regex.compile(r"(?<=\S )\[\d{1,3}\][ \t]*$", regex.MULTILINE)


def fence(text: str) -> str:
    """Put recalled context between the marks.

    Args:
        text: what was recalled; marks inside it are made harmless, so that a stored text cannot end the fence early.
    """
    inner = text.replace(RECALLED_OPEN, RECALLED_OPEN.strip("<>")).replace(RECALLED_CLOSE, RECALLED_CLOSE.strip("</>"))
    return f"{RECALLED_OPEN}\n{inner}\n{RECALLED_CLOSE}"


def recalled_spans(text: str, *, message: bool = False) -> list[tuple[int, int]]:
    """Return the spans of recalled context, in order and without overlaps.

    Args:
        text: a message or a document.
        message: also take the numbered lines and cited sentences of an answer for recalled; in a document they are
            more likely a bibliography.

    Returns:
        (start, end), marks included; a fence that is not closed ends with the text.
    """
    fences = _fenced(text)
    # What looks like ours ends where a fence does: what stands right behind the mark is somebody's own.
    text = _emptied(text, fences)
    spans = [*fences, *json_spans(text)]
    shapes = (_ATTRIBUTED, _DATED, _NUMBERED, _SECTION, _LISTED) if message else (_ATTRIBUTED, _DATED)
    spans += [found.span() for shape in shapes for found in shape.finditer(text)]
    if message:
        spans += [(text.rfind("\n", 0, found.start()) + 1, found.end()) for found in _CITED.finditer(text)]
    said = text.find(NOTHING_FOUND)
    if message and said >= 0:
        spans.append((said, said + len(NOTHING_FOUND)))
    return _merged(spans)


def recalled_within(text: str, start: int, end: int, *, message: bool = False) -> tuple[tuple[int, int], ...]:
    """Return the spans of recalled context in a piece of a text: what began before the piece may end in it.

    Args:
        text: a message or a document.
        start: where the piece begins.
        end: behind its last character.
        message: as for `recalled_spans`.

    Returns:
        (start, end) in the piece, in order.
    """
    before = max(0, start - _LOOK_BACK)
    spans = recalled_spans(text[before:end], message=message)
    moved = ((max(0, first + before - start), last + before - start) for first, last in spans)
    return tuple(span for span in moved if span[1] > 0)


def own_spans(text: str, *, message: bool = False, known: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """Return the spans (start, end) that are not recalled context, in order; they may be blank but not empty.

    Args:
        text: a message or a document.
        message: as for `recalled_spans`.
        known: further spans of recalled context.
    """
    spans = []
    start = 0
    recalled = _merged([*recalled_spans(text, message=message), *known])
    for first, last in [*recalled, (len(text), len(text))]:
        if first > start:
            spans.append((start, first))
        start = last
    return spans


def _fenced(text: str) -> list[tuple[int, int]]:
    spans = []
    start = text.find(RECALLED_OPEN)
    while start >= 0:
        close = text.find(RECALLED_CLOSE, start)
        end = len(text) if close < 0 else close + len(RECALLED_CLOSE)
        spans.append((start, end))
        start = text.find(RECALLED_OPEN, end)
    return spans


def _emptied(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return the text with empty lines in place of some spans."""
    parts: list[str] = []
    place = 0
    for first, last in spans:
        parts += [text[place:first], "\n" * (last - first)]
        place = last
    return "".join([*parts, text[place:]])


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if kept and start <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept
