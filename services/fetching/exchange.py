"""One request and its answer. The bytes come through one place, where the clock and the limits are looked at."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import h11

from memory.errors import FetchFailed
from services.fetching.decoding import ACCEPTED, Body, too_large
from services.fetching.records import Deadline, Limits
from services.fetching.targets import Target

READ_BYTES = 64 * 1024
# Nothing of a caller's is in here: no cookie, no key, no referrer, no name of a person or machine.
_HEADERS = (
    ("User-Agent", "Memlane/0.1 (fetches pages that people hand in)"),
    ("Accept", "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.5"),
    ("Accept-Encoding", ACCEPTED),
    ("Connection", "close"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]  # lower-case names; of repeated ones the first
    body: bytes  # unpacked; empty when the answer is no page


def exchange(target: Target, connection: socket.socket, limits: Limits, deadline: Deadline) -> Answer:
    """Ask for a page and read the answer; the body is read only when it is a page.

    Args:
        target: what to ask for.
        connection: to its host.
        limits: of the fetch.
        deadline: of the fetch.

    Raises:
        FetchFailed: the answer is no HTTP, too large, cut off or late.
    """
    wire = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.header_bytes)
    request = h11.Request(method="GET", target=target.path, headers=[("Host", target.authority), *_HEADERS])
    try:
        _send(connection, wire.send(request) + wire.send(h11.EndOfMessage()), deadline)
        head = _head(wire, connection, limits, deadline)
        headers = _as_mapping(head)
        body = _body(wire, connection, headers, limits, deadline) if 200 <= head.status_code < 300 else b""
    except h11.RemoteProtocolError as error:
        raise _no_http(error) from error
    return Answer(status=head.status_code, headers=headers, body=body)


def _head(wire: h11.Connection, connection: socket.socket, limits: Limits, deadline: Deadline) -> h11.Response:
    """Read up to the end of the headers; what announces the answer beforehand is read over, within the same bound."""
    came = 0
    while True:
        event = wire.next_event()
        if event is h11.NEED_DATA:
            if came > limits.header_bytes:
                raise FetchFailed("The page could not be fetched: its headers are too large.", final=True)
            data = _receive(connection, min(READ_BYTES, limits.header_bytes + 1 - came), deadline)
            came += len(data)
            wire.receive_data(data)
        elif isinstance(event, h11.Response):
            return event
        elif not isinstance(event, h11.InformationalResponse):
            raise FetchFailed("The page could not be fetched: the connection ended before an answer came.")


def _body(
    wire: h11.Connection, connection: socket.socket, headers: Mapping[str, str], limits: Limits, deadline: Deadline
) -> bytes:
    said = headers.get("content-length", "")
    encoding = headers.get("content-encoding", "")
    if not encoding and said.isdigit() and int(said) > limits.body_bytes:
        raise too_large(limits.body_bytes)
    body = Body(encoding, limits.body_bytes)
    while not isinstance(event := wire.next_event(), h11.EndOfMessage | h11.ConnectionClosed):
        if event is h11.NEED_DATA:
            wire.receive_data(_receive(connection, READ_BYTES, deadline))
        elif isinstance(event, h11.Data):
            body.add(bytes(event.data))
    return body.whole()


def _send(connection: socket.socket, data: bytes | None, deadline: Deadline) -> None:
    try:
        connection.settimeout(deadline.left())
        connection.sendall(data or b"")
    except TimeoutError as error:
        raise deadline.passed() from error
    except OSError as error:
        raise FetchFailed(f"The page could not be fetched: the connection ended ({error}).") from error


def _receive(connection: socket.socket, most: int, deadline: Deadline) -> bytes:
    """Receive some bytes; none at the end. Each wait is for what is left of the whole, never for a time of its own."""
    try:
        connection.settimeout(deadline.left())
        return connection.recv(max(most, 1))
    except TimeoutError as error:
        raise deadline.passed() from error
    except ssl.SSLEOFError:
        return b""  # ended without saying goodbye, as many do; a body that has a length is found to be short
    except OSError as error:
        raise FetchFailed(f"The page could not be fetched: the connection ended ({error}).") from error


def _as_mapping(head: h11.Response) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, value in head.headers:
        found.setdefault(name.decode("ascii").lower(), value.decode("utf-8", "replace"))
    return found


def _no_http(error: h11.RemoteProtocolError) -> FetchFailed:
    if error.error_status_hint == 431:
        return FetchFailed("The page could not be fetched: its headers are too large.", final=True)
    return FetchFailed(f"The page could not be fetched: what came is no whole answer ({error}).")
