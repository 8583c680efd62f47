"""Writes Markdown: tables, fences, and text without what neither a person nor the store could use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# Control characters but tab and line feed, the half surrogates, and the marks of non-characters.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_BLANK_LINES = re.compile(r"\n{3,}")
_TRAILING = re.compile(r"[ \t]+\n")
_RUNS = re.compile(r"`{3,}")
_CELL_BREAK = re.compile(r"\s+")


def clean(text: str) -> str:
    """Return text with line feeds alone as line breaks and without characters that cannot be kept."""
    return _UNFIT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def tidy(text: str) -> str:
    """Return clean text without white space at line ends and with one blank line at most in a row."""
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("\n", clean(text))).strip("\n")


def fence(text: str, language: str = "") -> str:
    """Return text as a code fence that it cannot close."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=2)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{text.strip(chr(10))}\n{marks}"


def cell(text: str) -> str:
    """Return text as it can stand in a cell of a table."""
    return _CELL_BREAK.sub(" ", clean(text)).strip().replace("|", "\\|")


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as a table whose first row is its header; empty columns and rows at the end are left out.

    Args:
        rows: texts of cells; rows may differ in length.
    """
    cells = [[cell(text) for text in row] for row in rows]
    while cells and not any(cells[-1]):
        cells.pop()
    width = max((index + 1 for row in cells for index, text in enumerate(row) if text), default=0)
    if not width:
        return ""
    full = [(row + [""] * width)[:width] for row in cells]
    lines = [f"| {' | '.join(row)} |" for row in full]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def heading(level: int, text: str) -> str:
    """Return a heading of a level from 1 to 6."""
    return f"{'#' * min(max(level, 1), 6)} {_CELL_BREAK.sub(' ', clean(text)).strip()}"
