"""The scratchpad of a session: read, replaced, added to. It is kept by the broker alone and goes by itself."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial

from memory.errors import BrokerDown, InvalidInput
from memory.records import Idempotency, Scope
from memory.scratchpad import Scratchpad, noted
from services.host import Host

AWAY = "The scratchpad cannot be reached, because the broker does not answer; nothing was kept."


def read(scope: Scope, host: Host) -> Scratchpad:
    """Return the notes of a session; none is an empty scratchpad.

    Args:
        scope: of one space, with the session; another user's or agent's session of that name is another one.
        host: the adapters.

    Raises:
        InvalidInput: no session is named.
        OneSpace: the scope names no space or several.
        BrokerDown: nobody knows the notes at the moment.
    """
    try:
        return host.scratchpads.read(_own(scope))
    except BrokerDown as error:
        raise BrokerDown("The scratchpad cannot be reached, because the broker does not answer.") from error


def write(
    scope: Scope,
    host: Host,
    text: str,
    *,
    append: bool,
    seconds: float | None = None,
    idempotency: Idempotency | None = None,
) -> Scratchpad:
    """Write a note.

    Args:
        scope: as in `read`.
        host: the adapters.
        text: of the note; blank text that replaces the notes takes them away.
        append: whether the notes that are there stay.
        seconds: how long the scratchpad is kept from now on; None: as the settings say, which is also the most.
        idempotency: names the request, whose note is not added again as long as it is there.

    Raises:
        InvalidInput: no session is named, or it is to be kept for longer than the settings say.
        OneSpace: the scope names no space or several.
        TooLarge: the notes, or the tenant's scratchpads, would be too many.
        BrokerDown: the broker does not answer; nothing was kept.
    """
    settings = host.settings
    if seconds is not None and seconds > settings.scratchpad_seconds:
        message = f"A scratchpad is kept for {settings.scratchpad_seconds:g} seconds at most."
        raise InvalidInput(message, field="ttl_seconds", hint="The setting `scratchpad_seconds` says how long.")
    change = partial(
        noted, text=text, at=host.clock(), append=append, most_chars=settings.scratchpad_chars, mark=_mark(idempotency)
    )
    try:
        return host.scratchpads.write(
            _own(scope), change, keep_seconds=seconds or settings.scratchpad_seconds, most=settings.scratchpads
        )
    except BrokerDown as error:
        raise BrokerDown(AWAY) from error


def _mark(idempotency: Idempotency | None) -> str:
    """Return what a note keeps of the request that wrote it; the key itself may be anything that a client made up."""
    if idempotency is None:
        return ""
    return f"{hashlib.sha256(idempotency.key.encode()).hexdigest()[:32]}.{idempotency.body_hash[:32]}"


def _own(scope: Scope) -> Scope:
    if scope.session is None:
        raise InvalidInput("Name the session whose scratchpad it is.", field="session_id")
    return replace(scope, spaces=(scope.space,))
