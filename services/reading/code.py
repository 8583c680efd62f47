"""Source code: a fence with its language."""

from __future__ import annotations

from services.reading.encodings import decode
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean, fence


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return source code in a fence; see `readers.read`."""
    text, warnings = decode(body, charset)
    text = clean(text)
    return Extracted(text=fence(text, kind.language or "") if text.strip() else "", warnings=warnings)
