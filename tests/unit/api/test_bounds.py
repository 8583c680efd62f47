"""API-07: whatever may be sent is bounded: each number, text, list and object of a request in the OpenAPI document."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from api.openapi.bare import bare_app
from api.openapi.document import document
from memory.settings import Settings
from tests.shape import assert_refused

Json = dict[str, Any]
MADE = document(bare_app())
SETTINGS = {f"MEMLANE_{one.name.upper()}" for one in fields(Settings)}
# What bounds a value of a kind; a setting where it is for whoever runs the server to say.
BOUNDS = {
    "integer": ({"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}),
    "number": ({"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}),
    "string": ({"maxLength", "x-max-length"},),
    "array": ({"maxItems", "x-max-items"},),
    "object": ({"maxProperties", "properties"},),
}
# Bounded by the size of the whole: an id and a tag by that of the head, a file and an import by that of the body; and a
# number that is kept as it is, by what a number is.
EXCEPTIONS = {
    "path parameter": "string", "If-None-Match": "string", "multipart/form-data.file": "string",
    "application/x-ndjson": "string", "etadata.*": "number",
}  # fmt: skip


def resolved(schema: Json) -> Json:
    found = MADE
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found


def leaves(schema: Json, where: str, seen: tuple[str, ...] = ()) -> Iterator[tuple[str, str, Json]]:
    """Return every place of a schema with a kind of value that may stand there."""
    if "$ref" in schema:
        if schema["$ref"] not in seen:
            yield from leaves(resolved(schema), where, (*seen, schema["$ref"]))
        return
    for joined in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(joined, ()):
            yield from leaves(one, where, seen)
    if "enum" in schema or "const" in schema:
        return
    kinds = schema.get("type", [] if schema.keys() & {"anyOf", "oneOf", "allOf"} else "anything")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        yield where, kind, schema
    for name, inner in schema.get("properties", {}).items():
        yield from leaves(inner, f"{where}.{name}", seen)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from leaves(schema["additionalProperties"], f"{where}.*", seen)
    if "items" in schema:
        yield from leaves(schema["items"], f"{where}[]", seen)


def sent(path: str, method: str, said: Json) -> Iterator[tuple[str, str, Json]]:
    """Return every place of a request."""
    for parameter in said.get("parameters", ()):
        told = resolved(parameter) if "$ref" in parameter else parameter
        where = "path parameter" if told["in"] == "path" else told["name"]
        yield from leaves(told["schema"], where)
    for kind, content in said.get("requestBody", {}).get("content", {}).items():
        yield from leaves(content["schema"], kind)


def is_bounded(where: str, kind: str, schema: Json) -> bool:
    if kind in ("boolean", "null"):
        return True
    named = {schema[one] for one in ("x-max-length", "x-max-items") if one in schema}
    assert named <= SETTINGS, where
    return kind in BOUNDS and all(needed & schema.keys() for needed in BOUNDS[kind])


ROUTES = [(path, method) for path, routes in MADE["paths"].items() for method in routes]


@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_everything_that_is_sent_has_a_largest(path, method):
    found = [one for one in sent(path, method, MADE["paths"][path][method]) if not is_bounded(*one)]
    stated = [
        one for one in found if any(one[0].endswith(where) and one[1] == kind for where, kind in EXCEPTIONS.items())
    ]
    assert [one for one in found if one not in stated] == []


def test_every_exception_is_one():
    found = [one for path, method in ROUTES for one in sent(path, method, MADE["paths"][path][method])]
    unbounded = [(where, kind) for where, kind, schema in found if not is_bounded(where, kind, schema)]
    for exception, kind in EXCEPTIONS.items():
        assert any(where.endswith(exception) and kind == of for where, of in unbounded), exception


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/context", {"query": "a", "budget": 2**63 + 1}, "budget"),
        ("/v1/context", {"query": "a", "sections": ["turns"] * 7}, "sections"),
        ("/v1/context/scratchpad", {"session_id": "s", "content": "a", "ttl_seconds": 1e9}, "ttl_seconds"),
        ("/v4/profile", {"include": ["static"] * 4}, "include"),
        ("/v4/profile", {"buckets": ["a"] * 21}, "buckets"),
        ("/v4/profile", {"buckets": ["a" * 65]}, "buckets[0]"),
        ("/v4/search", {"q": "a", "asOf": "2026-05-04" + " " * 100}, "asOf"),
        ("/v4/search", {"q": "a", "asOf": 1e15}, "asOf"),
        ("/v4/search", {"q": "a", "timeZone": "E" * 65}, "timeZone"),
        ("/v4/search", {"q": "a", "filters": " " * 65_537}, "filters"),
        ("/v3/search", {"q": "a", "categoriesFilter": ["a"]}, "categoriesFilter"),
        ("/v1/memory/search", {"query": "a", "vector": {"distance": 2}}, "vector.distance"),
    ],
)
def test_what_is_over_its_largest_is_refused_by_name(client, path, body, field):
    assert_refused(client.post(path, json=body), 400, field=field)


def test_too_many_calls_of_tools_are_refused(client):
    calls = [{"function": {"name": "weigh"}}] * 1001
    sent = {"conversationId": "c", "messages": [{"role": "assistant", "toolCalls": calls}]}
    answer = client.post("/v4/conversations", json=sent)
    assert answer.status_code == 400
    assert answer.get_json()["details"]["field"] == "messages[0].tool_calls"
