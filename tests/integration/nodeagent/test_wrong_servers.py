"""NODE-05: an embedding server answers in the shapes of many versions; one per token is refused, not guessed at."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from inference.wire import ModelServer
from memory.errors import WrongModel
from memory.fleet import FleetNode
from memory.inventory import INVENTORY_KEY, encode

VECTOR = [0.6, 0.8, 0.0, 0.0]
TOKENS = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
BASE64 = base64.b64encode(np.array(VECTOR, dtype="<f4").tobytes()).decode()

KNOWN = {
    "one object": {"embedding": VECTOR},
    "a list of matrices with one row": [{"index": 0, "embedding": [VECTOR]}],
    "OpenAI's": {"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": VECTOR}]},
    "OpenAI's in base64": {"object": "list", "data": [{"index": 0, "embedding": BASE64}]},
}
PER_TOKEN = {
    "a list of matrices without index": [{"embedding": TOKENS}],
    "a list of matrices": [{"index": 0, "embedding": TOKENS}],
    "one object": {"embedding": TOKENS},
    "OpenAI's": {"object": "list", "data": [{"index": 0, "embedding": TOKENS}]},
}


class Stub:
    """An embedding server that answers one thing whatever it is asked."""

    def __init__(self):
        self.answer = b""
        self.content_type = "application/json"
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                known = {"/health": {"status": "ok"}, "/v1/models": {"data": [{"id": "stub"}]}}
                self._send(json.dumps(known[self.path]).encode(), "application/json")

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self._send(stub.answer, stub.content_type)

            def _send(self, body, content_type):
                self.send_response(200)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                return None

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def stub():
    stub = Stub()
    yield stub
    stub.close()


@pytest.fixture
def embedder(broker, agent, stub, until):
    """What the report of node n3 says of its embedding server."""

    def report(answer, **environ):
        stub.answer = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        broker.client.set(INVENTORY_KEY, encode([FleetNode(name="n3", embed_port=stub.port)]))
        agent("--node", "n3", **environ)
        return until(lambda: (found := broker.report("n3")) and found.models)[0]

    return report


@pytest.mark.parametrize("shape", KNOWN)
def test_a_known_shape_is_well_and_gives_the_vector(stub, embedder, shape):
    said = embedder(KNOWN[shape])
    server = ModelServer(stub.url)
    assert (said.healthy, said.model) == (True, "stub")
    assert np.allclose(server.embed(["any"]), [VECTOR])
    server.close()


@pytest.mark.parametrize("shape", PER_TOKEN)
def test_a_vector_for_each_token_is_refused_and_the_node_named(stub, embedder, shape):
    said = embedder(PER_TOKEN[shape])
    server = ModelServer(stub.url)
    assert not said.healthy
    assert said.reason.startswith("pooling is off on node n3: 2 vectors for one text")
    with pytest.raises(WrongModel):
        server.embed(["any"])
    server.close()


def test_a_wrong_content_type_with_the_right_content_is_well(stub, embedder):
    stub.content_type = "text/html"
    assert embedder(KNOWN["OpenAI's"]).healthy


def test_a_page_instead_of_an_answer_is_refused(stub, embedder):
    stub.content_type = "text/html"
    assert "answered 200 with a web page" in embedder(b"<html>It works!</html>").reason


def test_the_dimension_is_the_stores(embedder):
    said = embedder(KNOWN["OpenAI's"], MEMLANE_EMBED_DIMENSION="384")
    assert "4 numbers, not 384 as MEMLANE_EMBED_DIMENSION says" in said.reason
