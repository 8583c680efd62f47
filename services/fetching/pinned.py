"""A connection to the very address that was judged; names are for the certificate and the other side's routing only."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import certifi

from memory.errors import FetchFailed
from memory.networks import Address
from services.fetching.records import Deadline
from services.fetching.targets import Target

# One address of several that does not answer must not use up the time for the others.
CONNECT_SECONDS = 5.0


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """Return how certificates are checked: against the system's authorities and those the program came with."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context


@contextmanager
def connected(target: Target, places: Sequence[Address], deadline: Deadline) -> Iterator[socket.socket]:
    """Connect to one of the judged addresses, with TLS when the URL says so.

    Args:
        target: whose host the certificate has to name.
        places: where to, in the order they are tried.
        deadline: of the fetch.

    Yields:
        The connection; closed at the end of the block.

    Raises:
        FetchFailed: none could be reached, in time, or its certificate is not valid.
    """
    plain = _first(target, places, deadline)
    try:
        if target.scheme == "https":
            plain = _encrypted(plain, target, deadline)
        yield plain
    finally:
        plain.close()


def _first(target: Target, places: Sequence[Address], deadline: Deadline) -> socket.socket:
    trouble: OSError | None = None
    for place in places:
        family = socket.AF_INET if place.version == 4 else socket.AF_INET6
        seconds = min(deadline.left(), CONNECT_SECONDS)
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(seconds)
            connection.connect((str(place), target.port))
        except OSError as error:
            connection.close()
            trouble = error
        else:
            return connection
    deadline.left()
    raise FetchFailed(f"The page could not be fetched: {target.host} does not answer ({trouble}).") from trouble


def _encrypted(plain: socket.socket, target: Target, deadline: Deadline) -> ssl.SSLSocket:
    # The timeout of a handshake is one of the whole handshake (CPython counts it down over its reads and writes).
    plain.settimeout(deadline.left())
    try:
        return tls().wrap_socket(plain, server_hostname=target.host)
    except TimeoutError as error:
        plain.close()
        raise deadline.passed() from error
    except (ssl.SSLError, ssl.CertificateError) as error:
        plain.close()
        why = getattr(error, "verify_message", "") or error.reason or "the handshake failed"
        raise FetchFailed(f"The page could not be fetched: {target.host} has no valid certificate ({why}).") from error
    except OSError as error:
        plain.close()
        raise FetchFailed(f"The page could not be fetched: {target.host} ended the handshake ({error}).") from error
