"""The WSGI server: waitress, ended by SIGTERM, with our error shape for what it refuses before the app sees it."""

from __future__ import annotations

import logging
import signal
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

from flask import Flask
from waitress import wasyncore
from waitress.server import BaseWSGIServer, create_server

from api.channels import ShapedChannel
from api.context import KNOWN_KEYS, LIMITS, STREAMS
from api.dispatcher import Dispatcher
from api.streams import Streams
from api.writes import teller
from memory.settings import Settings

log = logging.getLogger("memlane.api")

# What is under way gets this long to end; the supervisor wants the process gone within 2 s.
GRACE_SECONDS = 1.0
# How often idle connections are looked after; answers do not wait for it.
LOOP_SECONDS = 1.0
# How often connections that nobody uses are looked for.
CLEANUP_SECONDS = 5
# How long the head of a request may take, which is one packet mostly.
HEAD_SECONDS = 10.0
# A body is read to its end up to so many times the limit before it is refused: who is still sending when the connection
# closes sees a broken pipe in place of the 413.
READ_OUT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What waitress has bound: more than one socket when the address has several."""

    waitress: Any
    sockets: dict[int, Any]  # by file descriptor
    streams: Streams


def make_server(app: Flask, settings: Settings) -> Server:
    """Bind the address; requests are answered once `run` is called.

    Args:
        app: the application.
        settings: address, port, threads, and the limits of connections and waits.

    Returns:
        The server.

    Raises:
        OSError: the address cannot be bound.
    """
    sockets: dict[int, Any] = {}
    dispatcher = Dispatcher(app.extensions[LIMITS], most=settings.queue_requests, seconds=settings.queue_seconds)
    # A stream holds its thread as long as it is open; those that answer are not to become fewer by it.
    dispatcher.set_thread_count(settings.threads + settings.streams)
    server = create_server(
        app,
        map=sockets,
        _dispatcher=dispatcher,
        host=settings.host,
        port=settings.port,
        max_request_body_size=max(READ_OUT * settings.max_body_bytes, 2 * settings.max_file_bytes),
        # More connections than threads may be open: they cost a socket each, not a thread.
        connection_limit=settings.connections,
        channel_timeout=settings.idle_seconds,
        cleanup_interval=CLEANUP_SECONDS,
        ident=None,
        expose_tracebacks=False,
        # `api/auth.py` wants to see that a proxy stands in between.
        clear_untrusted_proxy_headers=False,
    )
    for listener in list(sockets.values()):
        if isinstance(listener, BaseWSGIServer):
            listener.channel_class = ShapedChannel
            listener.adj.receive_seconds = settings.receive_seconds
            listener.adj.head_seconds = min(HEAD_SECONDS, settings.receive_seconds)
            listener.adj.usual_bytes = settings.max_body_bytes
            listener.adj.known_keys = app.extensions[KNOWN_KEYS]
            listener.adj.limits = app.extensions[LIMITS]
            listener.adj.writes = teller(app)
            # The app refuses what is over its own limit with a sentence; this is what it gets to see.
            listener.adj.import_bytes = settings.max_import_bytes + READ_OUT * settings.max_body_bytes
    return Server(waitress=server, sockets=sockets, streams=app.extensions[STREAMS])


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
    server.streams.end()
    server.waitress.task_dispatcher.shutdown(timeout=GRACE_SECONDS)
    wasyncore.close_all(server.sockets)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)
