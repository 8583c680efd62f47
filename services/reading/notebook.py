"""Jupyter notebooks: their text, their code in fences, and what the code printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from services.reading import json_text
from services.reading.encodings import decode
from services.reading.extracted import Extracted
from services.reading.kinds import JSON, Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import fence, tidy

# Of one cell; a longer print is a log.
_MOST_OUTPUT_CHARS = 5_000


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a notebook; see `readers.read`."""
    text, warnings = decode(body, charset)
    try:
        book = json.loads(text)
        cells = book["cells"]
        language = str(book.get("metadata", {}).get("kernelspec", {}).get("language") or "python")
        blocks = [block for one in cells for block in _cell(one, language)]
    except (ValueError, KeyError, TypeError, AttributeError):
        return json_text.read(body, JSON, charset=charset, limits=limits)
    return Extracted(text=tidy("\n\n".join(filter(None, blocks))), warnings=warnings)


def _cell(cell: Any, language: str) -> Iterator[str]:
    source = _joined(cell.get("source", ""))
    if cell.get("cell_type") == "code":
        yield fence(source, language) if source.strip() else ""
        for output in cell.get("outputs", ()):
            printed = _joined(output.get("text") or output.get("data", {}).get("text/plain") or "")
            yield fence(printed[:_MOST_OUTPUT_CHARS]) if printed.strip() else ""
    else:
        yield source


def _joined(lines: Any) -> str:
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines)
