"""Answers with somebody's file: to be saved and never shown or run in the place of this service's own pages."""

from __future__ import annotations

import re
from typing import Protocol
from urllib.parse import quote

from flask import Response

_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._ -]")
UNKNOWN = "application/octet-stream"


class Kept(Protocol):
    """A file that is kept."""

    @property
    def name(self) -> str | None:
        """Its own name."""
        ...

    @property
    def media_type(self) -> str | None:
        """Its media type, as declared."""
        ...

    @property
    def body(self) -> bytes | None:
        """Its bytes."""
        ...


def attachment(file: Kept) -> Response:
    """Return a file as an answer that a browser saves, sandboxed should it be shown all the same."""
    response = Response(file.body or b"", status=200)
    declared = (file.media_type or "").split(";")[0].strip()
    response.headers["Content-Type"] = declared if _MEDIA_TYPE.fullmatch(declared) else UNKNOWN
    response.headers["Content-Disposition"] = disposition(file.name or "file")
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def disposition(name: str) -> str:
    """Return the header that has a file saved under its name, in both spellings that clients read."""
    return f"attachment; filename=\"{_UNSAFE.sub('_', name)}\"; filename*=UTF-8''{quote(name, safe='')}"
