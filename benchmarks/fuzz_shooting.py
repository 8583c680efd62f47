"""Sends the requests of the fuzz as they are: no library in between that would set them right."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from requests.structures import CaseInsensitiveDict

from benchmarks.fuzz_requests import Shot

HOST = "127.0.0.1"
# Of a stream only the beginning is read; it may last as long as a job.
STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What was answered."""

    status: int  # 0: nothing
    seconds: float
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


class Shooter:
    """One connection, made again when it is closed."""

    def __init__(self, port: int, *, seconds: float) -> None:
        """Connect at the first request.

        Args:
            port: of the server.
            seconds: after so long without a byte it counts as no answer.
        """
        self._port = port
        self._seconds = seconds
        self._connection: http.client.HTTPConnection | None = None

    def shoot(self, shot: Shot) -> Hit:
        """Send a request and return what is answered."""
        began = time.perf_counter()
        try:
            return self._raw(shot.raw, began) if shot.raw is not None else self._sent(shot, began)
        except (OSError, http.client.HTTPException) as error:
            self._close()
            return Hit(status=0, seconds=time.perf_counter() - began, text=f"{type(error).__name__}: {error}")

    def _sent(self, shot: Shot, began: float) -> Hit:
        for last in (False, True):
            try:
                answer = self._asked(shot)
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                # A kept connection may have been closed meanwhile; a new one may not be.
                self._close()
                if last:
                    raise
        headers = CaseInsensitiveDict(answer.getheaders())
        streamed = str(headers.get("Content-Type", "")).startswith(STREAM)
        text = "" if streamed else answer.read().decode("utf-8", "replace")
        if streamed or answer.will_close:
            self._close()
        return Hit(status=answer.status, seconds=time.perf_counter() - began, headers=headers, text=text)

    def _asked(self, shot: Shot) -> http.client.HTTPResponse:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(HOST, self._port, timeout=self._seconds)
        names = {name.lower() for name in shot.headers}
        self._connection.putrequest(
            shot.method, shot.path or "/", skip_host="host" in names, skip_accept_encoding="accept-encoding" in names
        )
        for name, value in shot.headers.items():
            self._connection.putheader(name, value.encode("latin-1", "replace"))
        if shot.body is not None and "content-length" not in names:
            self._connection.putheader("Content-Length", str(len(shot.body)))
        self._connection.endheaders(shot.body)
        return self._connection.getresponse()

    def _raw(self, raw: bytes, began: float) -> Hit:
        """Send bytes, say that there are no more, and read what comes."""
        with socket.create_connection((HOST, self._port), timeout=self._seconds) as line:
            line.sendall(raw)
            line.shutdown(socket.SHUT_WR)
            found = b""
            while part := line.recv(65536):
                found += part
        words = found.split(b" ", 2)
        status = int(words[1]) if len(words) == 3 and words[1].isdigit() else 0
        text = found.decode("utf-8", "replace")
        return Hit(status=status, seconds=time.perf_counter() - began, text=text)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
