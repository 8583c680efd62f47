"""A server in this process, over real sockets, and who asks it."""

import json
import socket
import threading
import time
from contextlib import contextmanager

from waitress import wasyncore

from api.server import make_server

CALLERS = []


@contextmanager
def serving(app, settings):
    server = make_server(app, settings)
    stopped = threading.Event()

    def loop():
        while not stopped.is_set():
            wasyncore.loop(timeout=0.02, map=server.sockets, use_poll=True, count=1)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield int(server.waitress.effective_port)
    finally:
        while CALLERS:
            CALLERS.pop().close()
        server.streams.end()
        server.waitress.task_dispatcher.shutdown(timeout=2)
        stopped.set()
        thread.join(5)
        wasyncore.close_all(server.sockets)


class Caller:
    """A connection that has sent one request."""

    def __init__(self, port, text="GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=15)
        CALLERS.append(self)
        self.socket.sendall(text.encode())

    def answer(self):
        """Return status, header fields and JSON."""
        head, _, rest = self._until(b"\r\n\r\n").partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        while len(rest) < int(fields.get("content-length", 0)):
            rest += self.socket.recv(65536)
        return int(first.split()[1]), fields, json.loads(rest) if rest else None

    def _until(self, mark):
        held = b""
        while mark not in held:
            part = self.socket.recv(65536)
            if not part:
                raise ConnectionError(held)
            held += part
        return held

    def close(self):
        self.socket.close()


def wait_until(true, seconds=10):
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it did not come about in time"
        time.sleep(0.01)


def assert_overloaded(answer):
    status, fields, body = answer
    assert status == 503
    assert body["code"] == "busy"
    assert set(body) == {"error", "code", "details"}
    assert int(fields["retry-after"]) >= 1
    assert fields["x-request-id"]
    assert fields["connection"] == "close"
