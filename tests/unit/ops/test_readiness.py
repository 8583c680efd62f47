import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ops.part import Part
from ops.readiness import not_ready, probe
from ops.supervisor import Slot


class Running:
    announced = False


@pytest.fixture
def serve():
    servers = []

    def start(body):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                return

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1/health"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (json.dumps({"status": "ok"}), "ok"),
        (json.dumps({"status": "degraded"}), "degraded"),
        ("[]", ""),
        ("<html>", ""),
    ],
)
def test_a_probe_returns_the_status_that_is_answered(serve, body, expected):
    assert probe(serve(body.encode())) == expected


def test_a_probe_of_nobody_is_empty():
    assert probe("http://127.0.0.1:1/health") == ""


def test_a_part_is_ready_when_it_runs_and_says_so(serve):
    url = serve(b'{"status": "ok"}')
    worker, api = Slot(Part(name="worker", command=(), announces=True)), Slot(Part(name="api", command=(), probe=url))
    assert not_ready((worker, api)) == {"worker": "", "api": ""}

    worker.running, api.running = Running(), Running()
    assert not_ready((worker, api)) == {"worker": ""}

    worker.running.announced = True
    assert not_ready((worker, api)) == {}
