"""The embedded model server as a process, started once for the tests that only ask it things."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inference.wire import ModelServer
from memory.errors import ModelUnavailable
from ops.parts import free_ports

ROOT = Path(__file__).parents[3]
KEY = "a-key-for-tests"


@dataclass(frozen=True)
class Embedded:
    """A started server process."""

    process: subprocess.Popen[str]
    interactive: str  # addresses
    background: str

    def wait_until_ready(self) -> None:
        """Poll its health for at most 20 seconds."""
        client = ModelServer(self.interactive, timeout=2.0)
        deadline = time.monotonic() + 20
        while True:
            try:
                client.health()
                break
            except ModelUnavailable:
                assert self.process.poll() is None, "the server ended"
                assert time.monotonic() < deadline, "the server did not get ready"
                time.sleep(0.02)
        client.close()


Start = Callable[..., Embedded]


def start(*arguments: str, key: str = KEY) -> Embedded:
    ports = free_ports(2)
    command = [sys.executable, "-m", "inference", "--interactive-port", str(ports[0])]
    command += ["--background-port", str(ports[1]), *arguments]
    environment = {**os.environ, "MEMLANE_NODE_KEY": key}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    return Embedded(process, f"http://127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}")


def end(server: Embedded) -> None:
    server.process.kill()
    server.process.communicate(timeout=10)


@pytest.fixture(scope="session")
def embedded() -> Iterator[Embedded]:
    server = start()
    try:
        server.wait_until_ready()
        yield server
    finally:
        end(server)


@dataclass(frozen=True)
class Llama:
    """A started llama-server with a small real model."""

    process: subprocess.Popen[str]
    url: str


@pytest.fixture(scope="session")
def llama() -> Iterator[Llama]:
    """The server that runs in `llama_server.py`; it ends when its input does."""
    command = [sys.executable, str(Path(__file__).with_name("llama_server.py")), KEY]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:"), "the server did not start"
            yield Llama(process, url)
        finally:
            process.kill()


@pytest.fixture
def starting() -> Iterator[Start]:
    """Start servers of one's own; they are ended with the test."""
    started: list[Embedded] = []

    def begin(*arguments: str, key: str = KEY) -> Embedded:
        started.append(start(*arguments, key=key))
        return started[-1]

    yield begin
    for server in started:
        end(server)
