"""Everything wrong that can be sent is a 4xx in the one shape that names the field; nothing is stored."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.app import create_app
from tests.shape import assert_refused

DATA = Path(__file__).parents[2] / "data"
ROUTES = json.loads((DATA / "routes.json").read_text(encoding="utf-8"))
BAD = json.loads((DATA / "bad_requests.json").read_text(encoding="utf-8"))
BODIES = [route for route in ROUTES if "body" in route]


def name_of(route: dict[str, Any]) -> str:
    return f"{route['method']} {route['path']}"


def pairs(routes: list[dict[str, Any]], cases: list[dict[str, Any]]) -> list[Any]:
    return [
        pytest.param(route, case, id=f"{name_of(route)}: {case['name']}")
        for route in routes
        for case in cases
        if not (case.get("not_optional") and route.get("optional_body"))
        and not (case.get("bodies") and "body" not in route)
        and route["path"] not in case.get("not_for", ())
        # The control plane knows no spaces.
        and not ("not_for" in case and route["path"].startswith("/v1/admin"))
        # What names its space in the address, or goes over all of them, takes no such field.
        and not (route.get("spaceless") and "set" in case and case["name"] != "unknown field")
    ]


def find(case: dict[str, Any]) -> dict[str, Any]:
    """Return the route of a case; the one with a body when the method is not named."""
    fitting = [route for route in ROUTES if route["path"] == case["path"]]
    wanted = case.get("method")
    return next(r for r in fitting if (r["method"] == wanted if wanted else "body" in r or len(fitting) == 1))


def raw_of(case: dict[str, Any]) -> bytes:
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    if "deep" in case:
        return b'{"q": ' + b"[" * case["deep"] + b"]" * case["deep"] + b"}"
    if "digits" in case:
        return b'{"limit": ' + b"1" * case["digits"] + b"}"
    return str(case["raw"]).encode()


def send(client, route: dict[str, Any], change: dict[str, Any]):
    if "body" in route:
        return client.open(route["path"], method=route["method"], json={**route["body"], **change})
    return client.open(route["path"], method=route["method"], query_string={**route["query"], **change})


def named(route: dict[str, Any], field: str) -> tuple[str, ...]:
    """Return the names that a refusal may have for a field that every route has."""
    camel = not route["path"].startswith("/v1")
    names = {
        "tag": ("containerTag",) if camel else ("container_tag",),
        "tags": ("containerTags", "containerTags[0]") if camel else ("container_tags", "container_tags[0]"),
        "user": ("userId",) if camel else ("user_id",),
        "either": ("containerTag", "container_tag"),
    }
    return names.get(field, (field,))


@pytest.mark.parametrize(("route", "case"), pairs(BODIES, BAD["any_body"]))
def test_body_that_is_no_json_object_is_refused(client, route, case):
    content_type = case.get("type", "application/json")

    response = client.open(route["path"], method=route["method"], data=raw_of(case), content_type=content_type)

    assert_refused(response, tuple(case["status"]), field=case["field"])


@pytest.mark.parametrize(("route", "case"), pairs(ROUTES, BAD["any_field"]))
def test_field_that_every_route_knows_is_refused_when_wrong(client, route, case):
    response = send(client, route, case["set"])

    body = assert_refused(response, 400)
    assert body["details"]["field"] in named(route, case["field"]), body
    assert (
        not case.get("hint") or "containerTag" in body["details"]["hint"] or "container_tag" in body["details"]["hint"]
    )


@pytest.mark.parametrize("case", BAD["fields"], ids=lambda case: f"{case['path']} {case['field']} {case.get('set')}")
def test_field_is_refused_when_wrong(client, host, case):
    route = find(case)

    if "raw" in case:
        data = case["raw"].encode()
        response = client.open(route["path"], method=route["method"], data=data, content_type="application/json")
    else:
        response = send(client, route, case["set"])

    body = assert_refused(response, 400)
    field = body["details"]["field"]
    exact, wildcard = case["field"].rstrip("*"), case["field"].endswith("*")
    assert field == exact or (wildcard and field.startswith(exact)), body
    assert client.get("/v3/documents").get_json()["pagination"]["totalItems"] == 0


@pytest.mark.parametrize("route", BODIES, ids=name_of)
def test_body_over_the_limit_is_refused(client, settings, route):
    data = json.dumps({**route["body"], "padding": "x" * settings.max_body_bytes})

    response = client.open(route["path"], method=route["method"], data=data, content_type="application/json")

    assert_refused(response, 413, field="body", code="too_large")


def test_refusal_never_shows_what_was_written(client):
    response = client.post("/v3/documents", json={"content": "fine", "title": ["a secret text"]})

    assert "secret" not in json.dumps(assert_refused(response, 400, field="title"))


def test_too_long_name_of_an_unknown_field_is_cut(client):
    response = client.post("/v4/search", json={"q": "a", "x" * 10_000: 1})

    assert len(response.get_data()) < 2_000


def test_file_of_bad_requests_covers_every_route(app):
    known = {(rule.rule, method) for rule in app.url_map.iter_rules() for method in rule.methods - {"HEAD", "OPTIONS"}}
    matcher = app.url_map.bind("127.0.0.1")
    covered = {(matcher.match(r["path"], r["method"], return_rule=True)[0].rule, r["method"]) for r in ROUTES}

    # Whatever is sent to connections is told that there are none.
    known = {one for one in known if not one[0].startswith("/v3/connections")}
    # A form and lines are no JSON object: tests/unit/api/test_files.py and test_transfer.py have theirs.
    known -= {("/v3/documents/file", "POST"), ("/v1/import", "POST")}
    # Health, lanes and nodes take nothing at all.
    assert known - covered == {("/v1/health", "GET"), ("/v1/lanes", "GET"), ("/v1/nodes", "GET")}


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/v3/documents", {"content": "x" * 2001}, "content"),
        ("POST", "/v4/memories", {"memories": [{"content": "x" * 201}]}, "memories[0].content"),
        ("PATCH", "/v4/memories", {"id": "mem_1", "newContent": "x" * 201}, "newContent"),
        ("POST", "/v1/compress", {"text": "x" * 1001}, "text"),
    ],
)
def test_text_over_a_setting_is_too_large(host, method, path, body, field):
    settings = replace(host.settings, max_document_chars=2000, max_compress_chars=1000, max_memory_chars=200)
    client = create_app(replace(host, settings=settings)).test_client()

    assert_refused(client.open(path, method=method, json=body), 413, field=field, code="too_large")


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ("containerTag=%ff%fe", "containerTag"),
        ("limit=5&containerTag=a%c3", "containerTag"),
        ("%ff=a", "query"),
        ("containerTag=%ed%a0%80", "containerTag"),
    ],
)
def test_query_string_that_is_not_utf8_is_refused_and_not_read_as_other_text(client, sent, field):
    body = assert_refused(client.get(f"/v3/documents?{sent}"), 400, code="invalid")
    assert body["details"]["field"] == field


def test_query_string_in_utf8_is_read(client):
    body = assert_refused(client.get("/v3/documents?k%C3%B6ln=1&limit=5"), 400, code="invalid")
    assert body["details"]["field"] == "köln"
