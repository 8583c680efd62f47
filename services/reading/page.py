"""HTML and XHTML that was sent as a file."""

from __future__ import annotations

import re

from services.reading.extracted import Extracted
from services.reading.html import to_markdown
from services.reading.kinds import Kind
from services.reading.limits import ReadingLimits

# Entities of one's own are declared in it. A reader of HTML knows none, and takes the rest of it for text.
_INTERNAL_DTD = re.compile(rb"<!DOCTYPE[^>\[]{0,1000}\[.*?\]\s*>", re.I | re.S)
# It stands in front of the root element.
_HEAD_BYTES = 16 * 1024


def read(body: bytes, kind: Kind, *, charset: str | None, limits: ReadingLimits) -> Extracted:
    """Return a page; see `readers.read`."""
    head = _INTERNAL_DTD.sub(b"<!DOCTYPE html>", body[:_HEAD_BYTES], count=1)
    return to_markdown(head + body[_HEAD_BYTES:], declared_charset=charset)
