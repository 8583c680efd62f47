"""The WSGI server: waitress, ended by SIGTERM, with our error shape for what it refuses before the app sees it."""

from __future__ import annotations

import json
import logging
import secrets
import signal
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask

from api.errors import FRAMEWORK, INTERNAL, shape
from memory.settings import Settings

log = logging.getLogger("memlane.api")

# What is under way gets this long to end; the supervisor wants the process gone within 2 s.
GRACE_SECONDS = 1.0
# How often idle connections are looked after; answers do not wait for it.
LOOP_SECONDS = 1.0
# More connections than threads may be open: they cost a socket each, not a thread.
CONNECTIONS = 500
# A body is read to its end up to so many times the limit before it is refused: who is still sending when the connection
# closes sees a broken pipe in place of the 413.
READ_OUT = 4


class ShapedError(ErrorTask):  # type: ignore[misc]
    """Answers a request that waitress itself refuses (malformed, headers or body too large)."""

    def execute(self) -> None:
        """Write the error shape and close the connection."""
        refused = self.request.error
        code, sentence = FRAMEWORK.get(refused.code, (f"http_{refused.code}", f"{refused.reason}."))
        if refused.code >= 500 and refused.code not in FRAMEWORK:
            code, sentence = INTERNAL
        body = json.dumps(shape(sentence, code, {"field": "body"} if refused.code == 413 else {})).encode()
        self.status = f"{refused.code} {refused.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.response_headers.append(("X-Request-Id", f"req_{secrets.token_hex(13)}"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class ShapedChannel(HTTPChannel):  # type: ignore[misc]
    """A connection whose errors have our shape."""

    error_task_class = ShapedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What waitress has bound: more than one socket when the address has several."""

    waitress: Any
    sockets: dict[int, Any]  # by file descriptor


def make_server(app: Flask, settings: Settings) -> Server:
    """Bind the address; requests are answered once `run` is called.

    Args:
        app: the application.
        settings: address, port, threads and the largest body.

    Returns:
        The server.

    Raises:
        OSError: the address cannot be bound.
    """
    sockets: dict[int, Any] = {}
    server = create_server(
        app,
        map=sockets,
        host=settings.host,
        port=settings.port,
        threads=settings.threads,
        max_request_body_size=READ_OUT * settings.max_body_bytes,
        connection_limit=CONNECTIONS,
        ident=None,
        expose_tracebacks=False,
        # `api/auth.py` wants to see that a proxy stands in between.
        clear_untrusted_proxy_headers=False,
    )
    for listener in list(sockets.values()):
        if isinstance(listener, BaseWSGIServer):
            listener.channel_class = ShapedChannel
    return Server(waitress=server, sockets=sockets)


def run(server: Server) -> None:
    """Serve until SIGTERM or SIGINT; what is under way then gets `GRACE_SECONDS` to end.

    Args:
        server: from `make_server`.
    """
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, _leave)
    try:
        # waitress's own `run` would wait 5 s for threads that hold a long wait.
        wasyncore.loop(timeout=LOOP_SECONDS, map=server.sockets, use_poll=True)
    except SystemExit:
        log.info("ending")
    server.waitress.task_dispatcher.shutdown(timeout=GRACE_SECONDS)
    wasyncore.close_all(server.sockets)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)
