"""What a handler finds at hand: the adapters, the places, and who is calling."""

from __future__ import annotations

from typing import cast

from flask import current_app, g

from api.limits import Limits
from memory.records import Actor
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
