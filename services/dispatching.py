"""Sends ready work items: each is leased in the store first, so that a message may be lost without harm."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.errors import BrokerDown, Busy, MemlaneError, StoreError
from memory.records import Accepted, Micros, WorkItem
from services import request_ids
from services.host import Host
from store import sendings
from store.connection import Writer

log = logging.getLogger(__name__)

# Of the host worker: chunking and rule extraction are CPU work of one machine, so more would only queue up.
HOST_SLOTS = 2
# One item is worked on while the next one waits at hand. Source: design section 4.
OUT_PER_SLOT = 2
# What a document or a conversation goes through until it can be found.
JOB_QUEUES = ("host", "background", "reconcile")


def dispatch(host: Host, tenant: str, *, slots: int | None = None) -> int:
    """Lease a tenant's ready items as far as there is room, and send them.

    When the broker or the store cannot be had the items stay ready, as they are accepted; the next sweep tries again.

    Args:
        host: the truth plane's adapters.
        tenant: whose items.
        slots: background slots of all nodes together; what is known of them when left out.

    Returns:
        How many items were sent.
    """
    try:
        with host.store.read(tenant) as db:
            queues = sendings.ready_queues(db, now=host.clock())
        if not queues:
            return 0
        rooms = room(host, tenant, slots=slots)
        with host.store.write(tenant) as tx:
            items = lease(host, tx, tenant, rooms)
        return send(host, items)
    except (Busy, StoreError) as error:
        log.info("dispatch of tenant %s waits for the next sweep: %s", tenant, error)
        return 0


def room(host: Host, tenant: str, *, slots: int | None = None) -> Mapping[str, int]:
    """Return how many of a tenant's items may be out, by queue, after what the other tenants have out.

    Args:
        host: the truth plane's adapters.
        tenant: whose items are to be leased.
        slots: background slots of all nodes together; what is known of them when left out.
    """
    places = {
        "background": OUT_PER_SLOT * (slots or background_slots(host)),
        "host": OUT_PER_SLOT * HOST_SLOTS,
        # None waits at hand: it would take a thread of the host worker that other work is to have.
        "sources": host.settings.source_slots,
    }
    others = [other for other in host.store.tenants() if other != tenant]
    out = dict.fromkeys(places, 0)
    for other in others:
        with host.store.read(other) as db:
            for queue in places:
                out[queue] += sendings.count_out(db, queue)
    # A tenant has at least one item out, however many the others have.
    return {queue: max(count - out[queue], 1) for queue, count in places.items()}


def background_slots(host: Host) -> int:
    """Return the slots of the background workers that take work now; the setting of one node when none is known."""
    return sum(beat.slots for beat in host.sight().takers("background")) or host.settings.background_slots


def lease(host: Host, tx: Writer, tenant: str, rooms: Mapping[str, int]) -> list[WorkItem]:
    """Lease ready items in the caller's transaction, oldest first and those of dreams last.

    Args:
        host: the truth plane's adapters.
        tx: the transaction; whoever opened it sends the items after its commit, with `send`.
        tenant: whose.
        rooms: how many may be out, by queue.

    Returns:
        The items.
    """
    now = host.clock()
    until = now + lease_micros(host)
    items: list[WorkItem] = []
    for queue in sorted(sendings.ready_queues(tx, now=now)):
        most = rooms[queue] - sendings.count_out(tx, queue)
        for dream in (False, True):
            if most > 0:
                found = sendings.lease_ready(tx, tenant, queue, most=most, now=now, until=until, dream=dream)
                most -= len(found)
                items += found
    return items


def send_accepted(host: Host, tenant: str, accepted: Accepted) -> Accepted:
    """Send what an accepted write made ready; what cannot be sent or worked on now is kept, which the answer then says.

    Args:
        host: the truth plane's adapters.
        tenant: whose.
        accepted: what was committed.

    Returns:
        The same, with a warning when the broker is down or nothing consumes a queue that the work needs.
    """
    sent = dispatch(host, tenant)
    try:
        if not sent:
            host.facts()
        idle = _without_takers(host)
    except BrokerDown:
        return replace(accepted, warning="The queue cannot be reached; this is kept and is worked on when it is back.")
    return replace(accepted, warning=_unattended(idle)) if idle else accepted


def _without_takers(host: Host) -> list[str]:
    """Return the queues of a job that no worker takes from now.

    Raises:
        BrokerDown: it cannot be reached.
    """
    sight = host.sight()
    if not sight.broker or all(sight.takers(queue) for queue in JOB_QUEUES):
        return []
    # The sight is a second old and knows the workers of this host's own name only; who is really there says the broker.
    taking = {beat.worker.partition("@")[0] for beat in host.facts().heartbeats if beat.consuming}
    return [queue for queue in JOB_QUEUES if queue not in taking]


def _unattended(queues: Sequence[str]) -> str:
    names = f"queue {queues[0]}" if len(queues) == 1 else f"queues {', '.join(queues)}"
    return (
        f"Nothing consumes the {names} now; this is kept and is worked on as soon as a worker of that kind takes work. "
        "`memlane nodes list` and `memlane doctor` say what is missing; start it."
    )


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


def send(host: Host, items: Sequence[WorkItem]) -> int:
    """Send leased items; those that cannot be sent become ready again.

    Args:
        host: the truth plane's adapters.
        items: as leased, of one tenant, committed.

    Returns:
        How many were sent.

    Raises:
        Busy: what could not be sent could not be given back either; it is lost until the sweeper finds it.
    """
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
    # What is leased is seldom only of the request under way; the item says whose it is.
    with request_ids.working_for(item.caused_by):
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
