"""JSON and JSON lines: flat records as a table, everything else as it is written, in a fence."""

from __future__ import annotations

import json
from typing import Any

from services.reading.encodings import decode
from services.reading.extracted import Extracted
from services.reading.kinds import JSON_LINES, Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean, fence, table

MOST_ROWS = 50_000
MOST_COLUMNS = 50
# A line longer than this is no line for a reader; the whole is written anew.
_LONGEST_LINE = 500


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return JSON; see `readers.read`."""
    decoded, warnings = decode(body, charset)
    text = clean(decoded).strip()
    try:
        value = _lines(text) if kind == JSON_LINES else json.loads(text)
    except (ValueError, RecursionError):
        return Extracted(text=fence(text) if text else "", warnings=(*warnings, "It is no valid JSON; kept as text."))
    rows = _records(value)
    if rows is not None:
        cut = (f"Only the first {MOST_ROWS} records were read.",) if len(value) > MOST_ROWS else ()
        return Extracted(text=table(rows), warnings=(*warnings, *cut))
    if max(map(len, text.splitlines()), default=0) > _LONGEST_LINE:
        text = "\n".join(_written(one) for one in value) if kind == JSON_LINES else _written(value)
    return Extracted(text=fence(text, "json"), warnings=warnings)


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _records(value: Any) -> list[list[str]] | None:
    """Return a list of flat objects as rows below their names; None for anything else."""
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        return None
    names = list(dict.fromkeys(name for one in value[:MOST_ROWS] for name in one))
    flat = all(not isinstance(inner, dict | list) for one in value for inner in one.values())
    if not flat or not names or len(names) > MOST_COLUMNS:
        return None
    return [names, *([_shown(one.get(name)) for name in names] for one in value[:MOST_ROWS])]


def _shown(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
