"""A model server for tests and demonstrations: real HTTP, words instead of a model, faults on request.

It is held to the same contract tests as the embedded server. `python -m inference.fakes --port N --delay S` runs it
alone, so that a stack can be pointed at it; with `--call S` and `--slots N` it stands in for a slow machine. Whoever
reaches a fake that runs alone may change its conduct with `POST /conduct` (see `inference.fake_service.Conduct.obey`).
"""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import threading
from collections import deque
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from inference.fake_answers import MODEL, Offer, answer_call, model_texts, role_of
from inference.fake_chat import FakeChat
from inference.fake_faults import Fault, bent
from inference.fake_service import Conduct, ServiceTime
from inference.fake_sockets import CuttableServer, cut
from inference.wire_requests import MAX_BODY_BYTES, Refusal, models_body, read_object
from memory.fleet import Role

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One request as it came in."""

    method: str
    path: str
    body: dict[str, Any]  # empty when there was none or it was not a JSON object
    authorized: bool
    connection: tuple[str, int]  # the caller's address; the same for requests on one connection


@dataclass(slots=True)
class _State:
    offer: Offer
    delay: float
    key: str
    controlled: bool
    lock: threading.Lock = field(default_factory=threading.Lock)
    requests: list[Recorded] = field(default_factory=list)
    faults: deque[Fault] = field(default_factory=deque)
    conduct: Conduct = field(default_factory=Conduct)
    stopping: threading.Event = field(default_factory=threading.Event)


class FakeModelServer:
    """A fake model server on a free port; starts on entering the context and ends on leaving it."""

    def __init__(
        self,
        *,
        dimension: int = 384,
        delay: float = 0.0,
        key: str = "",
        host: str = "127.0.0.1",
        port: int = 0,
        conduct: Conduct | None = None,
        controlled: bool = False,
        limit: int = 0,
        roles: Collection[Role] = ("embed", "rerank", "llm"),
        chat: FakeChat | None = None,
    ) -> None:
        """Prepare the server.

        Args:
            dimension: length of a vector.
            delay: seconds before every answer.
            key: bearer token that is asked for; none when empty.
            host: where to listen.
            port: on that address; 0 for a free one.
            conduct: how long it takes and for whom it fails, when that is shared with another server.
            controlled: whether `POST /conduct` changes that, without a key.
            limit: tokens of the physical batch and of the context, two characters each; a longer text is refused. 0
                for no limit.
            roles: what it is there for; other calls are refused, as by a llama-server that was started otherwise.
            chat: what its language model answers; None for the plainest one.
        """
        self.chat = chat or FakeChat()
        offer = Offer(dimension=dimension, limit=limit, roles=tuple(roles), chat=self.chat)
        self._state = _State(offer=offer, delay=delay, key=key, conduct=conduct or Conduct(), controlled=controlled)
        self._host = host
        self._http = _HTTPServer((host, port), self._state)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="fake-model", daemon=True)

    def __enter__(self) -> FakeModelServer:
        """Start answering."""
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop: open connections are cut and the port is closed."""
        self._state.stopping.set()
        self._http.shutdown()
        self._http.cut_connections()
        self._http.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """The address to hand to `ModelServer`."""
        return f"http://{self._host}:{self.port}"

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far, oldest first."""
        with self._state.lock:
            return list(self._state.requests)

    def fail_next(self, *faults: Fault) -> None:
        """Let the next model calls go wrong, one fault each, in this order."""
        with self._state.lock:
            self._state.faults.extend(faults)

    def fail_always(self, fault: Fault | None) -> None:
        """Let every model call go wrong that has no fault of its own; None heals the server."""
        self._state.conduct.fail("", fault)

    def fail_on(self, words: str, fault: Fault | None) -> None:
        """Let every model call go wrong that carries these words; None heals them."""
        self._state.conduct.fail(words, fault)

    def cut_connections(self) -> None:
        """Close every open connection, as a server does with idle ones."""
        self._http.cut_connections()


class _HTTPServer(CuttableServer):
    def __init__(self, address: tuple[str, int], state: _State) -> None:
        self.state = state
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HTTPServer
    # Head and body leave in two writes; held back, the second would wait for the caller's acknowledgement.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *arguments: Any) -> None:
        log.debug(format, *arguments)

    def _serve(self) -> None:
        state = self.server.state
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if state.controlled and self.path == "/conduct":
            return self._obey(raw)
        authorized = not state.key or self.headers.get("Authorization") == f"Bearer {state.key}"
        fault = self._record(raw, authorized)
        state.stopping.wait(state.delay)
        if fault.delay:
            state.conduct.hold(fault)
        if fault.refuse:
            cut(self.connection)
            return
        status, body = 200, b""
        try:
            body = bent(self._answer(raw, authorized, fault), fault.bend)
        except Refusal as refusal:
            error = refusal.body
            if fault.kind:
                error["error"]["type"] = fault.kind
            status, body = refusal.status, json.dumps(error).encode()
        self._send(status, body, fault)

    def _obey(self, raw: bytes) -> None:
        try:
            order = read_object(raw)
            obeying = self.server.state.offer.chat if "reply" in order else self.server.state.conduct
            obeying.obey(order)
        except (Refusal, ValueError) as error:
            return self._send(400, json.dumps({"error": str(error)}).encode(), Fault())
        self._send(200, b"{}", Fault())

    def _record(self, raw: bytes, authorized: bool) -> Fault:
        state = self.server.state
        try:
            body = read_object(raw) if raw else {}
        except Refusal:
            body = {}
        entry = Recorded(
            method=self.command, path=self.path, body=body, authorized=authorized, connection=self.client_address[:2]
        )
        with state.lock:
            state.requests.append(entry)
            if self.command != "POST":
                return Fault()
            if state.faults:
                return state.faults.popleft()
        return state.conduct.fault(model_texts(body)) or Fault()

    def _answer(self, raw: bytes, authorized: bool, fault: Fault) -> dict[str, Any]:
        call = f"{self.command} {self.path}"
        if call == "GET /health":
            return {"status": "ok"}
        if call == "GET /v1/models":
            return models_body(MODEL, dimension=self.server.state.offer.dimension, context=8192)
        if not authorized:
            raise Refusal(401, "Invalid API Key")
        if fault.status is not None:
            raise Refusal(fault.status, fault.message)
        if len(raw) > MAX_BODY_BYTES:
            raise Refusal(413, f"The body has {len(raw)} bytes; at most {MAX_BODY_BYTES}.")
        body = read_object(raw)
        if role := role_of(call):
            texts = 1 if role == "llm" else len(model_texts(body))
            self.server.state.conduct.serve(texts, letters=int(role == "llm" and "grammar" in body))
        return answer_call(call, body, self.server.state.offer)

    def _send(self, status: int, body: bytes, fault: Fault) -> None:
        self.send_response(status)
        self.send_header("Content-Type", fault.content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not fault.drip:
            self.wfile.write(body)
            return
        for byte in body:
            self.wfile.write(bytes([byte]))
            if self.server.state.stopping.wait(fault.drip):
                return


def main() -> int:
    """Run the fake alone until SIGTERM or SIGINT.

    Returns:
        The exit code, 0.
    """
    parser = argparse.ArgumentParser(prog="python -m inference.fakes", description="A fake model server.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, nargs="+", default=[0], help="one server each; they share slots and faults")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--call", type=float, default=0.0, help="seconds of each model call")
    parser.add_argument("--text", type=float, default=0.0, help="seconds more for each text of a call")
    parser.add_argument("--slots", type=int, default=0, help="model calls at a time; 0: any number")
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--key", default="")
    parser.add_argument("--limit", type=int, default=0, help="tokens of the physical batch and of the context")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s", stream=sys.stderr)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    conduct = Conduct(ServiceTime(call=given.call, text=given.text, slots=given.slots))
    told: dict[str, Any] = {
        "dimension": given.dimension,
        "delay": given.delay,
        "key": given.key,
        "host": given.host,
        "limit": given.limit,
        "chat": FakeChat(),
    }
    with ExitStack() as serving:
        for port in given.port:
            fake = serving.enter_context(FakeModelServer(port=port, conduct=conduct, controlled=True, **told))
            log.info("ready: %s", fake.url)
        stop.wait()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
