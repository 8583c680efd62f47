"""The configuration of docs/howto/nginx.md in a real nginx, before a real API: it starts, passes on and refuses."""

import getpass
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import requests

from ops.parts import free_ports
from services import keys
from services.fakes import fake_host
from tests.integration.test_api_process import start, stop, until_it_answers

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "nginx.md"
NGINX, OPENSSL = shutil.which("nginx") or "/usr/sbin/nginx", shutil.which("openssl")
pytestmark = [
    pytest.mark.skipif(not (Path(NGINX).exists() and OPENSSL), reason="nginx and openssl are not installed"),
    pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning"),
]
MEGABYTE = 1024 * 1024


def configured(folder, port, api_port):
    """Write the page's configuration with the names of this machine in it."""
    (block,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    block = block.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;").replace(
        "127.0.0.1:8900", f"127.0.0.1:{api_port}"
    )
    block = re.sub(r"\n *http2 on;[^\n]*", "", block)  # of newer versions
    block = re.sub(r"/etc/letsencrypt/live/[^/]+/", f"{folder}/", block)
    # Small, so that a test sees it.
    block = block.replace("zone=memlane_bulk burst=50", "zone=memlane_bulk burst=3")
    paths = "\n".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = f"daemon off;\nuser {getpass.getuser()};\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
    (folder / "nginx.conf").write_text(f"{text}http {{\naccess_log {folder}/access.log;\n{paths}\n{block}\n}}\n")


def certificate(folder):
    subprocess.run(
        [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=memory.example.org",
         "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
        check=True, capture_output=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the address behind nginx, a key, and the API behind it."""
    folder = tmp_path_factory.mktemp("nginx")
    host = fake_host(folder / "data")
    secret = keys.create(host, label="test", actor_kind="person", expires_at=None).secret
    host.store.close()
    api = start(folder / "data", MEMLANE_KEYLESS="0", MEMLANE_MAX_BODY_BYTES=str(16 * MEGABYTE))
    (port,) = free_ports(1)
    certificate(folder)
    configured(folder, port, api.port)
    until_it_answers(api)
    nginx = subprocess.Popen(
        [NGINX, "-e", folder / "error.log", "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL
    )
    url, until = f"https://127.0.0.1:{port}", time.monotonic() + 20
    while True:
        assert nginx.poll() is None, (folder / "error.log").read_text()
        try:
            requests.get(url, verify=False, timeout=5)
            break
        except requests.ConnectionError:
            assert time.monotonic() < until
            time.sleep(0.05)
    yield url, {"Authorization": f"Bearer {secret}"}, api
    nginx.terminate()
    nginx.wait(20)
    if api.popen.poll() is None:
        stop(api)


def ask(method, url, **sent):
    return requests.request(method, url, verify=False, timeout=60, **sent)


def refused(answer, status, code):
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"].startswith("application/json")
    body = answer.json()
    assert (set(body), body["code"]) == ({"error", "code", "details"}, code)
    return answer


def test_keys_decide_and_the_person_at_the_machine_is_nobody(site):
    url, key, _ = site
    refused(ask("GET", f"{url}/v3/documents"), 401, "unauthenticated")
    assert ask("GET", f"{url}/v3/documents", headers=key).status_code == 200
    assert ask("GET", f"{url}/v1/admin/tenants", headers=key).status_code == 403
    made = ask("POST", f"{url}/v3/documents", headers=key, json={"content": "A crane.", "customId": "a/b"})
    assert made.status_code == 202
    assert ask("GET", f"{url}/v3/documents/a%2Fb", headers=key).json()["customId"] == "a/b"


def test_a_file_may_be_larger_than_a_body_and_each_too_large_one_is_told_in_our_words(site):
    url, key, _ = site
    file = {"file": ("note.txt", b"A crane moves a pipe.\n" * (20 * MEGABYTE // 22))}
    assert ask("POST", f"{url}/v3/documents/file", headers=key, files=file).status_code == 202
    refused(ask("POST", f"{url}/v3/documents", headers=key, data=b"x" * (18 * MEGABYTE)), 413, "too_large")
    refused(ask("POST", f"{url}/v3/documents/file", headers=key, data=b"x" * (52 * MEGABYTE)), 413, "too_large")
    lines = {**key, "Content-Type": "application/x-ndjson"}
    assert ask("POST", f"{url}/v1/import", headers=lines, data=b"x" * (18 * MEGABYTE)).status_code == 400


def test_who_sends_files_without_end_is_held_back_and_may_still_read(site):
    url, key, _ = site
    answers = [
        ask("POST", f"{url}/v3/documents/file", headers=key, files={"file": ("a.txt", b"A crane.")}) for _ in range(12)
    ]
    last = next(answer for answer in answers if answer.status_code == 429)
    refused(last, 429, "rate_limited")
    assert int(last.headers["Retry-After"]) >= 1
    assert ask("GET", f"{url}/v3/documents", headers=key).status_code == 200


def test_when_memlane_is_away_it_is_said_in_its_words(site):
    url, key, api = site
    stop(api)
    away = refused(ask("GET", f"{url}/v3/documents", headers=key), 503, "busy")
    assert int(away.headers["Retry-After"]) >= 1
