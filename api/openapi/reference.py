"""The document as a text for people, in Markdown: `docs/reference/api.md`, and what `page` shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from api.openapi.kinds import code, kind
from api.openapi.refusals import ERROR

Json = dict[str, Any]
# Whose data a request is about: the same in every route, so it takes one line there.
SCOPE = frozenset("container_tag container_tags user_id agent_id session_id".split())
FIELDS = "| field | type | meaning |\n|---|---|---|\n"
# What every route may answer is said once.
EVERYWHERE = "[what every route may refuse](#refusals)"
TITLES = {"openapi": "OpenAPI"}
BLANKS = re.compile(r"\n{3,}")
CONTRACT = "The same as an OpenAPI 3.1 document: `GET /v1/openapi.json`."


def reference(document: Json) -> str:
    """Return everything that a document says."""
    return BLANKS.sub("\n\n", "\n".join(_blocks(document))).rstrip() + "\n"


def _blocks(document: Json) -> Iterator[str]:
    yield f"{document['info']['description']} {CONTRACT}\n"
    routes = [
        (path, method.upper(), told) for path, methods in document["paths"].items() for method, told in methods.items()
    ]
    always = set.intersection(*(_refused(told) for *_, told in routes)) if routes else set()
    by_tag: dict[str, list[str]] = {}
    for path, method, told in routes:
        by_tag.setdefault(told["tags"][0], []).append("\n".join(_route(path, method, told, document, always)))
    for tag in document["tags"]:
        if tag["name"] in by_tag:
            yield f"## {_subject(tag['name'])}\n\n{tag['description']}\n"
            yield from by_tag[tag["name"]]
    yield from _common(document, always)
    yield "## Schemas\n\nWhat answers and fields are made of.\n"
    for name in sorted(_nested(document)):
        schema = document["components"]["schemas"][name]
        yield f"### Schema `{name}`\n\n{schema.get('description', '')}\n\n{_fields(schema)}"


def _subject(tag: str) -> str:
    return TITLES.get(tag, tag.replace("_", " ").capitalize())


def _refused(told: Json) -> set[str]:
    return {status for status, answer in told["responses"].items() if "$ref" in answer}


def _route(path: str, method: str, told: Json, document: Json, always: Set[str]) -> Iterator[str]:
    yield f"### `{method} {path}`\n\n{told['summary']}."
    if "description" in told:
        yield f"\n{told['description']}"
    asked = [one for one in told["parameters"] if "name" in one]
    if asked:
        yield "\n" + FIELDS + "".join(_parameter(one, path) for one in _without_scope(asked)) + _scope_row(asked)
    yield from _body(told, document)
    headers = [one["$ref"].rpartition("/")[2] for one in told["parameters"] if "$ref" in one]
    yield f"\nHeaders: {', '.join(map(code, headers))}."
    yield from _answers(told["responses"], always)


def _body(told: Json, document: Json) -> Iterator[str]:
    if "requestBody" not in told:
        return
    needed = "" if told["requestBody"]["required"] else "; it may be left out"
    for media, body in told["requestBody"]["content"].items():
        yield f"\nBody, `{media}`{needed}:\n"
        for schema in _parts(body["schema"], document):
            yield _fields(schema)
        if "example" in body:
            yield _example(body["example"])


def _parts(schema: Json, document: Json) -> Iterator[Json]:
    """Yield the objects that a body is made of."""
    if "$ref" in schema:
        yield document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    else:
        yield schema


def _answers(responses: Mapping[str, Json], always: Set[str]) -> Iterator[str]:
    for status, answer in responses.items():
        if "$ref" in answer:
            continue
        kinds = [f"{kind(body['schema'])} as `{media}`" for media, body in answer.get("content", {}).items()]
        yield f"\n**{status}** {answer['description']}{' ' + '; '.join(kinds) + '.' if kinds else ''}"
    refusals = [_link(status) for status, answer in responses.items() if "$ref" in answer and status not in always]
    yield f"\nElse: {', '.join((*refusals, EVERYWHERE))}.\n"
    examples = [
        body["example"]
        for answer in responses.values()
        for body in answer.get("content", {}).values()
        if "example" in body
    ]
    if examples:
        yield _example(examples[0])


def _link(status: str) -> str:
    return f"[{status}](#{'unchanged' if status == '304' else f'status-{status}'})"


def _common(document: Json, always: Set[str]) -> Iterator[str]:
    parts = document["components"]
    yield "## Headers\n\n| header | of | meaning |\n|---|---|---|"
    for name, one in parts["parameters"].items():
        yield f"| `{name}` | requests | {_cell(one['description'])} |"
    for name, one in parts["headers"].items():
        yield f"| `{name}` | answers | {_cell(one['description'])} |"
    yield "\n## Unchanged\n\n304 without a body: what the caller has, and named in `If-None-Match`, still holds.\n"
    everywhere = ", ".join(map(_link, sorted(always)))
    yield f"## Refusals\n\n{ERROR['description']} Every route may answer {everywhere}.\n\n{_fields(ERROR)}"
    for answer in parts["responses"].values():
        for media in answer.get("content", {}).values():
            codes = media["schema"]["properties"]["code"]["enum"]
            status = answer["x-status"]
            yield f"### Status {status}\n\n{answer['description']}\n\n{_example(media['examples'][codes[0]]['value'])}"


def _fields(schema: Json) -> str:
    properties = schema.get("properties", {})
    if not properties:
        return "No fields.\n"
    rows = [
        {"name": name, "schema": field, "required": name in schema.get("required", ())}
        for name, field in properties.items()
    ]
    return FIELDS + "".join(map(_row, _without_scope(rows))) + _scope_row(rows)


def _without_scope(rows: list[Json]) -> list[Json]:
    """Return what is said one by one, first what is required."""
    left = [one for one in rows if not _is_scope(rows) or _snake(one["name"]) not in SCOPE]
    return sorted(left, key=lambda one: not one["required"])


def _is_scope(rows: list[Json]) -> bool:
    return {_snake(one["name"]) for one in rows} >= SCOPE


def _scope_row(rows: list[Json]) -> str:
    names = ", ".join(code(one["name"]) for one in rows if _snake(one["name"]) in SCOPE)
    return f"| {names} | | whose data, as of every request |\n" if _is_scope(rows) else ""


def _parameter(one: Json, path: str) -> str:
    told = {**one, "schema": {**one["schema"], "description": one["description"]}}
    return _row(told, of_path=f"{{{one['name']}}}" in path and one["in"] == "path")


def _row(one: Json, *, of_path: bool = False) -> str:
    schema = one["schema"]
    kinds = kind(schema, null=one["required"])
    default = f"; {code(schema['default'])} when left out" if "default" in schema else ""
    needed = " (in the address)" if of_path else " (required)" if one["required"] else ""
    return f"| `{one['name']}`{needed} | {_cell(kinds + default)} | {_cell(schema.get('description', ''))} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _example(value: Any) -> str:
    return f"\n```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```\n"


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _nested(document: Json) -> set[str]:
    """Return the schemas that are named somewhere: not those that a route spells out itself."""
    schemas = document["components"]["schemas"]
    routes = [told for methods in document["paths"].values() for told in methods.values()]
    waiting = {name for told in routes for name in _names(told["responses"])}
    for told in routes:
        for body in told.get("requestBody", {}).get("content", {}).values():
            for part in _parts(body["schema"], document):
                waiting |= set(_names(part.get("properties", {})))
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= set(_names(schemas[name])) - found
    return found


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        place = value.get("$ref")
        if isinstance(place, str) and place.startswith("#/components/schemas/"):
            yield place.rpartition("/")[2]
        for inner in value.values():
            yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)
