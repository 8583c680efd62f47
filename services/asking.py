"""Asking the writer: a row first, then a wake-up, then waiting for the row to be settled.

The wait reads SQLite, so that it works whatever becomes of the broker in between.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from memory.errors import BrokerDown, Pending, by_code
from memory.records import Actor, Idempotency, Scope
from services import request_ids
from services.host import Host
from store import idempotency as kept
from store import requests

log = logging.getLogger(__name__)

_WHO = ("user", "agent", "session")
POLL_SECONDS = 0.004  # a poll is one indexed read of some 20 microseconds; a commit takes 3 to 10 ms


def ask(
    scope: Scope,
    host: Host,
    actor: Actor,
    kind: str,
    payload: Mapping[str, Any],
    *,
    idempotency: Idempotency | None = None,
) -> Mapping[str, Any]:
    """Ask the writer for something and return its outcome.

    Args:
        scope: whose data.
        host: the adapters.
        actor: who asks; a person's requests go first.
        kind: what is asked, a name in the handlers of `services/edits.py` or `services/revisions.py`.
        payload: JSON.
        idempotency: makes a repeated call return the first one's outcome.

    Raises:
        Pending: it is kept and will be carried out, but not in time for this answer.
        MemlaneError: the writer refused; the class says why.
        IdempotencyMismatch: the key was used with another body.
        Erased: what was made under the key has been erased.
        Busy: the store could not be written in time; nothing was kept.
    """
    request_id = host.new_id("req")
    with host.store.write(scope.tenant) as tx:
        known = kept.lookup(scope, tx, idempotency) if idempotency is not None else None
        if known is not None:
            request_id = str(known[1]["request"])
        else:
            requests.add(
                tx, request_id=request_id, kind=kind, payload=payload, actor=actor, caused_by=request_ids.current(),
                at=host.clock(),
            )  # fmt: skip
            if idempotency is not None:
                answer = {"request": request_id}
                kept.remember(scope, tx, idempotency, status=200, response=answer, at=host.clock())
    warning = None
    try:
        host.queue.send("reconcile.space", {"tenant": scope.tenant}, queue="reconcile")
    except BrokerDown as error:
        warning = error.message
    return outcome(scope, host, request_id, seconds=0.5 if warning else host.settings.interactive_timeout)


def promise(
    scope: Scope, host: Host, actor: Actor, kind: str, payloads: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Ask the writer for several things in one transaction and wait for none; `outcome` does.

    Args:
        scope: whose data.
        host: the adapters.
        actor: who asks.
        kind: what is asked, as in `ask`.
        payloads: JSON, one for each.

    Returns:
        The id of each request, in the order of the payloads; they are kept whatever becomes of the broker.

    Raises:
        Busy: the store could not be written in time; nothing was kept.
    """
    ids = tuple(host.new_id("req") for _ in payloads)
    with host.store.write(scope.tenant) as tx:
        for request_id, payload in zip(ids, payloads, strict=True):
            requests.add(
                tx, request_id=request_id, kind=kind, payload=payload, actor=actor, caused_by=request_ids.current(),
                at=host.clock(),
            )  # fmt: skip
    try:
        host.queue.send("reconcile.space", {"tenant": scope.tenant}, queue="reconcile")
    except BrokerDown as error:
        log.warning("what was asked waits for the sweeper: %s", error.message)
    return ids


def payload_of(scope: Scope, **fields: Any) -> dict[str, Any]:
    """Return a payload that names whose data it is about; `scope_of` is its reverse.

    Args:
        scope: of one space.
        **fields: JSON; what else is asked.

    Raises:
        OneSpace: the scope names no space or several.
    """
    return {"space": scope.space, **{name: getattr(scope, name) for name in _WHO}, **fields}


def scope_of(tenant: str, payload: Mapping[str, Any]) -> Scope:
    """Return whose data a payload of `payload_of` is about."""
    who = {name: payload.get(name) for name in _WHO}
    return Scope(tenant=tenant, spaces=(str(payload["space"]),), **who)


def outcome(scope: Scope, host: Host, request_id: str, *, seconds: float) -> Mapping[str, Any]:
    """Wait for a request to be settled and return its result.

    Args:
        scope: whose data.
        host: the adapters.
        request_id: what was asked.
        seconds: how long to wait at most.

    Raises:
        Pending: it is not settled in time.
        MemlaneError: the writer refused; the class says why.
    """
    until = time.monotonic() + seconds
    while True:
        with host.store.read(scope.tenant) as db:
            asked = requests.get(db, request_id)
        if asked is not None and asked.state == "done":
            return asked.result or {}
        if asked is not None and asked.result is not None:
            raise by_code(str(asked.result["code"]))(str(asked.result["message"]), **asked.result["details"])
        if time.monotonic() > until:
            raise Pending(id=request_id)
        time.sleep(POLL_SECONDS)
