"""The part of the fake server that listens: requests read from a socket, answers written to it."""

from __future__ import annotations

import json
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from memlane.fake_requests import Answer, Request, body_of


class Answering(Protocol):
    """What is asked."""

    faults: deque[Answer | None]  # answered first; None hangs up
    requests: list[Request]

    def answer(self, request: Request) -> Answer:
        """Answer one request."""
        ...


def listening(fake: Answering) -> ThreadingHTTPServer:
    """Return a server on a free port that asks this fake; it answers once `serve_forever` is called."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"fake": fake}))
    server.daemon_threads = True
    return server


class _Handler(BaseHTTPRequestHandler):
    fake: Answering
    protocol_version = "HTTP/1.1"
    # Head and body leave in one packet; two of them cost 40 ms of delayed acknowledgement each time.
    wbufsize = -1

    def _handle(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=parts.path,
            query={name: values[0] for name, values in parse_qs(parts.query).items()},
            body=body_of(self.headers, raw),
            headers={name.lower(): value for name, value in self.headers.items()},
        )
        self.fake.requests.append(request)
        answer = self.fake.faults.popleft() if self.fake.faults else self.fake.answer(request)
        if answer is None:
            self.close_connection = True
            return
        self._send(*answer)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _handle

    def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"X-Request-Id": "req_1", **headers, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep standard error clean."""
