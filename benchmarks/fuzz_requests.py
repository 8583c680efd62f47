"""The requests of the fuzz: those that schemathesis makes of the document, and those that people would not send."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, openapi
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode

from benchmarks.fuzz_inputs import ADDRESSES, HEADERS, METHODS, NASTY, RAW

Json = dict[str, Any]
JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One request."""

    method: str
    path: str  # with its query string
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    raw: bytes | None = None  # what is sent instead, byte for byte


@schemathesis.serializer("application/x-ndjson")
def _lines(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def by_schemathesis(document: Json, url: str, count: int, *, number: int) -> list[Shot]:
    """Return requests that fit the document and requests that do not, the same number of each route.

    Args:
        document: the OpenAPI document.
        url: of the server.
        count: how many in all, about.
        number: seeds the choice.
    """
    found = openapi.from_dict(document).get_all_operations()
    routes = [one.ok() for one in found if isinstance(one, Ok)]
    each = max(1, count // (2 * len(routes)))
    shots: list[Shot] = []
    for route in routes:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            shots += _drawn(route, mode, each, url, number)
    return shots


def _drawn(route: Any, mode: GenerationMode, count: int, url: str, number: int) -> list[Shot]:
    found: list[Shot] = []

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=route.as_strategy(generation_mode=mode))
    def keep(case: Case[Any]) -> None:
        shot = _shot(case, url)
        if shot is not None:
            found.append(shot)

    keep()
    return found


def _shot(case: Case[Any], url: str) -> Shot | None:
    """Return a case as bytes; None for headers that no client can write."""
    try:
        made = requests.Request(**case.as_transport_kwargs(base_url=url)).prepare()
    except (ValueError, requests.RequestException):
        return None
    body = made.body.encode("utf-8", "replace") if isinstance(made.body, str) else made.body
    names = ("Content-Length", "Connection", "Transfer-Encoding")
    headers = {name: value for name, value in made.headers.items() if name not in names}
    return Shot(method=str(made.method), path=made.path_url, headers=_text(headers), body=body)


def _text(headers: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value.decode("latin-1") if isinstance(value, bytes) else str(value) for name, value in headers.items()
    }


class ByHand:
    """Requests near to those that work, and far from them."""

    def __init__(self, document: Json, ids: Mapping[str, Sequence[str]], *, number: int) -> None:
        """Make them of a document.

        Args:
            document: the OpenAPI document.
            ids: of things that are there, by the name of the address's part.
            number: seeds the choice.
        """
        self._ids = ids
        self._chance = random.Random(number)
        self._routes = [
            (method.upper(), path, told)
            for path, methods in document["paths"].items()
            for method, told in methods.items()
        ]
        self._kinds: Sequence[tuple[Callable[[], Shot], int]] = (
            (self._changed, 60), (self._asked, 20), (self._headed, 8), (self._garbled, 6), (self._placed, 4),
            (self._raw, 2),
        )  # fmt: skip

    def shots(self, count: int) -> Iterator[Shot]:
        """Yield so many requests."""
        makers, weights = zip(*self._kinds, strict=True)
        for make in self._chance.choices(makers, weights, k=count):
            yield make()

    def _changed(self) -> Shot:
        """Return a body that works with something of it changed."""
        method, path, told = self._chance.choice([one for one in self._routes if _example(one[2]) is not None])
        value = _example(told)
        for _ in range(self._chance.choice((0, 0, 1, 1, 2, 3))):
            value = self._mutated(value)
        return Shot(method=method, path=self._address(path), headers={"Content-Type": JSON}, body=_bytes(value))

    def _asked(self) -> Shot:
        """Return a query string of known and unknown names."""
        method, path, told = self._chance.choice([one for one in self._routes if one[0] in ("GET", "DELETE")])
        names = [one["name"] for one in told["parameters"] if one.get("in") == "query"]
        pairs = [
            (self._chance.choice([*names, "x"]), self._chance.choice(NASTY))
            for _ in range(self._chance.choice((0, 1, 1, 2, 4)))
        ]
        asked = urlencode([(name, _words(value)) for name, value in pairs])
        return Shot(method=method, path=self._address(path) + ("?" + asked if asked else ""))

    def _headed(self) -> Shot:
        shot = self._changed() if self._chance.random() < 0.5 else self._asked()
        headers = {**shot.headers, **self._chance.choice(HEADERS)}
        return Shot(method=shot.method, path=shot.path, headers=headers, body=shot.body)

    def _garbled(self) -> Shot:
        """Return a body that is cut, doubled, nested, or of other bytes."""
        shot = self._changed()
        body = shot.body or b"{}"
        deep = self._chance.choice((10, 1000, 100_000))
        other = self._chance.choice((
            body[: len(body) // 2], body + body, b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep, b"",
            self._chance.randbytes(200), body.decode("utf-8", "replace").encode("utf-16"), b"\xef\xbb\xbf" + body,
            b'{"a":1,"a":2}', b'{"limit":' + b"9" * 5000 + b"}", b"null", b"[]", b'"text"', b'{"q":"\\ud800"}',
        ))  # fmt: skip
        return Shot(method=shot.method, path=shot.path, headers=shot.headers, body=other)

    def _placed(self) -> Shot:
        path = self._chance.choice(ADDRESSES)
        return Shot(method=self._chance.choice(METHODS), path=path)

    def _raw(self) -> Shot:
        return Shot(method="", path="", raw=self._chance.choice(RAW))

    def _address(self, path: str) -> str:
        """Put ids of things that are there, or anything else, into an address."""
        parts = []
        for part in path.split("/"):
            if part.startswith("{"):
                there = self._ids.get(part.strip("{}"), ())
                value = self._chance.choice(there) if there and self._chance.random() < 0.7 else self._other()
                part = quote(value, safe="")
            parts.append(part)
        return "/".join(parts)

    def _other(self) -> str:
        return _words(self._chance.choice(NASTY))[:300] or "x"

    def _mutated(self, value: Any) -> Any:
        if isinstance(value, dict) and value and self._chance.random() < 0.85:
            name = self._chance.choice(list(value))
            rest = {one: inner for one, inner in value.items() if one != name}
            return self._chance.choice((
                rest, {**value, name: self._mutated(value[name])}, {**value, name: self._mutated(value[name])},
                {**value, "unknown": 1}, {**rest, name.upper(): value[name]}, {**value, **self._option()},
            ))  # fmt: skip
        if isinstance(value, list) and value and self._chance.random() < 0.5:
            return [*value[1:], self._mutated(value[0])]
        return self._chance.choice(NASTY)

    def _option(self) -> Json:
        """Return a field that many bodies know."""
        names = ("limit", "page", "cursor", "filters", "containerTag", "container_tags", "userId", "asOf", "known_at",
                 "threshold", "wait", "metadata", "sort", "include", "kind", "ids", "session_id")  # fmt: skip
        return {self._chance.choice(names): self._chance.choice(NASTY)}


def _example(told: Json) -> Any:
    body = told.get("requestBody", {}).get("content", {}).get(JSON)
    return None if body is None else body.get("example", {})


def _bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def _words(value: Any) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else json.dumps(value)
