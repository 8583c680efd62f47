"""CSV and TSV: one table."""

from __future__ import annotations

import csv
import io
from itertools import islice

from services.reading.encodings import decode
from services.reading.extracted import Extracted
from services.reading.kinds import TSV, Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean, table

MOST_ROWS = 50_000
MOST_COLUMNS = 200
# In the order in which one wins when several part the first lines alike.
_DELIMITERS = (",", ";", "\t", "|")
_LINES_LOOKED_AT = 20
_MOST_FIELD_CHARS = 1_000_000


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a file of separated values; see `readers.read`."""
    decoded, warnings = decode(body, charset)
    text = clean(decoded)
    first, _, rest = text.partition("\n")
    delimiter = "\t" if kind == TSV else _delimiter(text)
    if first.lower().startswith("sep=") and len(first.strip()) == len("sep=") + 1:
        delimiter, text = first.strip()[-1], rest
    csv.field_size_limit(_MOST_FIELD_CHARS)
    rows = list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), MOST_ROWS + 1))
    rows = [row for row in rows if any(one.strip() for one in row)]
    if len(rows) > MOST_ROWS:
        warnings += (f"Only the first {MOST_ROWS} rows were read.",)
    if any(len(row) > MOST_COLUMNS for row in rows):
        warnings += (f"Only the first {MOST_COLUMNS} columns were read.",)
    return Extracted(text=table(row[:MOST_COLUMNS] for row in rows[:MOST_ROWS]), warnings=warnings)


def _delimiter(text: str) -> str:
    """Return what parts the first lines into most fields, the same number in each if there is one that does."""
    lines = list(islice((line for line in text.splitlines() if line.strip()), _LINES_LOOKED_AT))
    best, found = (False, 0), ","
    for delimiter in _DELIMITERS:
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)] or [1]
        even = len(set(counts)) == 1 and counts[0] > 1
        if (even, counts[0]) > best and max(counts) > 1:
            best, found = (even, counts[0]), delimiter
    return found
