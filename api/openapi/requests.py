"""What a request carries: parameters of the address, the query string and headers, and the body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from api.openapi.words import path_meaning
from api.operations import Operation

Json = dict[str, Any]
WHOLE: Json = {"type": "integer", "minimum": 0, "maximum": 999_999_999}  # of `api/path_names.py`
PLACEHOLDER = re.compile(r"<(?:(\w+):)?(\w+)>")


def described_parameters(rule: str, said: Operation, asked: Json | None, *, tagged: bool) -> list[Json]:
    """Return what a route takes outside of a body.

    Args:
        rule: its address with the framework's placeholders.
        said: beside its view.
        asked: the schema of its query string; None when it takes none.
        tagged: whether its answer has an ETag.
    """
    own = {"If-None-Match": tagged, "Idempotency-Key": said.idempotent}
    named = ("X-Request-Id", *(name for name, taken in own.items() if taken))
    return [
        *(_in_path(kind, name) for kind, name in PLACEHOLDER.findall(rule)),
        *(_in_query(asked) if asked else ()),
        *({"$ref": f"#/components/parameters/{name}"} for name in named),
    ]


def request_body(said: Operation, references: dict[type[BaseModel], Json], schemas: Json) -> Json | None:
    """Return what a route takes as its body; None when it takes none."""
    if said.upload:
        sent = {"type": "string", "contentMediaType": said.upload.type, "description": said.upload.description}
        return {"required": True, "content": {said.upload.type: {"schema": sent}}}
    model = said.form or said.body
    if model is None:
        return None
    schema = _with_file(schemas[named(references[model])], said.file) if said.form and said.file else references[model]
    content = {"schema": schema, **({"example": dict(said.example)} if said.example is not None else {})}
    kind = "multipart/form-data" if said.form else "application/json"
    return {"required": not said.body_optional, "content": {kind: content}}


def named(reference: Json) -> str:
    """Return the name of the schema that is referred to."""
    return str(reference["$ref"].rpartition("/")[2])


def _with_file(form: Json, name: str) -> Json:
    """Return the schema of a form with the part that carries a file."""
    part = {"type": "string", "format": "binary", "description": "The file, with its name."}
    required = [name, *form.get("required", ())]
    return {**form, "properties": {name: part, **form.get("properties", {})}, "required": required}


def _in_path(kind: str, name: str) -> Json:
    name = "id" if name == "ref" else name
    schema: Json = WHOLE if kind == "whole" else {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "description": path_meaning(name), "schema": schema}


def _in_query(described: Json) -> Iterator[Json]:
    for name, field in described.get("properties", {}).items():
        schema = _without_null(field)
        told = schema.pop("description", "")
        yield {
            "name": name, "in": "query", "required": name in described.get("required", ()), "description": told,
            "schema": schema,
        }  # fmt: skip


def _without_null(field: Json) -> Json:
    """Return the schema of a parameter: text cannot be null."""
    kind = field.get("type")
    if isinstance(kind, list):
        left = [one for one in kind if one != "null"]
        return {**field, "type": left[0] if len(left) == 1 else left}
    if "anyOf" in field:
        kinds = [one for one in field["anyOf"] if one != {"type": "null"}]
        rest = {name: value for name, value in field.items() if name != "anyOf"}
        return {**kinds[0], **rest} if len(kinds) == 1 else {**field, "anyOf": kinds}
    return dict(field)
