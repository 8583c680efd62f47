"""One error shape, and the one table from error class to HTTP status.

    {"error": "<sentence for a person>", "code": "<stable word>", "details": {"field"?, "hint"?, ...}}

Every failure ends here, the framework's own (404, 405, 413) and the unforeseen (500) too. No answer carries a
traceback: the log has it, under the request id that the answer names.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response, g, jsonify, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, UnsupportedMediaType

from memory import errors as known
from memory.errors import MemlaneError

log = logging.getLogger("memlane.api")

# The status of a class is that of its nearest listed ancestor.
STATUS: Mapping[type[MemlaneError], int] = {
    known.InvalidInput: 400,
    known.TooLarge: 413,
    known.Unauthenticated: 401,
    known.Forbidden: 403,
    known.NotFound: 404,
    known.StateConflict: 409,
    known.RateLimited: 429,
    known.NotOffered: 501,
    known.Busy: 503,
    known.BrokerDown: 503,
    known.IssuerDown: 503,
    known.StoreError: 503,
    known.ModelError: 503,
    known.InputTooLong: 413,
    known.ModelRefused: 502,
    known.FetchFailed: 502,
    MemlaneError: 500,
}
# A writer that is stuck is mostly stuck for less; the sweeper's tick is of the same size.
RETRY_AFTER_SECONDS = 2

# Framework errors: code and sentence by status; what is not listed says what the framework says.
FRAMEWORK: Mapping[int, tuple[str, str]] = {
    400: ("invalid", "The request could not be read; check its line, headers and body."),
    404: ("no_route", "There is no such address; docs/reference/api.md lists them all."),
    405: ("method_not_allowed", "This address does not take that method; docs/reference/api.md lists which it takes."),
    408: ("too_slow", "The request was not sent to its end in time; send it again, in smaller parts."),
    413: ("too_large", "The request body is over the limit; send less at a time."),
    415: ("unsupported_media", "The body must be JSON; send `Content-Type: application/json`."),
    431: ("headers_too_large", "The request line and headers are over the limit; send shorter ones."),
    503: ("busy", "Too many requests wait at the moment; nothing was done, try again in a few seconds."),
    501: ("transfer_encoding", "That Transfer-Encoding is not taken; send `Content-Length`, or `chunked`."),
}
INTERNAL = ("internal", "Something went wrong here; the log has the details under this request id.")


def status_of(error: MemlaneError) -> int:
    """Return the HTTP status of an error."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def shape(error: str, code: str, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the error shape."""
    return {"error": error, "code": code, "details": dict(details or {})}


def answer_known(error: MemlaneError) -> Response:
    """Render an error of the tree, with Retry-After where trying again can help."""
    if isinstance(error, known.Pending):
        return _answer_pending(error)
    status = status_of(error)
    if status == 500:
        log.error("a request failed: %s", error, exc_info=error)
    response = jsonify(shape(error.message, error.code, error.details))
    response.status_code = status
    if status in (429, 503):
        wait = error.details.get("retry_after", RETRY_AFTER_SECONDS)
        response.headers["Retry-After"] = str(math.ceil(wait))
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if status in (409, 501):
        # Supermemory's clients try every 409 and 5xx again but for this.
        response.headers["X-Should-Retry"] = "false"
    return response


def _answer_pending(error: known.Pending) -> Response:
    response = jsonify({"id": error.details.get("id"), "status": "pending", "warning": error.message})
    response.status_code = 202
    return response


def answer_framework(error: HTTPException) -> Response:
    """Render what the framework refuses: no such route, wrong method, body over the limit, wrong media type."""
    status = error.code or 500
    code, sentence = FRAMEWORK.get(status, (f"http_{status}", error.description or error.name))
    if isinstance(error, UnsupportedMediaType) and error.description != UnsupportedMediaType.description:
        # A route that takes something else than JSON says what.
        sentence = error.description or sentence
    details = {"method": request.method, "path": request.path} if status in (404, 405) else {"field": "body"}
    response = jsonify(shape(sentence, code, details))
    response.status_code = status
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def answer_unforeseen(error: Exception) -> Response:
    """Render a failure nobody foresaw; its traceback goes to the log only."""
    log.error("a request failed: %s", type(error).__name__, exc_info=error)
    response = jsonify(shape(INTERNAL[1], INTERNAL[0], {"request_id": g.get("request_id", "-")}))
    response.status_code = 500
    return response


def register(app: Flask) -> None:
    """Send every failure of an app through this module."""
    app.register_error_handler(MemlaneError, answer_known)
    app.register_error_handler(HTTPException, answer_framework)
    app.register_error_handler(Exception, answer_unforeseen)
