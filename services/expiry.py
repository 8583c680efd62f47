"""Forgetting by itself: `forgetAfter` of a memory and the retention of its space, looked after by the beat.

Reads do not return a memory from its `forgetAfter` on, whether or not the beat has come by; the retention of a space is
as exact as the beat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.errors import NotFound, StateConflict
from memory.records import Actor, Scope
from services import ledger
from services.host import Host
from services.persons import require_person
from store import expiry, merges, requests, retention, rows, spaces
from store.connection import Writer
from store.requests import Request

# Memories of a commit; a person's request waits for at most one.
BATCH = 200
REASON = "expired"
_CLOCK = Actor(kind="pipeline", id="expiry")


def look(host: Host) -> None:
    """Ask the writer of every tenant that has something due to forget it."""
    for tenant in host.store.tenants():
        with host.store.read(tenant) as db:
            due = expiry.is_due(db, now=host.clock())
        if due:
            with host.store.write(tenant) as tx:
                _ask(host, tx)
            ledger.wake_writer(host, tenant)


def _ask(host: Host, tx: Writer) -> None:
    # No job has the empty id: there is none to end when this fails.
    requests.add(tx, request_id=host.new_id("req"), kind="expire", payload={"job": ""}, actor=_CLOCK, at=host.clock())


def expire(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Forget a batch of what is due, softly; it can be restored."""
    now = host.clock()
    found = expiry.due(tx, now=now, most=BATCH)
    for one in found:
        reason = expiry.reason_of(tx, one.id) or REASON
        rows.retire_windows(tx, one.row_id, at=now, actor=asked.actor, reason=reason)
        expiry.mark_expired(tx, one, at=now, reason=reason)
    if len(found) == BATCH:
        _ask(host, tx)
    return {"ids": [one.id for one in found]}


def set_retention(scope: Scope, host: Host, actor: Actor, space: str, days: int | None) -> Mapping[str, Any]:
    """Set how many days after they were recorded all memories of a space are forgotten, those merged in too.

    Args:
        scope: whose; the space must be in it.
        host: the adapters.
        actor: who sets it; a person.
        space: its name.
        days: None: they are kept.

    Returns:
        The space as `GET /v1/spaces` shows it.

    Raises:
        PersonOnly: it is not a person who sets it.
        NotFound: there is no such space.
        StateConflict: it is being merged into another one.
    """
    require_person(actor)
    with host.store.write(scope.tenant) as tx:
        space_id = spaces.find(scope, tx).get(space)
        if space_id is None:
            raise NotFound(f"No space {space!r}.", field="name")
        busy = merges.emptying(tx, space_id)
        if busy is not None:
            raise StateConflict("It is being merged; set it for the space it is merged into.", id=busy, field="name")
        retention.set_days(tx, space_id, days, at=host.clock())
        (shown,) = spaces.listing(Scope(tenant=scope.tenant, spaces=(space,)), tx)
    return shown


HANDLERS = {"expire": expire}
