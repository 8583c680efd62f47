"""Finds our own answers as JSON: results, memories and profiles that somebody pasted from a client or a log."""

from __future__ import annotations

from collections.abc import Iterator

import regex

# Says in a context that is written as JSON that it was recalled.
RECALLED_FIELD = "memlane_recalled"

# What only our answers have: ids of memories, chunks and episodes, and a few names of fields. JSON within JSON has its
# quotation marks escaped.
_Q = r"\\{0,3}[\"']"
_OURS = regex.compile(
    rf"{_Q}(?:mem|chk|ep)_[0-9A-Za-z]{{4,}}{_Q}"
    rf"|{_Q}(?:isUnjudged|isDisputed|rootMemoryId|parentMemoryId|searchResults|memoryEntries|sourceDocumentIds|{RECALLED_FIELD}){_Q}\s*:"
    rf"|{_Q}(?:static|dynamic){_Q}\s*:\s*\[(?=[\s\S]{{0,20000}}{_Q}(?:dynamic|buckets|static){_Q}\s*:)"
)
# A piece that does not end, such as a cut one, is given up after so many openings.
_MOST_OPENINGS = 50
_MOST_CHARS = 200_000


def json_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) of JSON that holds our ids or fields, in order.

    Args:
        text: a message or a document. What is cut off ends with the text.
    """
    marks = [found.start() for found in _OURS.finditer(text)]
    spans: list[tuple[int, int]] = []
    for mark in marks:
        if not spans or mark >= spans[-1][1]:
            after = spans[-1][1] if spans else 0
            spans.append(_around(text, mark, after))
    return spans


def _around(text: str, mark: int, after: int) -> tuple[int, int]:
    """Return the outermost brackets around a mark; without any, the line that it is in."""
    for start in _openings(text, after, mark):
        end = _closing(text, start)
        if end > mark:
            return start, end
    end = text.find("\n", mark)
    return max(after, text.rfind("\n", 0, mark) + 1), len(text) if end < 0 else end


def _openings(text: str, after: int, mark: int) -> Iterator[int]:
    count = 0
    for place in range(max(after, mark - _MOST_CHARS), mark):
        if text[place] in "{[":
            yield place
            count += 1
            if count == _MOST_OPENINGS:
                return


def _closing(text: str, start: int) -> int:
    """Return the offset behind the bracket that closes the first one; where none does, the end of the text."""
    depth, quoted, place = 0, False, start
    last = min(len(text), start + _MOST_CHARS)
    while place < last:
        char = text[place]
        if char == "\\" and quoted:
            place += 1
        elif char == '"':
            quoted = not quoted
        elif not quoted:
            depth += (char in "{[") - (char in "}]")
            if depth == 0:
                return place + 1
        place += 1
    return last
