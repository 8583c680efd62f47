"""The parts of the document that every route shares: what it is, headers, and how a caller says who it is."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
INFO: Json = {
    "title": "Memlane",
    "version": "1",
    "description": (
        "Long-term memory for AI agents. `/v3` and `/v4` are Supermemory's dialect in camelCase, `/v1` is snake_case. "
        "A request may use either spelling of a name, an answer has that of its plane. In a body `null` is the same as "
        "leaving a field out, and a name that is not listed is refused. Later versions may add fields to answers."
    ),
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
}
SECURITY: Json = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key (`mlk_...`). A server that listens on loopback needs none from its own machine.",
    },
    "admin_key": {
        "type": "http",
        "scheme": "bearer",
        "description": "The admin key (`mla_...`), which is printed at the first start and opens no data.",
    },
    "id_token": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "An OpenID Connect ID token of the configured issuer, for people.",
    },
}
OF_EVERY_ANSWER = ("X-Request-Id", "RateLimit-Policy", "RateLimit")
REQUEST_ID: Json = {"type": "string", "maxLength": 64, "pattern": "^[A-Za-z0-9._-]{1,64}$"}
PARAMETERS: Json = {
    "X-Request-Id": {
        "name": "X-Request-Id",
        "in": "header",
        "description": "The id of this request in the answer and in the log; one is made when none is sent.",
        "schema": REQUEST_ID,
    },
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "description": "The `ETag` of an answer that the caller has: when it still holds, 304 and no body.",
        "schema": {"type": "string"},
    },
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The same key with the same body answers as the first time and does nothing.",
        "schema": {"type": "string", "maxLength": 255, "pattern": "^[!-~]{1,255}$"},
    },
}
# A header with `required` is on every such answer.
HEADERS: Json = {
    "X-Request-Id": {"description": "The id of the request, also in the log.", "required": True, "schema": REQUEST_ID},
    "RateLimit-Policy": {
        "description": "How often this caller may ask: the quota `q` in a window of `w` seconds.",
        "schema": {"type": "string", "examples": ['"key";q=200;w=4']},
    },
    "RateLimit": {
        "description": "What is left of it: `r` requests now, all of them after `t` seconds.",
        "schema": {"type": "string", "examples": ['"key";r=199;t=1']},
    },
    "ETag": {"description": "Names this answer; send it as `If-None-Match`.", "schema": {"type": "string"}},
    "Retry-After": {
        "description": "Seconds after which it may be tried again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
    },
    "WWW-Authenticate": {"description": "How to say who calls.", "required": True, "schema": {"type": "string"}},
}


def headers(*more: str) -> Json:
    """Return the headers of an answer, where the document has them.

    Args:
        *more: beside those that every answer has.
    """
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*OF_EVERY_ANSWER, *more)}


def security(rule: str, *, is_open: bool) -> list[Json]:
    """Return how a caller may say who it is; nothing is enough for the person at the machine of the server.

    Args:
        rule: the address of the route.
        is_open: whether nothing is enough for everybody.
    """
    key = "admin_key" if rule.startswith("/v1/admin/") else "key"
    said: list[Json] = [{key: []}, {"id_token": []}]
    return [{}, *said] if is_open else [*said, {}]
