"""People sign in over HTTP: a real API process, an issuer that is asked for its keys, and issuers that misbehave."""

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from ops.child import ROOT
from ops.launched import wait_until
from ops.parts import free_ports
from services.issuer_http import MOST_BYTES, IssuerHttp
from tests.issuer import AUDIENCE, FakeIssuer, served


@contextmanager
def api(folder, **settings):
    port, nowhere = free_ports(2)
    told = {
        "DATA_DIR": str(folder), "PORT": str(port), "EMBED_URL": f"http://127.0.0.1:{nowhere}",
        "RERANK_URL": f"http://127.0.0.1:{nowhere}", **settings,
    }  # fmt: skip
    environment = {**os.environ, "REDIS_URL": f"redis://127.0.0.1:{nowhere}/0",
                   **{f"MEMLANE_{name}": value for name, value in told.items()}}  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "api"], cwd=ROOT, env=environment, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"

    def answers():
        assert process.poll() is None, (folder / "log").read_text()
        try:
            return requests.get(f"{url}/v1/health", timeout=5)
        except requests.ConnectionError:
            return None

    try:
        wait_until(answers, seconds=30, what="the API answers")
        yield url
    finally:
        process.terminate()
        process.wait(20)


def test_a_member_signs_in_and_stays_signed_in_while_the_issuer_is_down(tmp_path):
    with served(FakeIssuer()) as issuer:
        settings = {"OIDC_ISSUER": issuer.name, "OIDC_AUDIENCE": AUDIENCE, "OIDC_ADMINS": "boss@example.org",
                    "KEYLESS": "0"}  # fmt: skip
        with api(tmp_path, **settings) as url:

            def bearer(**claims):
                return {"Authorization": f"Bearer {issuer.token(time.time(), **claims)}"}

            boss = bearer(sub="b-1", email="boss@example.org", email_verified=True)
            # given a tenant and a member, made by an administrator who signed in
            made = requests.post(f"{url}/v1/admin/tenants", json={"id": "acme"}, headers=boss, timeout=10)
            assert made.status_code == 201, made.text
            member = {"role": "editor", "email": "ada@example.org"}
            requests.post(f"{url}/v1/admin/tenants/acme/members", json=member, headers=boss, timeout=10)
            ada = bearer(sub="a-1", email="ada@example.org", email_verified=True, kid="p256", alg="ES256")
            # when
            wrote = requests.post(f"{url}/v3/documents", json={"content": "Of Ada."}, headers=ada, timeout=10)
            issuer.broken = OSError("down")
            later = requests.get(f"{url}/v3/documents", headers=bearer(sub="a-1"), timeout=10)
            # then
            assert wrote.status_code == 202
            assert later.json()["pagination"]["totalItems"] == 1
            assert requests.get(f"{url}/v3/documents", timeout=10).status_code == 401
            for wrong in ({"aud": "other"}, {"exp": 1}, {"kid": "made-up"}, {"sub": "stranger"}):
                status = requests.get(f"{url}/v3/documents", headers=bearer(**wrong), timeout=10).status_code
                assert status == (403 if "sub" in wrong else 401), wrong
            assert issuer.fetches == 1
        log = (tmp_path / "log").read_text()
        assert "ada@example.org" not in log
        assert "eyJ" not in log


@contextmanager
def answering(respond):
    """An HTTP server that lets a function answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            respond(self)

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def plain(handler, body, status=200, **headers):
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_of_the_issuer_is_not_followed(status):
    asked = []

    def canary(handler):
        asked.append(handler.path)
        plain(handler, b'{"keys": []}')

    with answering(canary) as elsewhere:
        refused = pytest.raises(OSError, match="answered 30")
        with answering(lambda handler: plain(handler, b"", status, Location=elsewhere)) as url, refused:
            IssuerHttp("https://issuer.test", f"{url}/keys").keys()
        assert asked == []


def test_keys_without_end_are_refused():
    refused = pytest.raises(OSError, match="too much")
    with answering(lambda handler: plain(handler, b" " * (MOST_BYTES + 1))) as url, refused:
        IssuerHttp("https://issuer.test", f"{url}/keys").keys()


@pytest.mark.parametrize("headers", [True, False])
def test_keys_that_come_byte_by_byte_are_given_up_in_seconds(headers):
    over = threading.Event()

    def drip(handler):
        if headers:
            handler.send_response(200)
            handler.end_headers()
        else:
            handler.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        while not over.wait(0.2):
            try:
                handler.wfile.write(b" ")
            except OSError:
                return

    with answering(drip) as url:
        began = time.monotonic()
        http = IssuerHttp("https://issuer.test", f"{url}/keys")
        with pytest.raises(OSError, match=r"too slowly|in time"):
            http.keys()
        seconds = time.monotonic() - began
        over.set()
    assert seconds < 15


@pytest.mark.parametrize(
    "found",
    [b'{"issuer": "https://other.test", "jwks_uri": "https://other.test/keys"}', b'{"jwks_uri": "https://x/keys"}',
     b"[]", b"nonsense", b'{"issuer": "URL", "jwks_uri": "http://other.test/keys"}',
     b'{"issuer": "URL", "jwks_uri": "file:///etc/passwd"}', b'{"issuer": "URL", "jwks_uri": 7}'],
    ids=range(7),
)  # fmt: skip
def test_a_discovery_document_that_is_not_the_issuers_is_refused(found):
    def respond(handler):
        host = handler.headers["Host"]
        plain(handler, found.replace(b"URL", f"http://{host}".encode()))

    with answering(respond) as url, pytest.raises(ValueError):  # noqa: PT011 - of json and ours
        IssuerHttp(url).keys()


def test_credentials_of_a_netrc_file_do_not_go_to_the_issuer(tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    heard = []

    def respond(handler):
        heard.append(handler.headers.get("Authorization"))
        plain(handler, b'{"keys": []}')

    with answering(respond) as url:
        IssuerHttp("https://issuer.test", f"{url}/keys").keys()
    assert heard == [None]
