"""Holds answers to the document: status, headers, media type and body, and no field that it does not tell of."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema_rs
import requests
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from api.openapi.bare import bare_app
from api.openapi.document import document, written

Json = dict[str, Any]
# A blueprint is not to be registered by two threads at a time.
_making = threading.Lock()


def contract() -> Json:
    """Return the document, with answers closed: whatever an answer has must be told."""
    with _making:
        return _contract()


@cache
def _contract() -> Json:
    made = document(bare_app())
    for name in _of_answers(made):
        _close(made["components"]["schemas"][name])
    return made


def _routes() -> MapAdapter:
    with _making:
        return _bound()


@cache
def _bound() -> MapAdapter:
    return bare_app().url_map.bind("localhost")


def assert_documented(method: str, path: str, status: int, headers: Mapping[str, str], text: str) -> None:
    """Check that an answer is one that the document tells of; what is no route of ours is not looked at."""
    try:
        rule, _ = _routes().match(path, method=method, return_rule=True)
    except HTTPException:
        return
    if method in ("HEAD", "OPTIONS"):
        return
    address = written(rule.rule)
    told = contract()["paths"][address][method.lower()]["responses"]
    where = f"{method} {address} answered {status}"
    assert str(status) in told, f"{where}, which the document does not tell of: {text[:300]}"
    answer = told[str(status)]
    if "$ref" in answer:
        answer = contract()["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    missing = [name for name in answer.get("headers", {}) if name not in headers]
    missing = [name for name in missing if _is_required(answer["headers"][name])]
    assert not missing, f"{where} without {missing}"
    content = answer.get("content", {})
    if status == 204 or (not content and not text):
        assert not text, f"{where} with a body"
        return
    kind = headers.get("Content-Type", "").partition(";")[0].strip()
    assert kind in content or "*/*" in content, f"{where} as {kind!r}, told are {list(content)}"
    if kind == "application/json" and kind in content:
        _validate(where, content[kind]["schema"], text)


def check_response(answer: requests.Response, **sent: Any) -> None:
    """Check an answer as it comes; one that is read bit by bit is read by the test alone."""
    if not sent.get("stream"):
        path = unquote(urlsplit(str(answer.request.url)).path)
        assert_documented(str(answer.request.method), path, answer.status_code, answer.headers, answer.text)


def _is_required(header: Json) -> bool:
    if "$ref" in header:
        header = contract()["components"]["headers"][header["$ref"].rpartition("/")[2]]
    return bool(header.get("required"))


def _validate(where: str, schema: Json, text: str) -> None:
    error = next(_validator(json.dumps(schema)).iter_errors(json.loads(text)), None)
    assert error is None, f"{where}: at {'/'.join(map(str, error.instance_path)) or 'the top'}: {error.message[:600]}"


@cache
def _validator(schema: str) -> Any:
    return jsonschema_rs.Draft202012Validator({**json.loads(schema), "components": contract()["components"]})


def _of_answers(made: Json) -> set[str]:
    """Return the names of the schemas that answers are made of."""
    found: set[str] = set()
    answers = [path["responses"] for routes in made["paths"].values() for path in routes.values()]
    waiting = set(_references(answers))
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= set(_references(made["components"]["schemas"][name])) - found
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        place = value.get("$ref", "")
        if isinstance(place, str) and place.startswith("#/components/schemas/"):
            yield place.rpartition("/")[2]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _close(schema: Json) -> None:
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
