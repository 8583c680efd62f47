"""JSON Schema of the models: those that validate requests, and those of answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from api.answers.base import CamelAnswer
from api.openapi.words import camelled, meaning
from api.schemas.fields import CamelFields, Fields

Json = dict[str, Any]
PLACE = "#/components/schemas/{model}"
# Of models that share a name, as pydantic tells them apart: they are called after their subject here.
LONG_NAME = re.compile(r"\bapi__\w+?__(\w+?)__(\w+)\b")
NULL: Json = {"type": "null"}
# What says something of a value and does not narrow it.
TOLD = frozenset(("description", "default", "examples"))


class Schemas(GenerateJsonSchema):
    """Without the titles that repeat a name, with the meaning of every name, null where null is read as absent."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: the name of a field is above it already."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Return the schema of what may be null, in the short form where there is one."""
        return _or_null(self.generate_inner(schema["schema"]))

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of a model."""
        made = super().model_schema(schema)
        made.pop("title", None)
        is_request = issubclass(schema["cls"], Fields)
        is_camel = issubclass(schema["cls"], CamelFields | CamelAnswer)
        required = made.get("required", ())
        for name, field in made.get("properties", {}).items():
            if not is_request or field.get("default", ...) is None:
                field.pop("default", None)
            if is_request and name not in required:
                field = _or_null(field)
            if said := meaning(name, asked=is_request):
                field.setdefault("description", camelled(said) if is_camel else said)
            made["properties"][name] = field
        return made


def components(models: Iterable[type[BaseModel]]) -> tuple[Json, dict[type[BaseModel], Json]]:
    """Return the schemas of models by name, and for each model how it is referred to."""
    ordered = sorted(set(models), key=lambda model: (model.__name__, model.__module__))
    wanted: list[Any] = [(model, "validation") for model in ordered]
    references, made = models_json_schema(wanted, ref_template=PLACE, schema_generator=Schemas)
    whole: Json = {"made": made.get("$defs", {}), "places": [references[model, "validation"] for model in ordered]}
    whole = json.loads(LONG_NAME.sub(lambda found: f"{found[1].title()}{found[2]}", json.dumps(whole)))
    return whole["made"], dict(zip(ordered, whole["places"], strict=True))


def _or_null(field: Json) -> Json:
    """Let null stand where a schema does not let it yet."""
    kind = field.get("type")
    if kind == "null" or NULL in field.get("anyOf", ()) or not field.keys() - TOLD or isinstance(kind, list):
        return field
    if isinstance(kind, str) and not field.keys() & {"enum", "const"}:
        return {**field, "type": [kind, "null"]}
    if field.keys() - TOLD == {"anyOf"}:
        return {**field, "anyOf": [*field["anyOf"], NULL]}
    told = {name: value for name, value in field.items() if name in TOLD}
    return {"anyOf": [{name: value for name, value in field.items() if name not in TOLD}, NULL], **told}
