"""API-07: each field of each route takes one kind of JSON value; every other is a 400 that names it."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.shape import assert_refused

ROUTES = json.loads((Path(__file__).parents[2] / "data" / "routes.json").read_text(encoding="utf-8"))
BODIES = [route for route in ROUTES if "body" in route]
# As raw JSON, by the kind of value.
KINDS = {
    "number": ("-1", "0", "1.5", "1e9"),
    "switch": ("true", "false"),
    "text": ('"10"', '"true"', '"[]"'),
    "list": ("[]", '["10"]', "[10]"),
    "object": ("{}", '{"nonsense": 1}'),
}
# A time is a text or a number of seconds; a filter is an object or the same as text; content is text or its parts.
MANY = {
    "asOf": {"text", "number"}, "knownAt": {"text", "number"}, "now": {"text", "number"}, "filters": {"object", "text"},
    "until": {"text", "number"}, "documentDate": {"text", "number"}, "includeItems": {"text", "list"},
    "excludeItems": {"text", "list"},
}  # fmt: skip
NO_JSON = ("NaN", "Infinity", "-Infinity", "1e999")


def name_of(route: dict[str, Any]) -> str:
    return f"{route['method']} {route['path']}"


def fields(client, route) -> list[str]:
    """Ask the route itself which fields it knows."""
    refused = client.open(route["path"], method=route["method"], json={**route["body"], "zzzzzzzzzzzz": 1})
    hint = assert_refused(refused, 400, field="zzzzzzzzzzzz")["details"]["hint"]
    if hint == "It takes no fields.":
        return []
    assert hint.startswith("Known here: "), hint
    return hint.removeprefix("Known here: ").removesuffix(".").split(", ")


def send(client, route, name, raw):
    rest = json.dumps({key: value for key, value in route["body"].items() if key != name})[1:-1]
    data = f'{{"{name}": {raw}{", " if rest else ""}{rest}}}'.encode()
    return client.open(route["path"], method=route["method"], data=data, content_type="application/json")


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


@pytest.mark.parametrize("route", BODIES, ids=name_of)
def test_a_field_takes_one_kind_of_value_and_refuses_the_others_by_name(client, route):
    for name in fields(client, route):
        taken = defaultdict(list)
        for kind, raws in KINDS.items():
            for raw in raws:
                response = send(client, route, name, raw)
                assert response.status_code < 500 or response.status_code == 503, (name, raw, response.text)
                if response.status_code in (400, 413):
                    # A value of the right kind may be at odds with another field; that one is named then.
                    assert_refused(response, (400, 413))
                    continue
                taken[kind].append(raw)
        allowed = MANY.get(camel(name), set())
        assert len(set(taken) - allowed) <= (0 if allowed else 1), (name, dict(taken))


@pytest.mark.parametrize("route", BODIES, ids=name_of)
def test_what_is_no_number_of_json_is_refused_by_name_in_every_field(client, route):
    for name in fields(client, route):
        for raw in NO_JSON:
            assert_refused(send(client, route, name, raw), 400, field=name)
