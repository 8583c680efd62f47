"""Who is calling. This is the trust boundary of the API: everything behind it acts for the caller found here.

There are two planes with keys of their own. `/v1/admin` is the control plane; everything else holds a tenant's data.
The key of one plane is an unknown key on the other.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Request

from memory.addresses import is_loopback
from memory.errors import Forbidden, Unauthenticated
from memory.settings import Settings
from services import admin, keys, members
from services.admin import AT_THIS_MACHINE, Administrator
from services.host import Host
from services.keys import Caller
from services.members import TENANT_HEADER

CONTROL = "/v1/admin"
# A client that insists on sending some key to a keyless machine sends this word.
NO_KEY = "local"
# Whoever sends one of these stands between us and somebody who need not be on this machine.
PROXY_HEADERS = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
# Every browser sends one of these to a loopback address with each request that it makes for a page.
PAGE_HEADERS = ("Origin", "Referer", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest")


def caller(host: Host, request: Request) -> Caller:
    """Find out who sends a request to the data of a tenant.

    Trust boundary. A Bearer key is believed when its hash is on record, not revoked and not expired, and a Bearer ID
    token when the configured issuer has signed it for this server; nothing else in a request says whose data it may
    touch. The header `X-Memlane-Tenant` chooses among the tenants that a person is a member of and opens none. Without
    a key a request is believed to come from the person at this machine only when the server listens on loopback and
    its settings say so, the connection comes from loopback, no proxy stands in between, and it is not a web page that
    speaks: the `Host` must be a loopback name, which a page that had its own name pointed here cannot send, and an
    `Origin` must be this server's own.

    Args:
        host: the adapters; `settings.host` is the address the server listens on.
        request: what came in.

    Returns:
        The caller, with tenant, actor and what its key is limited to.

    Raises:
        Unauthenticated: a key is needed, or the one sent is not valid.
        Forbidden: a web page or a proxy tried to pass for the person at this machine; a person is no member; or a key
            came with the name of another tenant.
        InvalidInput: a person is a member of several tenants and names none.
        IssuerDown: a token came, and it cannot be checked now.
    """
    secret = bearer(request.headers.get("Authorization", ""))
    wanted = request.headers.get(TENANT_HEADER)
    if secret is None:
        _require_this_machine(host.settings, request)
    elif host.issuer is not None and _is_token(secret):
        return _noted(host, members.caller(host, host.issuer.identify(secret), wanted))
    found = keys.resolve(host, secret)
    if wanted not in (None, found.tenant):
        # The same words whether there is such a tenant or not.
        raise Forbidden("This key opens another tenant than the one that is named.", field=TENANT_HEADER)
    return _noted(host, found)


def is_control(request: Request) -> bool:
    """Tell whether a request that has a route is for the control plane."""
    rule = request.url_rule.rule if request.url_rule is not None else ""
    return rule == CONTROL or rule.startswith(f"{CONTROL}/")


def administrator(host: Host, request: Request) -> Administrator:
    """Find out who sends a request to the control plane.

    Trust boundary. An admin key is believed when its hash is on record and not revoked, and an ID token as for data,
    when the settings name the person or the person owns a tenant. Without a key a request is believed to come from the
    person at this machine on the terms of `caller`, and only when no web page sends it, of whatever origin: text that
    a page of this server shows must not be able to make keys.

    Args:
        host: the adapters.
        request: what came in.

    Returns:
        Who administers, and which tenants.

    Raises:
        Unauthenticated: an admin key is needed, or the one sent is not valid; the key of a tenant is not.
        Forbidden: a web page or a proxy, or a person who may administer nothing.
        IssuerDown: a token came, and it cannot be checked now.
    """
    secret = bearer(request.headers.get("Authorization", ""))
    if secret is None:
        _require_this_machine(host.settings, request)
        _require_no_page(request)
        return AT_THIS_MACHINE
    if host.issuer is not None and _is_token(secret):
        return members.administrator(host, host.issuer, host.issuer.identify(secret))
    found = admin.resolve(host, secret)
    if host.uses is not None:
        host.uses.note(found.actor.id, host.clock())
    return found


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


def _is_token(secret: str) -> bool:
    # No key of ours has a dot.
    return secret.count(".") == 2


def _noted(host: Host, who: Caller) -> Caller:
    if host.uses is not None and who.actor != keys.LOCAL:
        host.uses.note(who.actor.id, host.clock())
    return who


def _require_this_machine(settings: Settings, request: Request) -> None:
    if not settings.keyless or not is_loopback(settings.host) or not is_loopback(request.remote_addr or ""):
        raise Unauthenticated
    if any(name in request.headers for name in PROXY_HEADERS):
        raise Unauthenticated("A request that came through a proxy needs a key; send `Authorization: Bearer <key>`.")
    if not is_loopback(_hostname(request.host)):
        raise Forbidden("The Host header must be a loopback name, such as 127.0.0.1 or localhost.", field="Host")
    origin = request.headers.get("Origin")
    if origin is not None and origin != request.host_url.rstrip("/"):
        raise Forbidden("A web page of another origin may not use this server without a key.", field="Origin")


def _require_no_page(request: Request) -> None:
    for name in PAGE_HEADERS:
        if name in request.headers:
            raise Forbidden("A web page may not administer without the admin key.", field=name)


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
