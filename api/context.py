"""What a handler finds at hand: the adapters, the places, and who is calling."""

from __future__ import annotations

from typing import cast

from flask import current_app, g

from api.known_keys import KnownKeys
from api.limits import Limits
from api.rates import Rates
from api.streams import Streams
from memory.records import Actor
from services.admin import Administrator
from services.host import Host
from services.keys import Caller

HOST = "memlane.host"
LIMITS = "memlane.limits"
RATES = "memlane.rates"
STREAMS = "memlane.streams"
KNOWN_KEYS = "memlane.known_keys"


def host() -> Host:
    """Return the adapters of this process."""
    return cast(Host, current_app.extensions[HOST])


def limits() -> Limits:
    """Return the places of this process."""
    return cast(Limits, current_app.extensions[LIMITS])


def rates() -> Rates:
    """Return how often each caller of this process has asked."""
    return cast(Rates, current_app.extensions[RATES])


def known_keys() -> KnownKeys:
    """Return the keys that were valid in this process not long ago."""
    return cast(KnownKeys, current_app.extensions[KNOWN_KEYS])


def streams() -> Streams:
    """Return the open streams of this process."""
    return cast(Streams, current_app.extensions[STREAMS])


def caller() -> Caller:
    """Return who is calling, as `api/auth.py` found out."""
    return cast(Caller, g.caller)


def known_caller() -> bool:
    """Tell whether it is known who is calling; only open routes are reached otherwise."""
    return "caller" in g


def administrator() -> Administrator:
    """Return who administers, as `api/auth.py` found out; only the control plane has one."""
    return cast(Administrator, g.administrator)


def actor() -> Actor:
    """Return in whose name the request acts."""
    return caller().actor
