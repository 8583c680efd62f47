"""Spreadsheets: a section with a table for each sheet, values as they are shown."""

from __future__ import annotations

import io
import re
import warnings as python_warnings
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from openpyxl import load_workbook

from services.reading.archive import open_office
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import cell, heading, table, tidy
from services.reading.shown_values import shown

# More rows than anybody asks one by one about; the rest is said to be missing.
MOST_ROWS = 50_000
MOST_COLUMNS = 200
# A gap of so many empty rows is the end of what somebody wrote.
_LONGEST_GAP = 5_000
# A formula whose value no program has stored.
_UNCALCULATED = re.compile(rb"</f>\s*</c>|<f[^>]*/>\s*</c>|</f>\s*<v\s*/>|</f>\s*<v>\s*</v>")


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a spreadsheet; see `readers.read`."""
    archive = open_office(body)
    uncalculated = any(
        _UNCALCULATED.search(archive.read(name)) for name in archive.namelist() if name.startswith("xl/worksheets/")
    )
    python_warnings.simplefilter("ignore")  # openpyxl tells of features it does not keep; nothing is written here
    book = load_workbook(io.BytesIO(body), read_only=True, data_only=True, keep_links=False)
    formulas = load_workbook(io.BytesIO(body), read_only=True, keep_links=False) if uncalculated else None
    sections, warnings = [], []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            warnings.append(f"The hidden sheet {cell(sheet.title)!r} was left out.")
            continue
        rows, cut = _rows(sheet, formulas[sheet.title] if formulas is not None else None)
        text = table(rows)
        if text:
            sections.append(f"{heading(2, sheet.title)}\n\n{text}")
        if cut:
            warnings.append(f"Only the first {cut} of the sheet {cell(sheet.title)!r} were read.")
    if uncalculated:
        warnings.append("Some formulas have no stored value; the formula stands in its place.")
    return Extracted(text=tidy("\n\n".join(sections)), warnings=tuple(warnings), pages=len(book.worksheets))


def _rows(sheet: Any, formulas: Any) -> tuple[list[list[str]], str | None]:
    """Return the rows of a sheet as texts, and what they were cut at; empty rows in between are left out."""
    sheet.reset_dimensions()
    if formulas is not None:
        formulas.reset_dimensions()
    other = _cells(formulas) if formulas is not None else None
    rows: list[list[str]] = []
    gap, cut = 0, None
    for row in islice(_cells(sheet), MOST_ROWS + 1):
        texts = _texts(row, next(other, ()) if other is not None else ())
        if len(rows) >= MOST_ROWS:
            cut = f"{MOST_ROWS} rows"
            break
        gap = 0 if any(texts) else gap + 1
        if gap > _LONGEST_GAP:
            break
        if any(texts):
            rows.append(texts)
        if len(row) > MOST_COLUMNS and cut is None and any(one.value is not None for one in row[MOST_COLUMNS:]):
            cut = f"{MOST_COLUMNS} columns"
    return rows, cut


def _cells(sheet: Any) -> Iterator[Sequence[Any]]:
    yield from sheet.iter_rows()


def _texts(row: Sequence[Any], formulas: Sequence[Any]) -> list[str]:
    texts = []
    for index, one in enumerate(row[:MOST_COLUMNS]):
        text = shown(one.value, getattr(one, "number_format", None) or "General") if one.value is not None else ""
        if not text and index < len(formulas):
            written = formulas[index].value
            text = written if isinstance(written, str) and written.startswith("=") else ""
        texts.append(text)
    return texts
