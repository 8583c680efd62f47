"""What a handler finds at hand: the adapters, the places, and who is calling."""

from __future__ import annotations

from typing import cast

from flask import current_app, g

from api.body import body_hash, idempotency_key
from api.limits import Limits
from memory.records import Actor, Idempotency
from services.host import Host
from services.keys import Caller

HOST = "memlane.host"
LIMITS = "memlane.limits"


def host() -> Host:
    """Return the adapters of this process."""
    return cast(Host, current_app.extensions[HOST])


def limits() -> Limits:
    """Return the places of this process."""
    return cast(Limits, current_app.extensions[LIMITS])


def caller() -> Caller:
    """Return who is calling, as `api/auth.py` found out."""
    return cast(Caller, g.caller)


def known_caller() -> bool:
    """Tell whether it is known who is calling; only open routes are reached otherwise."""
    return "caller" in g


def actor() -> Actor:
    """Return in whose name the request acts."""
    return caller().actor


def idempotency(route: str) -> Idempotency | None:
    """Return what makes a repeated POST answer as the first did; None without the header.

    Args:
        route: names the route in the row that is kept.

    Raises:
        InvalidInput: the header is not a key.
    """
    key = idempotency_key()
    return Idempotency(route=route, key=key, body_hash=body_hash()) if key is not None else None
