"""Text and Markdown, in whichever encoding."""

from __future__ import annotations

from services.reading.encodings import decode
from services.reading.extracted import Extracted
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits
from services.reading.markdown import clean


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a text as it is; see `readers.read`."""
    text, warnings = decode(body, charset)
    return Extracted(text=clean(text), warnings=warnings)
