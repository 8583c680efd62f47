"""Sends ready work items: each is leased in the store first, so that a message may be lost without harm."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.errors import BrokerDown, Busy, MemlaneError, StoreError
from memory.records import Accepted, Micros, WorkItem
from services.host import Host
from store import sendings

log = logging.getLogger(__name__)

# Of the host worker: chunking and rule extraction are CPU work of one machine, so more would only queue up.
HOST_SLOTS = 2
# One item is worked on while the next one waits at hand. Source: design section 4.
OUT_PER_SLOT = 2


def dispatch(host: Host, tenant: str, *, slots: int | None = None) -> int:
    """Lease a tenant's ready items as far as there is room, and send them.

    When the broker or the store cannot be had the items stay ready, as they are accepted; the next sweep tries again.

    Args:
        host: the truth plane's adapters.
        tenant: whose items.
        slots: background slots of all nodes together; the setting of one node when left out.

    Returns:
        How many items were sent.
    """
    try:
        return _send(host, _lease(host, tenant, slots))
    except (Busy, StoreError) as error:
        log.info("dispatch of tenant %s waits for the next sweep: %s", tenant, error)
        return 0


def send_accepted(host: Host, tenant: str, accepted: Accepted) -> Accepted:
    """Send what an accepted write made ready; what cannot be sent is kept and goes later, which the answer then says.

    Args:
        host: the truth plane's adapters.
        tenant: whose.
        accepted: what was committed.

    Returns:
        The same, with a warning when the broker is down.
    """
    if dispatch(host, tenant):
        return accepted
    try:
        host.facts()
    except BrokerDown:
        return replace(accepted, warning="The queue cannot be reached; this is kept and is worked on when it is back.")
    return accepted


def wake_writer(host: Host, tenant: str, *, waited: Micros = 0) -> bool:
    """Tell the writer that a request or a candidate waits, if one does.

    Args:
        host: the truth plane's adapters.
        tenant: whose.
        waited: how long it must have waited already, microseconds.

    Returns:
        Whether a message was sent; when the broker is down the next sweep sends one.
    """
    with host.store.read(tenant) as db:
        if not sendings.writer_has_work(db, before=host.clock() - waited):
            return False
    try:
        host.queue.send("reconcile.space", {"tenant": tenant}, queue="reconcile")
    except BrokerDown as error:
        log.info("the writer is woken for tenant %s by a later sweep: %s", tenant, error)
        return False
    return True


def report_failure(host: Host, item: WorkItem, reason: str) -> None:
    """Report a failed attempt as a node would, so that the writer decides under its fence what follows.

    Raises:
        BrokerDown: nothing was reported.
    """
    result = {"status": "failed", "reason": reason}
    message = {"tenant": item.tenant, "item": item.id, "attempt": item.attempt, "result": result}
    host.queue.send("item.done", message, queue="reconcile")


def lease_micros(host: Host) -> Micros:
    """Return how long a lease lives."""
    return round(host.settings.lease_seconds / host.settings.time_factor * 1_000_000)


def _lease(host: Host, tenant: str, slots: int | None) -> list[WorkItem]:
    now = host.clock()
    until = now + lease_micros(host)
    with host.store.read(tenant) as db:
        queues = sorted(sendings.ready_queues(db, now=now))
    places = {"background": slots or host.settings.background_slots, "host": HOST_SLOTS}
    rooms = {queue: OUT_PER_SLOT * places[queue] - _out_elsewhere(host, tenant, queue) for queue in queues}
    items: list[WorkItem] = []
    if not rooms:
        return items
    with host.store.write(tenant) as tx:
        for queue, room in rooms.items():
            out = sendings.count_out(tx, queue)
            # A tenant has at least one item out, however many the others have.
            for dream in (False, True):
                most = max(room, 1) - out
                if most > 0:
                    found = sendings.lease_ready(tx, tenant, queue, most=most, now=now, until=until, dream=dream)
                    out += len(found)
                    items += found
    return items


def _out_elsewhere(host: Host, tenant: str, queue: str) -> int:
    out = 0
    for other in host.store.tenants():
        if other != tenant:
            with host.store.read(other) as db:
                out += sendings.count_out(db, queue)
    return out


def _send(host: Host, items: Sequence[WorkItem]) -> int:
    sent = 0
    for index, item in enumerate(items):
        try:
            sent += _send_one(host, item)
        except (BrokerDown, Busy, StoreError) as error:
            log.warning("%d items stay ready: %s", len(items) - index, error)
            with host.store.write(item.tenant) as tx:
                sendings.give_back(tx, items[index:], at=host.clock())
            break
    return sent


def _send_one(host: Host, item: WorkItem) -> int:
    try:
        message = _message(host, item)
    except (BrokerDown, Busy, StoreError):
        raise
    except Exception as error:
        log.exception("item %s of tenant %s cannot be made into a message", item.id, item.tenant)
        report_failure(host, item, words(error))
        return 0
    host.queue.send(item.task, message, queue=item.queue)
    return 1


def _message(host: Host, item: WorkItem) -> Mapping[str, Any]:
    make = host.messages.get(item.task)
    return {"tenant": item.tenant, "item": item.id, "attempt": item.attempt, **(make(host, item) if make else {})}


def words(error: Exception) -> str:
    """Return the reason that a person reads for an error."""
    if isinstance(error, MemlaneError):
        return error.message
    return f"Memlane failed at this ({type(error).__name__}); its log has the details."
