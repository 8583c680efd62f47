"""`python -m api` as a process: it answers, refuses, and ends, with the broker and the models away."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from api.__main__ import EXIT_CONFIG
from api.server import GRACE_SECONDS
from memory.settings import Settings
from ops.parts import free_ports
from services import keys
from services.fakes import fake_host

ROOT = Path(__file__).parents[2]
BODY_BYTES = 100_000
# So much of a body is read before it is refused: what a file may have, in a form.
MOST_READ = 2 * Settings().max_file_bytes
DEADLINE_SECONDS = 20.0


@dataclass
class Process:
    popen: subprocess.Popen
    port: int

    def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_SECONDS)
        data = json.dumps(body).encode() if body is not None else None
        connection.request(method, path, data, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response, json.loads(text)

    def raw(self, request: bytes) -> tuple[int, dict[str, Any]]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_SECONDS) as connection:
            connection.sendall(request)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        head, _, text = answer.partition(b"\r\n\r\n")
        assert b"content-type: application/json" in head.lower(), answer
        return int(head.split()[1]), json.loads(text)


def start(data_dir: Path, **settings: str) -> Process:
    port, nowhere = free_ports(2)
    environment = {
        **os.environ, "MEMLANE_DATA_DIR": str(data_dir), "MEMLANE_PORT": str(port),
        "REDIS_URL": f"redis://127.0.0.1:{nowhere}/0", "MEMLANE_EMBED_URL": f"http://127.0.0.1:{nowhere}",
        "MEMLANE_RERANK_URL": f"http://127.0.0.1:{nowhere}", "MEMLANE_MAX_BODY_BYTES": str(BODY_BYTES), **settings,
    }  # fmt: skip
    popen = subprocess.Popen(
        [sys.executable, "-m", "api"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return Process(popen, port)


def until_it_answers(process: Process) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        assert process.popen.poll() is None, process.popen.communicate()[1]
        try:
            process.call("GET", "/v3/documents")
            return
        except ConnectionError:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def stop(process: Process) -> tuple[int, float, str]:
    began = time.monotonic()
    process.popen.send_signal(signal.SIGTERM)
    try:
        _, errors = process.popen.communicate(timeout=DEADLINE_SECONDS)
    finally:
        process.popen.kill()
    return process.popen.returncode, time.monotonic() - began, errors


@pytest.fixture(scope="module")
def process(tmp_path_factory) -> Iterator[Process]:
    one = start(tmp_path_factory.mktemp("api") / "data")
    until_it_answers(one)
    yield one
    code, seconds, errors = stop(one)
    assert code == 0
    assert seconds < 2 * GRACE_SECONDS + 2  # half of it for a machine that is busy with something else
    assert "Traceback" not in errors, errors


def test_what_is_accepted_without_a_broker_is_kept_with_a_warning(process):
    answer, made = process.call("POST", "/v3/documents", {"content": "kept", "containerTag": "warned"})
    _, found = process.call("GET", f"/v3/documents/{made['id']}")

    assert answer.status == 202
    assert made["warning"]
    assert found["content"] == "kept"


def test_body_over_the_limit_is_refused_in_the_shape_before_it_is_read(process):
    head = f"POST /v3/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {MOST_READ + 1}\r\n\r\n".encode()

    status, body = process.raw(head)

    assert (status, body["code"], body["details"]) == (413, "too_large", {"field": "body"})


def test_who_sends_too_much_sees_the_refusal_and_not_a_broken_connection(process):
    answer, body = process.call("POST", "/v3/documents", {"content": "x" * 3 * BODY_BYTES})

    assert (answer.status, body["code"], body["details"]) == (413, "too_large", {"field": "body"})


def test_body_of_exactly_the_limit_is_taken(process):
    frame = len(json.dumps({"content": ""}))

    answer, _ = process.call("POST", "/v3/documents", {"content": "x" * (BODY_BYTES - frame)})

    assert answer.status == 202


def test_transfer_encoding_that_is_not_taken_is_no_fault_of_ours(process):
    status, body = process.raw(b"POST /v3/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip\r\n\r\n")

    assert (status, body["code"]) == (501, "transfer_encoding")


@pytest.mark.parametrize(
    "request_text", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nBad Header: x\r\n\r\n", b"GET /v1/\x00 HTTP/1.0\r\n\r\n"]
)
def test_request_that_is_no_http_is_refused_in_the_shape(process, request_text):
    status, body = process.raw(request_text)

    assert status in (400, 404)
    assert set(body) == {"error", "code", "details"}


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_web_page_is_refused(process, headers):
    answer, body = process.call("GET", "/v3/documents", headers=headers)

    assert (answer.status, body["code"]) == (403, "forbidden")


def test_proxy_header_reaches_the_check(process):
    answer, _ = process.call("GET", "/v3/documents", headers={"X-Forwarded-For": "10.0.0.9"})

    assert answer.status == 401


def test_sigterm_ends_it_soon_while_a_request_waits(tmp_path):
    one = start(tmp_path)
    until_it_answers(one)
    waiting = threading.Thread(target=wait_quietly, args=(one,))
    waiting.start()
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not one.call("GET", "/v3/jobs")[1]["jobs"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)

    code, seconds, errors = stop(one)

    waiting.join(DEADLINE_SECONDS)
    assert code == 0, errors
    assert seconds < 2 * GRACE_SECONDS + 2  # half of it for a machine that is busy with something else


def wait_quietly(process: Process) -> None:
    try:
        process.call("POST", "/v3/documents", {"content": "waits", "wait": True})
    except (ConnectionError, OSError):
        return


def test_other_address_than_loopback_needs_a_key(tmp_path):
    refused = start(tmp_path, MEMLANE_HOST="0.0.0.0")
    _, errors = refused.popen.communicate(timeout=DEADLINE_SECONDS)

    assert refused.popen.returncode == EXIT_CONFIG
    assert "memlane keys create" in errors
    assert "Traceback" not in errors

    host = fake_host(tmp_path)
    secret = keys.create(host, label="test", expires_at=None).secret
    host.store.close()
    allowed = start(tmp_path, MEMLANE_HOST="0.0.0.0")
    until_it_answers(allowed)
    without, _ = allowed.call("GET", "/v3/documents")
    with_key, _ = allowed.call("GET", "/v3/documents", headers={"Authorization": f"Bearer {secret}"})
    assert (without.status, with_key.status) == (401, 200)
    assert stop(allowed)[0] == 0


@pytest.mark.parametrize("settings", [{"MEMLANE_PORT": "http"}, {"MEMLANE_THREADS": "many"}])
def test_bad_setting_is_one_sentence(tmp_path, settings):
    failed = start(tmp_path, **settings)
    _, errors = failed.popen.communicate(timeout=DEADLINE_SECONDS)

    assert failed.popen.returncode == EXIT_CONFIG
    assert next(iter(settings)) in errors
    assert "Traceback" not in errors


def test_port_that_is_taken_is_one_sentence(process, tmp_path):
    failed = start(tmp_path, MEMLANE_PORT=str(process.port))
    _, errors = failed.popen.communicate(timeout=DEADLINE_SECONDS)

    assert failed.popen.returncode == 1
    assert "could not start" in errors
    assert "Traceback" not in errors
