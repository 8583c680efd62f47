"""An app over the real services and a real store; the broker and the models are the shipped fakes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.app import create_app
from memory.settings import Settings
from services.fakes import fake_host
from services.host import Host

# Small, so that the limit can be crossed quickly; short, because no writer answers here.
BODY_BYTES = 400_000


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
