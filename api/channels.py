"""One connection of the server: our error shape, a bound on how slowly one may send, and a look at who left."""

from __future__ import annotations

import json
import logging
import secrets
import time
from collections.abc import Callable
from typing import Any

from waitress.channel import HTTPChannel
from waitress.task import ErrorTask, WSGITask
from waitress.utilities import Error

from api.errors import FRAMEWORK, INTERNAL, RETRY_AFTER_SECONDS, shape
from api.heads import RoutedParser
from api.known_keys import KnownKeys
from api.limits import Limits
from api.request_hooks import REQUEST_ID
from services import request_ids

log = logging.getLogger("memlane.api")

# In the environment of a request: a function that begins to watch the connection, and returns one that tells whether
# the caller has left.
WATCH = "memlane.watch"

# What comes more slowly, once there was time for a head, is a connection that is held and not a body that is sent: a
# telephone at the edge of its network sends ten times as much.
LEAST_BYTES_PER_SECOND = 500.0


class TooSlow(Error):  # type: ignore[misc]
    """A request was not sent to its end in time."""

    code = 408
    reason = "Request Timeout"


class Overloaded(Error):  # type: ignore[misc]
    """A request would have waited too long for a thread."""

    code = 503
    reason = "Service Unavailable"


class ShapedError(ErrorTask):  # type: ignore[misc]
    """Answers a request that never reaches the app: malformed, too large, too slow, or one too many."""

    def execute(self) -> None:
        """Write the error shape and close the connection."""
        refused = self.request.error
        sent = self.request.headers.get("X_REQUEST_ID", "")
        request_id = sent if REQUEST_ID.fullmatch(sent) else f"req_{secrets.token_hex(13)}"
        with request_ids.working_for(request_id):
            log.info("refused status=%d", refused.code)
        code, sentence = FRAMEWORK.get(refused.code, (f"http_{refused.code}", f"{refused.reason}."))
        sentence = getattr(refused, "sentence", sentence)
        if refused.code >= 500 and refused.code not in FRAMEWORK:
            code, sentence = INTERNAL
        body = json.dumps(shape(sentence, code, {"field": "body"} if refused.code == 413 else {})).encode()
        self.status = f"{refused.code} {refused.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.response_headers.append(("X-Request-Id", request_id))
        if refused.code == 503:
            self.response_headers.append(("Retry-After", str(RETRY_AFTER_SECONDS)))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class WatchedTask(WSGITask):  # type: ignore[misc]
    """A request whose caller can be watched."""

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment, with `WATCH`."""
        return {**super().get_environment(), WATCH: self.channel.watch}


class ShapedChannel(HTTPChannel):  # type: ignore[misc]
    """A connection whose errors have our shape."""

    task_class = WatchedTask
    error_task_class = ShapedError
    parser_class = RoutedParser
    request: Any = None  # what has come of the next request
    # Of the request that is being received; set when the first of it comes.
    _began = 0.0
    _began_at = 0.0  # on the clock of `last_activity`
    _taken = 0  # bytes
    _slow = False
    _watched = False

    def __init__(self, server: Any, sock: Any, addr: Any, adj: Any, map: Any = None) -> None:
        """Take a new connection; when there are as many as may be, the one that sent no whole head for longest goes.

        Args:
            server: waitress's.
            sock: of the connection.
            addr: of the caller.
            adj: waitress's settings, with our `receive_seconds`, `head_seconds`, `usual_bytes`, `known_keys`, `limits`
                and `writes`.
            map: of the sockets.
        """
        super().__init__(server, sock, addr, adj, map=map)
        self._known_keys: KnownKeys = adj.known_keys
        self._limits: Limits = adj.limits
        self._writes: Callable[[str, str], bool] = adj.writes
        # As waitress counts them when it decides whether to take another one.
        if len(self._map) >= adj.connection_limit - 1:
            others = [one for one in server.active_channels.values() if one.may_go and one is not self]
            if others:
                # Idle ones and half heads alike: were the idle ones first, a flood of half heads would push out
                # whoever has just connected.
                min(others, key=lambda one: one.waits_since).make_room()

    @property
    def may_go(self) -> bool:
        """Whether nothing is lost with the connection: it is idle, or has sent a part of a head only."""
        return not (self.requests or self.will_close or self.close_when_flushed) and (
            self.request is None or not self.request.headers_finished
        )

    @property
    def waits_since(self) -> float:
        """When the connection became idle, or its unfinished head began."""
        return self.last_activity if self.request is None else self._began_at

    def make_room(self) -> None:
        """Close the connection; who has begun a head is told so if that can be written at once."""
        if self.request is not None:
            self._give_up()
            self._flush_exception(self._flush_some, do_close=False)
        self.will_close = True

    def caller(self) -> str:
        """Name whose the request that waits is."""
        return self._known_keys.name(str(self.requests[0].headers.get("AUTHORIZATION", "")))

    def writes(self) -> bool:
        """Tell whether the request that waits will ask for a place to write."""
        asked = self.requests[0]
        return asked.error is None and bool(self._writes(asked.command, asked.request_uri))

    def service(self) -> None:
        """Answer the request that waits; a place to write that it was given and has not used is free then."""
        try:
            super().service()
        finally:
            self._limits.rest()

    def refuse(self) -> None:
        """Answer the request that waits with 503."""
        self.requests[0].error = Overloaded("")
        self.service()

    def received(self, data: bytes) -> bool:
        """Take what was sent, unless the request takes too long.

        Args:
            data: just read.

        Returns:
            Whether it was taken.
        """
        if self._slow:
            return False
        before = self.request
        if before is None:
            self._begin()
        elif time.monotonic() - self._began > self._may_take(self._taken + len(data)):
            return self._give_up()
        self._taken += len(data)
        taken = bool(super().received(data))
        if before is not None and self.request is not before:
            # What came also began the next request, whose time is its own.
            self._begin()
        return taken

    def _begin(self) -> None:
        self._began, self._began_at, self._taken = time.monotonic(), self.last_activity, 0

    def _may_take(self, taken: int) -> float:
        """Return how long so many bytes may take: more than a usual body has in proportion, a trickle not as long."""
        usual = self.adj.receive_seconds * max(1.0, taken / self.adj.usual_bytes)
        return float(min(usual, self.adj.head_seconds + taken / LEAST_BYTES_PER_SECOND))

    def _give_up(self) -> bool:
        """Answer what has come of a request with 408; what may still come is not read."""
        with self.requests_lock:
            self._slow = True
            request, self.request = self.request, None
            request.error = TooSlow("")
            self.requests.append(request)
            first = len(self.requests) == 1
        if first:
            # Here, and not by a thread: those may all be held, and it waits for nothing.
            self.service()
        return False

    def _is_stuck(self) -> bool:
        """Tell whether a head takes too long, or a body is silent while others cannot connect."""
        if self.request is None or self.requests or self.will_close or self.close_when_flushed:
            return False
        if not self.request.headers_finished:
            return bool(time.monotonic() - self._began > self.adj.head_seconds)
        silent = time.time() - self.last_activity
        return bool(self.server.in_connection_overflow and silent > self.adj.head_seconds)

    def watch(self) -> Callable[[], bool]:
        """Begin to read from the connection while its request is answered, which is how a caller that left shows.

        Returns:
            Tells whether the caller has left.
        """
        self._watched = True
        self.server.pull_trigger()
        return self._has_left

    def _has_left(self) -> bool:
        return not self.connected

    def readable(self) -> bool:
        """Return whether the server's loop is to read from the connection; it asks each one every second or sooner."""
        if self._is_stuck():
            self._give_up()
        if self._watched and not (self.will_close or self.close_when_flushed):
            # One more request may wait behind the one that is answered, not any number.
            return len(self.requests) <= 1
        return bool(super().readable())
