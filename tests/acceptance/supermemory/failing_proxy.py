"""A server between the client and Memlane that fails as networks and busy servers do, as often as it is told."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

# Of one connection only.
HOP = frozenset(("connection", "content-length", "host", "keep-alive", "transfer-encoding", "content-encoding"))


@dataclass(kw_only=True)
class FailingProxy:
    """What is to go wrong next, and what has come by."""

    url: str
    target: str
    failures: int = 0  # of the next requests so many fail
    status: int = 503
    headers: Mapping[str, str] = field(default_factory=dict)  # of the failure
    lost: bool = False  # the request is carried out and only its answer is lost
    seen: list[str] = field(default_factory=list)  # method and path of every request
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fail(self, times: int, status: int, *, lost: bool = False, headers: Mapping[str, str] | None = None) -> None:
        """Let the next requests fail.

        Args:
            times: how many.
            status: with which status.
            lost: whether they are carried out all the same.
            headers: of the failure; asks to try again at once when left out.
        """
        with self.lock:
            self.failures, self.status, self.lost, self.seen = times, status, lost, []
            self.headers = {"Retry-After-Ms": "1"} if headers is None else headers

    def failing(self) -> bool:
        """Take one failure off the count; False when none is left."""
        with self.lock:
            self.failures -= 1
            return self.failures >= 0


@contextmanager
def failing_proxy(target: str) -> Iterator[FailingProxy]:
    """Run a proxy for the length of a block.

    Args:
        target: the URL of the server behind it.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            proxy.seen.append(f"{self.command} {self.path}")
            fails = proxy.failing()
            if fails and not proxy.lost:
                self._answer(proxy.status, proxy.headers, b'{"error": "Not now.", "code": "busy", "details": {}}')
                return
            sent = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
            found = requests.request(
                self.command, proxy.target + self.path, data=body, headers=sent, timeout=60, allow_redirects=False
            )
            if fails:
                self._answer(proxy.status, proxy.headers, b'{"error": "Lost.", "code": "busy", "details": {}}')
                return
            kept = {name: value for name, value in found.headers.items() if name.lower() not in HOP}
            self._answer(found.status_code, kept, found.content)

        do_GET = do_POST = do_PATCH = do_DELETE = _pass

        def _answer(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if status != 204:
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing; the test says what came by."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    proxy = FailingProxy(url=f"http://127.0.0.1:{server.server_port}", target=target)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
