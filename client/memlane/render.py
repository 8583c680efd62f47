"""Puts answers on the screen: tables on a terminal, tab-separated lines in a pipe, JSON when asked.

Stored text is not trusted with the terminal: control characters are shown as escapes and nothing is read as markup.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memlane.errors import MemlaneError

# No terminal has more columns.
WIDEST = 10_000
# Control characters but tab and line feed, and the marks that turn the direction of text around.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A table."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    below: str = ""  # on a terminal that is too narrow this column is put beneath, with the row's first


Block = Rows | str
View = Callable[[Any], Iterable[Block]]


def safe(text: Any) -> str:
    """Return a value as text that cannot steer a terminal."""
    return UNSAFE.sub(lambda match: match.group().encode("unicode_escape").decode(), str(text))


def one_line(value: Any) -> str:
    """Return a value as one line without tabs; None as nothing."""
    if value is None:
        return ""
    return safe(value).replace("\t", "\\t").replace("\n", "\\n").replace("\u2028", "\\u2028")


class Output:
    """Standard output and standard error of one command."""

    def __init__(self, *, as_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        """Choose how to show things.

        Args:
            as_json: print JSON on standard output and nothing else there.
            out: standard output when left out.
            err: standard error when left out.
        """
        self.as_json = as_json
        self._out = out or sys.stdout
        self.console = Console(file=self._out, markup=False, highlight=False, emoji=False)
        self.errors = Console(file=err or sys.stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def show(self, answer: Any, view: View) -> None:
        """Show an answer: as one JSON document, or as its view."""
        if self.as_json:
            self._print(json.dumps(answer, ensure_ascii=False, indent=2))
            return
        for block in view(answer):
            self._block(block)

    def event(self, record: Mapping[str, Any], line: str) -> None:
        """Show one record of a stream: as one line of JSON, or as a line of text."""
        self._print(json.dumps(record, ensure_ascii=False) if self.as_json else safe(line))

    def note(self, sentence: str) -> None:
        """Tell the person something on standard error."""
        self.errors.print(Text(safe(sentence)))

    def fail(self, error: MemlaneError) -> None:
        """Show an error: the server's sentence and hint on standard error; with --json its shape on standard output."""
        if self.as_json:
            self._print(json.dumps(error.shape(), ensure_ascii=False, indent=2))
        self.note(f"Error: {error.message}")
        if error.hint:
            self.note(f"Hint: {error.hint}")
        if error.request_id and error.exit_code == 1:
            self.note(f"Request: {error.request_id}")

    def _block(self, block: Block) -> None:
        if isinstance(block, str):
            self._print(safe(block))
        elif self.console.is_terminal:
            self._table(block)
        else:
            for row in block.rows:
                self._print("\t".join(one_line(cell) for cell in row))

    def _table(self, block: Rows) -> None:
        table = _table(block)
        unlimited = self.console.options.update(max_width=WIDEST)
        if not block.below or self.console.measure(table, options=unlimited).maximum <= self.console.width:
            self.console.print(table)
            return
        at = list(block.columns).index(block.below)
        self.console.print(_table(_shortened(block, at)))
        for row in block.rows:
            self.console.print(Text(f"{one_line(row[0])}: {one_line(row[at])}"))

    def _print(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


def _shortened(block: Rows, at: int) -> Rows:
    """Leave out a column, and those that have nothing in them."""
    kept = [
        one for one in range(len(block.columns)) if one != at and any(one_line(row[one]) != "" for row in block.rows)
    ]
    return Rows(columns=[block.columns[one] for one in kept], rows=[[row[one] for one in kept] for row in block.rows])


def _table(block: Rows) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in block.columns:
        # An id cut in two could not be copied.
        table.add_column(column, no_wrap=column == "id", overflow="fold")
    for row in block.rows:
        table.add_row(*(Text(one_line(cell), overflow="fold") for cell in row))
    return table
