"""Marks recalled context, so that it is recognised when it comes back in a transcript and is not learned again."""

from __future__ import annotations

RECALLED_OPEN = "<memlane-recalled>"
RECALLED_CLOSE = "</memlane-recalled>"


def fence(text: str) -> str:
    """Put recalled context between the marks.

    Args:
        text: what was recalled; marks inside it are made harmless, so that a stored text cannot end the fence early.
    """
    inner = text.replace(RECALLED_OPEN, RECALLED_OPEN.strip("<>")).replace(RECALLED_CLOSE, RECALLED_CLOSE.strip("</>"))
    return f"{RECALLED_OPEN}\n{inner}\n{RECALLED_CLOSE}"


def recalled_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) of recalled context, marks included; one that is not closed ends with the text."""
    spans = []
    start = text.find(RECALLED_OPEN)
    while start >= 0:
        close = text.find(RECALLED_CLOSE, start)
        end = len(text) if close < 0 else close + len(RECALLED_CLOSE)
        spans.append((start, end))
        start = text.find(RECALLED_OPEN, end)
    return spans


def own_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans (start, end) that are not recalled context, in order; they may be blank but not empty."""
    spans = []
    start = 0
    for first, last in [*recalled_spans(text), (len(text), len(text))]:
        if first > start:
            spans.append((start, first))
        start = last
    return spans
