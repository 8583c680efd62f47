"""HTML and XHTML that was sent as a file."""

from __future__ import annotations

from services.reading.extracted import Extracted
from services.reading.html import to_markdown
from services.reading.kinds import XHTML, Kind
from services.reading.limits import ReadingLimits


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a page; see `readers.read`."""
    return to_markdown(body, declared_charset=charset, is_xml=kind == XHTML)
