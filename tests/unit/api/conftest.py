"""An app over the real services and a real store; the broker and the models are the shipped fakes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from memory.settings import Settings
from services.fakes import fake_host
from services.host import Host
from services.uses import Uses
from tests.documented import assert_documented

# Small, so that the limit can be crossed quickly; short, because no writer answers here.
BODY_BYTES = 400_000


class Documented(FlaskClient):
    """A client that takes no answer which the OpenAPI document does not tell of."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        sent = response.request
        # What is still under way is read by the test.
        text = "" if kwargs.get("buffered") is False else response.get_data(as_text=True)
        assert_documented(sent.method, sent.path, response.status_code, response.headers, text)
        return response


@pytest.fixture(autouse=True)
def documented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Flask, "test_client_class", Documented)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=str(tmp_path), max_body_bytes=BODY_BYTES, wait_seconds=0.2, interactive_timeout=0.2)


@pytest.fixture
def host(tmp_path: Path, settings: Settings) -> Iterator[Host]:
    one = fake_host(tmp_path, settings=settings)
    yield one
    one.store.close()


@pytest.fixture
def app(host: Host) -> Flask:
    return create_app(host)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def public(host: Host) -> FlaskClient:
    """The same store behind a server that other machines reach."""
    return create_app(replace(host, settings=replace(host.settings, host="0.0.0.0"))).test_client()


@pytest.fixture
def keyed(host: Host) -> FlaskClient:
    """The same store behind a server on loopback where everybody needs a key."""
    return create_app(replace(host, settings=replace(host.settings, keyless=0))).test_client()


@pytest.fixture
def keeping(host: Host) -> tuple[FlaskClient, Uses]:
    """The same store behind a server that keeps when keys are used; the test writes it down."""
    uses = Uses(host.store, gather_seconds=3600)
    return create_app(replace(host, uses=uses)).test_client(), uses
