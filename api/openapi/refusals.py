"""Which refusals a route may answer with: by rule from what it takes, by status with every code of that status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from api.errors import FRAMEWORK, INTERNAL, status_of
from api.openapi.parts import headers
from api.operations import Operation
from memory import errors as known
from memory.errors import MemlaneError

Json = dict[str, Any]
ERROR: Json = {
    "type": "object",
    "description": "The one shape of every refusal.",
    "required": ["error", "code", "details"],
    "properties": {
        "error": {"type": "string", "description": "A sentence for a person; it may change."},
        "code": {"type": "string", "description": "A stable word for a program."},
        "details": {
            "type": "object",
            "description": "May be empty. `field` names the part of the request that is wrong, `hint` what may help.",
        },
    },
    "additionalProperties": False,
}
# Any route: a parameter nobody knows, no key, another space, sent too slowly, asked too often, too long headers, our
# fault, a part that is away.
ALWAYS = (400, 401, 403, 408, 429, 431, 500, 503)
OF_BODIES = (413, 415, 501)
# What a status is called in the document.
NAMES: Mapping[int, str] = {
    400: "Invalid", 401: "Unauthenticated", 403: "Forbidden", 404: "NotFound", 405: "MethodNotAllowed",
    408: "TooSlow", 409: "Conflict", 413: "TooLarge", 415: "UnsupportedMedia", 422: "Unreadable",
    429: "TooManyRequests", 431: "HeadersTooLarge", 500: "Internal", 501: "NotBuilt", 502: "ModelRefused",
    503: "Unavailable", 504: "TooLong",
}  # fmt: skip
RETRYABLE = (429, 503)
ERROR_PLACE: Json = {"$ref": "#/components/schemas/Error"}


def statuses(said: Operation, *, method: str, rule: str) -> tuple[int, ...]:
    """Return the statuses with which a route may refuse.

    Args:
        said: what the route takes.
        method: such as "GET".
        rule: of the route, with its placeholders.
    """
    found = {*ALWAYS, *said.errors}
    if said.body or said.form or said.upload:
        found.update(OF_BODIES)
    if "<" in rule:
        found.add(404)
    if said.changes if said.changes is not None else method != "GET":
        found.add(409)
    return tuple(sorted(found))


def responses() -> dict[str, Json]:
    """Return the refusals of every status, by the name of the status, as components of the document."""
    by_status: dict[int, dict[str, str]] = {}
    for code, (status, sentence) in codes().items():
        by_status.setdefault(status, {})[code] = sentence
    return {name_of(status): _response(status, found) for status, found in sorted(by_status.items()) if status >= 400}


def codes() -> dict[str, tuple[int, str]]:
    """Return every code with its status and what it says when nothing more precise is known."""
    framework = {code: (status, sentence) for status, (code, sentence) in FRAMEWORK.items()}
    ours = {one.code: (status_of(one()), one().message) for one in _family(MemlaneError)}
    return {**framework, INTERNAL[0]: (500, INTERNAL[1]), **ours}


def name_of(status: int) -> str:
    """Return what the refusals of a status are called in the document."""
    return NAMES.get(status, f"Status{status}")


def reference(status: int) -> Json:
    """Return where the document has the refusals of a status."""
    return {"$ref": f"#/components/responses/{name_of(status)}"}


def _family(base: type[MemlaneError]) -> Iterator[type[MemlaneError]]:
    if base.__module__ == known.__name__:
        yield base
    for child in base.__subclasses__():
        yield from _family(child)


def _response(status: int, found: Mapping[str, str]) -> Json:
    more = (*(("Retry-After",) if status in RETRYABLE else ()), *(("WWW-Authenticate",) if status == 401 else ()))
    listed = "\n".join(f"* `{code}`: {sentence}" for code, sentence in found.items())
    schema = {**ERROR_PLACE, "properties": {"code": {"enum": list(found)}}}
    examples = {code: {"value": _example(code, sentence)} for code, sentence in found.items()}
    content = {"application/json": {"schema": schema, "examples": examples}}
    return {"description": listed, "headers": headers(*more), "content": content, "x-status": status}


def _example(code: str, sentence: str) -> Json:
    return {"error": sentence, "code": code, "details": {}}
