"""Examples of answers, made of the schema: what a name looks like stands here once, the rest follows from its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.alias_generators import to_snake

Json = dict[str, Any]
MOMENT = "2026-05-04T07:30:00Z"
TEXT = "Ana lives in Oslo."
# By name in snake_case; the same in camelCase. Of a name that is of several types the value is taken where it fits.
LOOKS: Mapping[str, Any] = {
    "memory": TEXT, "statement": TEXT, "text": TEXT, "content": TEXT, "quote": "I moved to Oslo.", "chunk": TEXT,
    "answer": "Ana lives in Oslo [1].", "context": "[1] 4 May 2026, Ana: I moved to Oslo.", "speaker": "Ana",
    "title": "Crane 4", "custom_id": "crane-4", "container_tag": "home", "container_tags": ["home"], "space": "home",
    "name": "home", "status": "done", "confidence": 0.9, "similarity": 0.82, "score": 0.82, "timing": 12.4,
    "kind": "fact", "role": "user", "summary": "1 memory forgotten.", "conversation_id": "c-1", "model": "minilm",
    "current_page": 1, "limit": 50, "total_items": 1, "total_pages": 1, "total": 1, "count": 1, "version": 1,
    "warning": "The broker cannot be reached; the work starts when it is back.", "node": "local",
    "state": "done", "description": "What people eat", "key": "food", "budget": 2000, "tokens": 12,
}  # fmt: skip
# What may be missing and is shown all the same.
SHOWN = ("memory", "jobId")
# How ids begin, by what they are of.
PREFIXES: Mapping[str, str] = {
    "document": "doc", "memory": "mem", "root": "mem", "parent": "mem", "job": "job", "chunk": "chk",
    "conflict": "con", "decision": "dec", "calibration": "cal", "session": "ses", "episode": "ep", "erasure": "ers",
    "receipt": "ers", "key": "key", "accepted": "doc", "deletion": "del", "member": "mbr", "import": "imp",
    "merge": "mrg",
}  # fmt: skip
# Times that most things do not have.
OPEN_ENDED = (
    "retired",
    "valid_to",
    "forget",
    "resolved",
    "revoked",
    "disabled",
    "paused",
    "expires",
    "erased",
    "labelled",
)
# Schemas that refer to themselves end here.
DEEPEST = 6


def example(schema: Json, schemas: Mapping[str, Json], *, name: str = "", depth: int = 0) -> Any:
    """Return a value that fits a schema: every field that is always there, and the rest as they look.

    Args:
        schema: of the value.
        schemas: what it may refer to, by name.
        name: of the field whose value it is.
        depth: how deep it stands.
    """
    if schema.get("examples"):
        return schema["examples"][0]
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "$ref" in schema:
        owner = schema["$ref"].rpartition("/")[2]
        return example(schemas[owner], schemas, name=owner, depth=depth)
    if "anyOf" in schema:
        return example(schema["anyOf"][0], schemas, name=name, depth=depth)
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, schemas, name, depth)
    if kind == "array":
        found = LOOKS.get(to_snake(name))
        return found if isinstance(found, list) else [example(schema["items"], schemas, depth=depth + 1)]
    return _plain(schema, name)


def _object(schema: Json, schemas: Mapping[str, Json], owner: str, depth: int) -> Json:
    if depth > DEEPEST:
        return {}
    shown = {*schema.get("required", ()), *SHOWN}
    return {
        field: example(inner, schemas, name=f"{owner}_id" if field == "id" else field, depth=depth + 1)
        for field, inner in schema.get("properties", {}).items()
        if field in shown
    }


def _plain(schema: Json, name: str) -> Any:
    kinds = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
    looks = LOOKS.get(to_snake(name), _id(name) if "string" in kinds else None)
    if looks is not None and _fits(looks, kinds):
        return looks
    if schema.get("format") == "date-time" and not to_snake(name).startswith(OPEN_ENDED):
        return MOMENT
    if "null" in kinds:
        return None
    return {"string": "...", "integer": 0, "number": 0.5, "boolean": False}.get(kinds[0] or "")


def _id(name: str) -> str | None:
    """Return an id that begins with what it is of; None for a name that is no id's."""
    snake = to_snake(name)
    if not snake.endswith("_id"):
        return None
    prefix = next((short for noun, short in PREFIXES.items() if noun in snake), "mem")
    return f"{prefix}_01JZ5M0T3N"


def _fits(value: Any, kinds: list[Any]) -> bool:
    kind = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}[type(value)]
    return kind in kinds or (kind == "integer" and "number" in kinds)
