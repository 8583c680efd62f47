"""The type of a value in a few words of Markdown, from its JSON schema."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]
WORDS = {
    "string": "text", "integer": "whole number", "number": "number", "boolean": "`true` or `false`", "null": "null",
    "object": "object", "array": "list",
}  # fmt: skip
# How long a time is in characters, and how large as a number, tells nobody anything.
TIMES = {"date-time": "time", "date": "date"}


def kind(schema: Json, *, null: bool = True) -> str:
    """Return what a value may be.

    Args:
        schema: of the value.
        null: whether it is said that it may be null.
    """
    said = _kind(schema)
    return said if null else said.replace(" or null", "")


def _kind(schema: Json) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#schema-{name.lower()})"
    if "const" in schema:
        return code(schema["const"])
    if "enum" in schema:
        return ", ".join(map(code, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " or ".join(_one({**schema, "type": one}) for one in kinds)
    return _one(schema)


def code(value: Any) -> str:
    """Return a value as code."""
    return f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}`"


def _one(schema: Json) -> str:
    kind = schema.get("type")
    if kind == "array":
        entries = _range(schema, "minItems", "maxItems", " entries") or _set(schema, "x-max-items", "entries")
        return f"list of {_kind(schema['items'])}{entries}"
    if kind == "string":
        if schema.get("format") in TIMES:
            return TIMES[schema["format"]]
        return "text" + (_range(schema, "", "maxLength", " characters") or _set(schema, "x-max-length", "characters"))
    if schema.get("format") == "epoch":
        return "number"
    if kind in ("integer", "number"):
        return WORDS[kind] + _range(schema, "minimum", "maximum", "")
    inner = schema.get("additionalProperties")
    # Whatever may be stored is no type that says anything.
    if kind == "object" and isinstance(inner, dict) and "anyOf" not in inner:
        return f"object of {_kind(inner)} by name"
    return WORDS.get(str(kind), "any JSON")


def _set(schema: Json, name: str, unit: str) -> str:
    """Return the bound that a setting is; nothing when there is none."""
    return f", at most `{schema[name]}` {unit}" if name in schema else ""


def _range(schema: Json, low: str, high: str, unit: str) -> str:
    least, most = schema.get(low), schema.get(high)
    if most is not None and least is not None and low != "minItems":
        return f", {_number(least)} to {_number(most)}{unit}"
    if most is not None:
        return f", at most {_number(most)}{unit}"
    return f", at least {_number(least)}{unit}" if least and low == "minimum" else ""


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:.5f}".rstrip("0")
