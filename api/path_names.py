"""Names in addresses: one that was percent-encoded comes back exactly as it was, slashes and percent signs too.

WSGI hands out a decoded path, in which `a%2Fb` and `a/b` are the same. So the path that is routed keeps these two
characters encoded, and each placeholder decodes what it has matched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from flask import Flask
from werkzeug.routing import PathConverter, UnicodeConverter

from memory.errors import NotFound

# An encoded slash or percent sign.
_KEPT = re.compile(r"%(2[fF5])")
_WHOLE = re.compile(r"[0-9]{1,9}")


class NameConverter(UnicodeConverter):
    """One step of an address, decoded."""

    def to_python(self, value: str) -> str:
        """Return the name that a step stands for."""
        return unquote(str(super().to_python(value)))


class PathNameConverter(PathConverter):
    """Several steps of an address, decoded: for names in which a client may leave slashes as they are."""

    def to_python(self, value: str) -> str:
        """Return the name that the steps stand for."""
        return unquote(str(super().to_python(value)))


class WholeConverter(NameConverter):
    """One step of an address that is a number; which it is, is for the view to ask, of a caller who may know."""


def whole(text: str) -> int:
    """Return the number that a step of an address is.

    Raises:
        NotFound: it is none, or a longer one than anything here has.
    """
    if not _WHOLE.fullmatch(text):
        raise NotFound("There is nothing by that number.")
    return int(text)


class EncodedSteps:
    """Keeps encoded slashes and percent signs of a path encoded."""

    def __init__(self, app: Any) -> None:
        """Keep the application that is served.

        Args:
            app: WSGI.
        """
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve a request."""
        address = environ.get("REQUEST_URI") or environ.get("RAW_URI") or ""
        environ["PATH_INFO"] = routed(address, environ.get("PATH_INFO", ""))
        answer: Iterable[bytes] = self._app(environ, start_response)
        return answer


def routed(address: str, decoded: str) -> str:
    """Return the path as it is routed, in WSGI's spelling of bytes as text.

    Args:
        address: as it was sent, with or without scheme and query; empty when the server does not tell.
        decoded: the path of it, without its percent signs.
    """
    if not address:
        return decoded.replace("%", "%25")  # of this server the two cannot be told apart
    path = path_of(address)
    if "%" not in path:
        return decoded
    return unquote_to_bytes(_KEPT.sub(r"%25\1", path)).decode("latin-1")


def path_of(address: str) -> str:
    """Return the path of an address as it was sent."""
    return urlsplit(address).path if "://" in address else address.partition("?")[0].partition("#")[0]


def register(app: Flask) -> None:
    """Let an app read names in its addresses this way; before its routes are registered."""
    app.url_map.converters |= {
        "default": NameConverter, "string": NameConverter, "path": PathNameConverter, "whole": WholeConverter,
    }  # fmt: skip
    app.wsgi_app = EncodedSteps(app.wsgi_app)  # type: ignore[method-assign]
