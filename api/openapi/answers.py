"""What a route answers, by status: its bodies with an example of each, and the refusals of `refusals`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from api.answers.base import Media
from api.openapi import refusals
from api.openapi.examples import example
from api.openapi.parts import headers
from api.operations import Body, Operation

Json = dict[str, Any]
References = Mapping[type[BaseModel], Json]
JSON_TYPE = "application/json"
NOT_MODIFIED = "NotModified"
UNCHANGED: Json = {"description": "What the caller has still holds; no body.", "headers": headers("ETag")}


def answers(rule: str, method: str, said: Operation, references: References, schemas: Mapping[str, Json]) -> Json:
    """Return everything that a route may answer, by status.

    Args:
        rule: its address with the framework's placeholders.
        method: such as "GET".
        said: beside its view.
        references: how each model is referred to.
        schemas: of the document, by name.
    """
    refused = refusals.statuses(said, method=method, rule=rule)
    found: Json = {str(status): refusals.reference(status) for status in refused}
    for status, bodies in said.answers.items():
        # What a GET answers has a tag, whatever it is.
        more = ("ETag",) if method == "GET" and status == 200 else ()
        kinds = list(_bodies(bodies, references, refused=status in refused))
        found[str(status)] = {"description": _told(bodies), "headers": headers(*more), **_content(kinds, schemas)}
    if method == "GET":
        found["304"] = {"$ref": f"#/components/responses/{NOT_MODIFIED}"}
    return dict(sorted(found.items()))


def _bodies(bodies: tuple[Body, ...], references: References, *, refused: bool) -> Iterator[tuple[str, Json]]:
    """Yield media type and schema of each body; where a status is a refusal too, that is one more."""
    for one in bodies:
        if isinstance(one, Media):
            kind = "object" if one.type == JSON_TYPE else "string"
            yield one.type, {"type": kind, "description": one.description}
        elif one is not None:
            yield JSON_TYPE, references[one]
    if refused:
        yield JSON_TYPE, refusals.ERROR_PLACE


def _content(kinds: list[tuple[str, Json]], schemas: Mapping[str, Json]) -> Json:
    """Return bodies by media type; those of one type are alternatives."""
    content: Json = {}
    for kind in dict.fromkeys(kind for kind, _ in kinds):
        found = [schema for one, schema in kinds if one == kind]
        content[kind] = {"schema": found[0] if len(found) == 1 else {"anyOf": found}}
        if "$ref" in found[0]:
            content[kind]["example"] = example(found[0], schemas)
    return {"content": content} if content else {}


def _told(bodies: tuple[Body, ...]) -> str:
    told = (one.description if isinstance(one, Media) else (one.__doc__ or "").strip() for one in bodies if one)
    return " Or: ".join(told) or "Done; there is nothing to tell."
