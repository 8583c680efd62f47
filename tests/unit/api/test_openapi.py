"""The document describes every route with the schemas that validate it, and is a valid one of OpenAPI 3.1."""

from __future__ import annotations

import ast
import inspect
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from werkzeug.routing import Rule

from api.openapi import refusals
from api.openapi.bare import bare_app
from api.openapi.document import document, operations, written
from api.operations import Operation, operation_of
from api.schemas.fields import Fields

APP = bare_app()
DOCUMENT = document(APP)
ROUTES = json.loads((Path(__file__).parents[2] / "data" / "routes.json").read_text(encoding="utf-8"))
DESCRIBED = [(rule, method, said) for rule, method, said in operations(APP)]
# What reads a request as a schema, and which of an operation's schemas that is.
READERS = {"body": "body", "body_if_any": "body", "query": "query", "form": "form"}


def name_of(value: Any) -> str | None:
    if isinstance(value, Rule):
        return value.rule
    return value if isinstance(value, str) else None


def operation_at(method: str, path: str) -> dict[str, Any]:
    rule, _ = APP.url_map.bind("localhost").match(path, method=method, return_rule=True)
    return DOCUMENT["paths"][written(rule.rule)][method.lower()]


@pytest.mark.parametrize("endpoint", sorted(APP.view_functions))
def test_route_is_described(endpoint):
    assert operation_of(APP.view_functions[endpoint]), f"Put @operation(...) under the route of {endpoint}."


@pytest.mark.parametrize(("rule", "method", "said"), DESCRIBED, ids=name_of)
def test_schemas_are_those_the_view_reads_with(rule: Rule, method: str, said: Operation):
    view = APP.view_functions[rule.endpoint]
    names = vars(sys.modules[view.__module__])
    read: dict[str, set[type]] = {}
    for call in ast.walk(ast.parse(inspect.getsource(view))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in READERS:
            for schema in (names.get(one.id) for one in call.args if isinstance(one, ast.Name)):
                if isinstance(schema, type) and issubclass(schema, Fields):
                    read.setdefault(READERS[call.func.id], set()).add(schema)

    for part, schemas in read.items():
        assert schemas == {getattr(said, part)}, f"{rule.endpoint} reads its {part} with another schema than it says."
    source = inspect.getsource(view)
    assert ("body_if_any(" in source) == said.body_optional or "body_if_any" not in names


@pytest.mark.parametrize(("rule", "method", "said"), DESCRIBED, ids=name_of)
def test_idempotency_key_is_told_where_it_is_read(rule: Rule, method: str, said: Operation):
    assert ("idempotency(" in inspect.getsource(APP.view_functions[rule.endpoint])) == said.idempotent


def test_document_is_valid_openapi():
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema"})
    for name, schema in DOCUMENT["components"]["schemas"].items():
        jsonschema_rs.Draft202012Validator({**schema, "components": DOCUMENT["components"]}), name
    json.dumps(DOCUMENT, allow_nan=False)


def test_every_reference_leads_somewhere():
    def places(value: Any) -> Any:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for inner in value.values():
                yield from places(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from places(inner)

    for place in set(places(DOCUMENT)):
        kind, name = place.removeprefix("#/components/").split("/")
        assert name in DOCUMENT["components"][kind], place


def test_operation_ids_are_unique():
    ids = [one["operationId"] for path in DOCUMENT["paths"].values() for one in path.values()]
    assert len(ids) == len(set(ids)), sorted(one for one in ids if ids.count(one) > 1)


@pytest.mark.parametrize(("rule", "method", "said"), DESCRIBED, ids=name_of)
def test_body_that_needs_a_field_has_an_example_that_is_taken(rule: Rule, method: str, said: Operation):
    if said.body is None:
        return
    if said.example is None:
        assert not any(info.is_required() for info in said.body.model_fields.values()), "Give `example=`."
        return
    said.body.model_validate(said.example)
    at = {
        **DOCUMENT["paths"][written(rule.rule)][method.lower()]["requestBody"]["content"]["application/json"]["schema"]
    }
    error = next(validator(at).iter_errors(dict(said.example)), None)
    assert error is None, error


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route['method']} {route['path']}")
def test_body_that_passes_fits_its_schema(route):
    told = operation_at(route["method"], route["path"])
    if "body" not in route:
        known = {one["name"] for one in told["parameters"] if "name" in one}
        assert set(route["query"]) <= known
        return

    schema = told["requestBody"]["content"]["application/json"]["schema"]
    error = next(validator(schema).iter_errors(route["body"]), None)

    assert error is None, error
    assert told["requestBody"]["required"] == (not route.get("optional_body", False))


def test_every_code_of_a_refusal_is_told():
    told = {
        code
        for one in DOCUMENT["components"]["responses"].values()
        for code in one.get("content", {}).get("application/json", {}).get("examples", {})
    }
    assert told == {code for code, (status, _) in refusals.codes().items() if status >= 400}


def validator(schema: Any) -> Any:
    return jsonschema_rs.Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def named_fields() -> list[Any]:
    schemas = [(name, schema.get("properties", {})) for name, schema in DOCUMENT["components"]["schemas"].items()]
    return [
        pytest.param(name, field, id=f"{owner}.{name}") for owner, fields in schemas for name, field in fields.items()
    ]


@pytest.mark.parametrize(("name", "field"), named_fields())
def test_field_has_a_meaning(name, field):
    assert field.get("description"), f"Say what `{name}` means: Field(description=...), or in api/openapi/words.py."


@pytest.mark.parametrize(("rule", "method", "said"), DESCRIBED, ids=name_of)
def test_parameters_have_a_meaning(rule: Rule, method: str, said: Operation):
    for one in DOCUMENT["paths"][written(rule.rule)][method.lower()]["parameters"]:
        assert "$ref" in one or one["description"], one["name"]


def test_document_is_served_to_whoever_asks(public):
    answer = public.get("/v1/openapi.json")

    assert answer.status_code == 200
    assert answer.get_json()["openapi"] == "3.1.0"
    assert set(answer.get_json()["paths"]) == set(DOCUMENT["paths"])


def answer_bodies() -> list[Any]:
    return [
        pytest.param(body, id=f"{method} {path} {status}")
        for path, methods in DOCUMENT["paths"].items()
        for method, told in methods.items()
        for status, answer in told["responses"].items()
        for body in answer.get("content", {}).values()
        if "example" in body
    ]


@pytest.mark.parametrize("body", answer_bodies())
def test_example_of_an_answer_is_one(body):
    error = next(validator(body["schema"]).iter_errors(body["example"]), None)

    assert error is None, error
