"""Schemathesis makes requests of the document, good ones and bad ones; whatever is answered is what the document tells.

It sends them to the app over a real store with something in it. No answer is a 5xx, but for the 503 that says a part is
away: the broker and the models are fakes here, and nobody writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, openapi
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from api.app import create_app
from api.openapi.bare import bare_app
from memory.settings import Settings
from services.fakes import fake_host
from tests.documented import contract

# Of each route and each kind of request; benchmarks/fuzz.py sends many more, to real processes.
EXAMPLES = 6
# No writer answers here, so nobody waits long for one.
BRIEF = 0.01
# What is not there in this process is said so: no broker, no models, and what is not built.
ALLOWED = (501, 503)
CHECKS = [
    status_code_conformance, content_type_conformance, response_headers_conformance, response_schema_conformance,
]  # fmt: skip

current: dict[str, Flask] = {}


def forward(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    # Who comes from nowhere is not let in.
    return current["app"].wsgi_app({**environ, "REMOTE_ADDR": "127.0.0.1"}, start_response)


@schemathesis.serializer("application/x-ndjson")
def lines(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


SCHEMA = openapi.from_dict(contract())
SCHEMA.app = forward
OPERATIONS = {one.ok().label: one.ok() for one in SCHEMA.get_all_operations()}


@pytest.fixture(scope="module", autouse=True)
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    folder: Path = tmp_path_factory.mktemp("schemathesis")
    # A rate is not what is tested.
    told = Settings(data_dir=str(folder), wait_seconds=BRIEF, interactive_timeout=BRIEF, local_rate=0, stranger_rate=0)
    host = fake_host(folder, settings=told)
    current["app"] = create_app(host)
    documents = current["app"].test_client()
    for number in range(3):
        documents.post("/v3/documents", json={"content": f"Note {number}", "customId": f"note-{number}"})
    yield current["app"]
    host.store.close()


def test_every_route_is_tried():
    routes = {(rule.endpoint, one) for rule in bare_app().url_map.iter_rules() for one in rule.methods or ()}

    assert len(OPERATIONS) == len({one for one in routes if one[1] not in ("HEAD", "OPTIONS")})


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["good", "bad"])
@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_answers_are_those_of_the_document(label, mode):
    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def send(case: Case) -> None:
        answer = case.call()
        case.validate_response(answer, checks=CHECKS)
        assert answer.status_code < 500 or answer.status_code in ALLOWED, answer.text
        assert "Traceback" not in answer.text
        assert mode is GenerationMode.NEGATIVE or answer.status_code != 401, "No good request got through."

    send()
