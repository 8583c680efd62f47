"""Who is calling. This is the trust boundary of the API: everything behind it acts for the caller found here."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Request

from memory.addresses import is_loopback
from memory.errors import Forbidden, Unauthenticated
from services import keys
from services.host import Host
from services.keys import Caller

# A client that insists on sending some key to a keyless machine sends this word.
NO_KEY = "local"
# Whoever sends one of these stands between us and somebody who need not be on this machine.
PROXY_HEADERS = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")


def caller(host: Host, request: Request) -> Caller:
    """Find out who sends a request.

    Trust boundary. A Bearer key is believed when its hash is on record, not revoked and not expired; nothing else in a
    request says whose data it may touch. Without a key a request is believed to come from the person at this machine
    only when the server listens on loopback, the connection comes from loopback, no proxy stands in between, and it is
    not a web page that speaks: the `Host` must be a loopback name, which a page that had its own name pointed here
    cannot send, and an `Origin` must be this server's own.

    Args:
        host: the adapters; `settings.host` is the address the server listens on.
        request: what came in.

    Returns:
        The caller, with tenant, actor and what its key is limited to.

    Raises:
        Unauthenticated: a key is needed, or the one sent is not valid.
        Forbidden: a web page or a proxy tried to pass for the person at this machine.
    """
    secret = bearer(request.headers.get("Authorization", ""))
    if secret is None:
        _require_this_machine(host.settings.host, request)
    return keys.resolve(host, secret)


def bearer(header: str) -> str | None:
    """Return the key of an Authorization header; None when it carries none.

    Raises:
        Unauthenticated: the header has another scheme.
    """
    scheme, _, secret = header.strip().partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise Unauthenticated
    secret = secret.strip()
    return None if secret in ("", NO_KEY) else secret


def _require_this_machine(listening: str, request: Request) -> None:
    if not is_loopback(listening) or not is_loopback(request.remote_addr or ""):
        raise Unauthenticated
    if any(name in request.headers for name in PROXY_HEADERS):
        raise Unauthenticated("A request that came through a proxy needs a key; send `Authorization: Bearer <key>`.")
    if not is_loopback(_hostname(request.host)):
        raise Forbidden("The Host header must be a loopback name, such as 127.0.0.1 or localhost.", field="Host")
    origin = request.headers.get("Origin")
    if origin is not None and origin != request.host_url.rstrip("/"):
        raise Forbidden("A web page of another origin may not use this server without a key.", field="Origin")


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
