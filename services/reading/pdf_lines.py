"""From the lines of a PDF's pages to Markdown: headings by size, paragraphs by distance, words joined over line ends.

A PDF knows where letters stand, and nothing of titles, paragraphs and page headers. What is concluded here is kept
small: a line is a heading when it is clearly larger than most text and short.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from services.reading.markdown import clean, tidy

# A heading is this much larger than the text below it; less is a font that differs a little.
_LARGER = 1.15
_LONGEST_HEADING = 160
_MOST_LEVELS = 4
# Of all characters; more of them in large type is a poster or a set of slides, not headings.
_MOST_IN_HEADINGS = 0.25
# A paragraph ends where the next line is further away than this, in distances of ordinary lines.
_PARAGRAPH_GAP = 1.35
# A line that opens or closes so many pages, its numbers aside, is a running head.
_RUNNING_SHARE, _RUNNING_LEAST = 0.5, 4
_BULLET = re.compile(r"^[•▪◦‣●■○∙·\uf0b7]\s*")
_NUMBERS = re.compile(r"\d+")
# How pdfium writes a hyphen that a line break put into a word.
_SPLIT_WORD = re.compile(r"[\x02\ufffe\u00ad]$")
_SPLIT_MARKS = re.compile(r"[\x02\ufffe\u00ad]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a page."""

    text: str
    top: float  # of its first letter, in points from the lower edge
    bottom: float

    @property
    def size(self) -> float:
        """Height of its letters in half points."""
        return round((self.top - self.bottom) * 2) / 2


def markdown_of(pages: Sequence[Sequence[Line]]) -> str:
    """Return the lines of all pages as Markdown."""
    kept = _without_running_heads(pages)
    levels = _levels([line for page in kept for line in page])
    text = ""
    for page in filter(None, (_page(page, levels) for page in kept)):
        text += page if not text else f"\n{page}" if _goes_on(text, page) else f"\n\n{page}"
    return tidy(text)


def _goes_on(text: str, page: str) -> bool:
    """Tell whether a page begins in the middle of a sentence."""
    return page[0].islower() and text[-1] not in ".!?:;|" and not text.rpartition("\n")[2].startswith("#")


def _without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    edges = Counter(pattern for page in pages for pattern in {_pattern(line) for line in (*page[:1], *page[-1:])})
    least = max(_RUNNING_LEAST, len(pages) * _RUNNING_SHARE)
    running = {pattern for pattern, times in edges.items() if times >= least}
    kept = []
    for page in pages:
        lines = list(page)
        if lines and _pattern(lines[0]) in running:
            lines = lines[1:]
        if lines and _pattern(lines[-1]) in running:
            lines = lines[:-1]
        kept.append(lines)
    return kept


def _pattern(line: Line) -> str:
    return _NUMBERS.sub("#", " ".join(line.text.split()))


def _levels(lines: Sequence[Line]) -> dict[float, int]:
    """Return the level of a heading by the size of its letters."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    if not sizes:
        return {}
    ordinary = sizes.most_common(1)[0][0]
    large = sorted((size for size in sizes if size > ordinary * _LARGER and ordinary > 0), reverse=True)
    in_headings = sum(sizes[size] for size in large)
    if in_headings > sizes.total() * _MOST_IN_HEADINGS:
        return {}
    return {size: min(rank, _MOST_LEVELS) for rank, size in enumerate(large, 1)}


def _page(lines: Sequence[Line], levels: dict[float, int]) -> str:
    ordinary = _line_distance(lines)
    text, before = "", None
    for line in lines:
        level = levels.get(line.size) if len(line.text) <= _LONGEST_HEADING else None
        words = _BULLET.sub("- ", line.text)
        if before is None:
            text = _start(words, level)
        elif level and levels.get(before.size) == level and _is_near(before, line, ordinary):
            text += f" {words}"  # a heading of two lines
        elif level or levels.get(before.size) or not _is_near(before, line, ordinary):
            text += f"\n\n{_start(words, level)}"
        elif _SPLIT_WORD.search(text):
            text = text[:-1] + words
        else:
            text += f"\n{words}"
        before = line
    return clean(_SPLIT_MARKS.sub("", text))


def _start(words: str, level: int | None) -> str:
    return f"{'#' * level} {words}" if level else words


def _line_distance(lines: Sequence[Line]) -> float:
    """Return the usual distance from line to line; 0 when it cannot be told."""
    steps = Counter(round(above.bottom - below.bottom, 0) for above, below in pairwise(lines))
    usual = [(times, step) for step, times in steps.items() if step > 0]
    return max(usual)[1] if usual else 0.0


def _is_near(above: Line, below: Line, usual: float) -> bool:
    """Tell whether a line goes on where the one above it ended."""
    step = above.bottom - below.bottom
    least = max(usual, above.size, below.size)
    # Within one line (a cell beside a cell) or one line further down.
    return -least * 0.5 <= step <= least * _PARAGRAPH_GAP
