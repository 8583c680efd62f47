"""No nonsense number reaches a service: it is the documented default (null, absent) or a 400 that names the field."""

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from api.schemas.fields import Fields
from tests.shape import assert_refused

ROUTES = json.loads((Path(__file__).parents[2] / "data" / "routes.json").read_text(encoding="utf-8"))
SUBJECTS = (
    "documents",
    "conversations",
    "search",
    "searching",
    "memories",
    "jobs",
    "nodes",
    "paging",
    "clocks",
    "provenance",
)
# As raw JSON, because Python could not write all of it.
NONSENSE = ("-1", '"10"', "true", "false", "1e9", "NaN", "Infinity", "-Infinity", "[]", "{}", '""', "1e400", "10.5",
            "-0.0001", "99999999999999999999", "[10]", '"NaN"')  # fmt: skip
WHOLE_NONSENSE = (*NONSENSE, "0", "1.5", "10.0", "1e1")
# As Supermemory's client sends a number of a listing, which is documented as text or any number.
WIRE_WHOLE = ('"10"', "10.0", "1e1")
FRACTION_NONSENSE = (*NONSENSE, "1.5", "2")
TEXTS = ("-1", "0", "true", "1.5", "null", "1e9", "NaN", "[]", "", " 10", "10 ", "+10", "0x10", "1_0", "٣", "Infinity",
         "99999999999999999999999")  # fmt: skip


def numbers(kind: str) -> list[Any]:
    wanted = [route for route in ROUTES if kind in route]
    return [
        pytest.param(route, name, *bounds, id=f"{route['method']} {route['path']} {name}")
        for route in wanted
        for name, bounds in route["numbers"].items()
    ]


def as_number(raw: str) -> float:
    value = json.loads(raw)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")


def with_raw(body: dict[str, Any], name: str, raw: str) -> bytes:
    rest = json.dumps({key: value for key, value in body.items() if key != name})[1:-1]
    return f'{{"{name}": {raw}{", " if rest else ""}{rest}}}'.encode()


@pytest.mark.parametrize(("route", "name", "least", "most", "kind"), numbers("body"))
def test_nonsense_number_in_a_body_is_refused_by_name(client, route, name, least, most, kind):
    for raw in (*(FRACTION_NONSENSE if kind == "fraction" else WHOLE_NONSENSE), str(most + 1), str(least - 1)):
        if kind == "fraction" and least <= as_number(raw) <= most:
            continue
        if kind == "wire" and raw in WIRE_WHOLE:
            continue
        data = with_raw(route["body"], name, raw)

        response = client.open(route["path"], method=route["method"], data=data, content_type="application/json")

        assert_refused(response, 400, field=name)


@pytest.mark.parametrize(("route", "name", "least", "most", "kind"), numbers("query"))
def test_nonsense_number_in_a_query_is_refused_by_name(client, route, name, least, most, kind):
    for text in (*TEXTS, str(most + 1), str(least - 1)):
        response = client.open(route["path"], method=route["method"], query_string={name: text})

        assert_refused(response, 400, field=name)


@pytest.mark.parametrize(("route", "name", "least", "most", "kind"), numbers("query"))
def test_number_at_its_bounds_is_taken(client, route, name, least, most, kind):
    for number in (least, most):
        assert client.open(route["path"], method=route["method"], query_string={name: number}).status_code == 200


WIRE = [one for one in numbers("body") if one.values[-1] == "wire"]


@pytest.mark.parametrize(("route", "name", "least", "most", "kind"), WIRE)
def test_number_of_a_listing_may_be_written_as_supermemory_writes_it(client, route, name, least, most, kind):
    for raw in WIRE_WHOLE:
        data = with_raw(route["body"], name, raw)

        response = client.open(route["path"], method=route["method"], data=data, content_type="application/json")

        assert response.status_code == 200
        assert response.get_json()["pagination"]["limit" if name == "limit" else "currentPage"] == 10


@pytest.mark.parametrize("path", ["/v3/documents/list", "/v4/memories/list"])
def test_null_and_absent_limit_are_the_default_and_the_answer_says_it(client, path):
    for body in ({}, {"limit": None}):
        assert client.post(path, json=body).get_json()["pagination"]["limit"] == 50


def schemas() -> list[type[Fields]]:
    modules = [import_module(f"api.schemas.{subject}") for subject in SUBJECTS]
    found = {one for module in modules for _, one in inspect.getmembers(module, inspect.isclass)}
    return sorted((one for one in found if issubclass(one, Fields)), key=lambda one: one.__name__)


@pytest.mark.parametrize("schema", schemas(), ids=lambda one: one.__name__)
def test_every_number_is_bounded_and_in_the_table(schema):
    table = {name for route in ROUTES for name in route["numbers"]}
    properties = schema.model_json_schema(mode="validation", by_alias=True)["properties"] if schema.model_fields else {}
    for name, described in properties.items():
        for one in described.get("anyOf", [described]):
            if one.get("type") in ("integer", "number"):
                assert name in table, f"{schema.__name__}.{name} is in no row of tests/data/routes.json."
                assert {"minimum", "maximum"} <= set(one), f"{schema.__name__}.{name} has no bounds."


@pytest.mark.parametrize("schema", schemas(), ids=lambda one: one.__name__)
def test_null_is_the_same_as_absent(schema):
    fields = {field.alias or name: field for name, field in schema.model_fields.items()}
    optional = [name for name, field in fields.items() if not field.is_required()]
    required = [name for name, field in fields.items() if field.is_required()]
    if required:
        with pytest.raises(ValidationError, match="Field required"):
            schema.model_validate(dict.fromkeys(required))
    elif schema.__name__ not in (
        "_Named",
        "UpdateMemory",
        "ForgetMemory",
        "ForgetMatching",
        "AddDocument",
        "BatchDocument",
        "ChangeDocument",
        "DeleteDocuments",
        "DocumentFields",
    ):
        assert schema.model_validate(dict.fromkeys(optional)) == schema.model_validate({})
