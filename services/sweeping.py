"""Finds work that was lost: compares the leases in the store with what the broker knows, and sends again."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory.errors import BrokerDown, Busy, StoreError
from memory.ports import BrokerFacts, Held
from memory.records import Micros
from services.contact import QUIET_SECONDS
from services.dispatching import dispatch, lease_micros, report_failure, wake_writer
from services.host import Host
from store import sendings
from store.connection import Writer
from store.sendings import Lease

log = logging.getLogger(__name__)

Verdict = Literal["seen", "wait", "lost", "stopped", "ended", "expired"]

# A message is in nobody's hands for milliseconds between its sending and its start; this is plenty.
LOST_SECONDS = 5.0
# A request normally wakes the writer itself; one that waits this long had its message lost.
WAKE_SECONDS = 2.0
# Wake-ups waiting for a writer that is away: more would only be thrown away when it is back.
_MOST_WAKES = 64

_REASONS = {
    "stopped": "{worker} stopped while it worked on this; see its log, then retry the job.",
    "ended": "{worker} ended this without a result; see its log, then retry the job.",
    "expired": "No result came from {worker} in time; see its log, then retry the job.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a sweep did."""

    lost: int = 0  # items to be sent again because nobody had them
    failed: int = 0  # attempts counted as failures
    sent: int = 0  # items sent
    woken: int = 0  # tenants for which the writer was woken


def sweep(host: Host, facts: BrokerFacts | None, *, slots: int | None = None, steady: bool = True) -> Swept:
    """Look after every tenant's open work: extend, take back and send leases, and wake the writer.

    A tenant whose file is locked or out of reach is left for the next sweep.

    Args:
        host: the truth plane's adapters.
        facts: read before this call; None when the broker is down, and then nothing is judged.
        slots: background slots of all nodes together; the setting of one node when left out.
        steady: whether a worker without a heartbeat is gone; see `services.contact`.

    Returns:
        What was done.
    """
    if facts is None:
        return Swept()
    total = Swept()
    for tenant in host.store.tenants():
        try:
            lost, failed = _judge(host, tenant, facts, steady)
            sent = dispatch(host, tenant, slots=slots)
            woken = _wake(host, tenant, facts, total.woken)
        except (Busy, BrokerDown, StoreError) as error:
            log.warning("tenant %s is left for the next sweep: %s", tenant, error)
            continue
        total = Swept(
            lost=total.lost + lost,
            failed=total.failed + failed,
            sent=total.sent + sent,
            woken=total.woken + woken,
        )
    return total


def verdict(lease: Lease, facts: BrokerFacts, *, now: Micros, lost_after: Micros, steady: bool = True) -> Verdict:
    """Judge one lease.

    Args:
        lease: an item that is out.
        facts: what the broker knows, read before the lease was.
        now: present time.
        lost_after: how long an item may be in nobody's hands.
        steady: whether a worker without a heartbeat is gone; else what a worker has had is not judged.

    Returns:
        "seen": in a queue or on a live worker; "wait": too early to tell; "lost": nobody has it, its message or result
        is gone; "stopped": its worker is dead; "ended": its worker lives and has dropped it; "expired": nothing was
        heard of it for a whole lease although a worker had started it.
    """
    held = (lease.item.tenant, lease.item.id, lease.item.attempt)
    if held in facts.in_flight or held in facts.queued:
        return "seen"
    alive = {beat.worker for beat in facts.heartbeats}
    worker = facts.started.get(held)
    if not steady and (worker or lease.node) is not None:
        return "wait"
    if worker is not None and worker not in alive:
        return "stopped"
    quiet = now - lease.seen_at
    long_quiet = quiet > round(QUIET_SECONDS * 1_000_000)
    if worker is None and lease.node is not None and lease.node not in alive and long_quiet:
        return "stopped"
    if facts.queue_lengths.get("reconcile", 0) > 0 and now < lease.lease_until:
        return "wait"  # its result may be in there; a queue that is never empty must not hide it for ever
    if worker is not None and long_quiet:
        return "ended"
    if worker is None and facts.queued_complete and quiet > lost_after:
        return "lost"
    if now >= lease.lease_until:
        return "lost" if worker is None and lease.node is None else "expired"
    return "wait"


def _judge(host: Host, tenant: str, facts: BrokerFacts, steady: bool) -> tuple[int, int]:
    """Act on every lease of a tenant; returns how many were lost and how many failed."""
    now = host.clock()
    lost_after = round(LOST_SECONDS / host.settings.time_factor * 1_000_000)
    with host.store.read(tenant) as db:
        leases = sendings.leases(db, tenant)
    judged = [(verdict(one, facts, now=now, lost_after=lost_after, steady=steady), one) for one in leases]
    seen = [one for kind, one in judged if kind == "seen"]
    lost = [one for kind, one in judged if kind == "lost"]
    failed = [(one, _reason(kind, one, facts)) for kind, one in judged if kind in _REASONS]
    last = [pair for pair in failed if pair[0].failures + 1 >= host.settings.max_attempts]
    if seen or lost or failed:
        with host.store.write(tenant) as tx:
            _extend(tx, host, facts, seen, now)
            sendings.give_back(tx, [one.item for one in lost], at=now)
            for one, reason in failed:
                if (one, reason) not in last:
                    sendings.fail_attempt(tx, one.item, reason=reason, most=host.settings.max_attempts, at=now)
    _tell(host, tenant, facts, last, now)
    return len(lost), len(failed)


def _extend(tx: Writer, host: Host, facts: BrokerFacts, seen: Sequence[Lease], now: Micros) -> None:
    workers: dict[Held, str] = {held: beat.worker for beat in facts.heartbeats for held in beat.in_flight}
    for one in seen:
        node = workers.get((one.item.tenant, one.item.id, one.item.attempt))
        sendings.extend(tx, one.item, node=node, until=now + lease_micros(host), at=now)


def _tell(host: Host, tenant: str, facts: BrokerFacts, last: Sequence[tuple[Lease, str]], now: Micros) -> None:
    """Tell the writer of last failures, for what follows an item's end may be knowledge, which only it writes.

    While its queue is not empty the telling is probably in it already, so that it is told once a lease then.
    """
    busy = facts.queue_lengths.get("reconcile", 0) > 0
    told = [pair for pair in last if not busy or now >= pair[0].lease_until]
    if busy and told:
        with host.store.write(tenant) as tx:
            for one, _ in told:
                sendings.extend(tx, one.item, node=None, until=now + lease_micros(host), at=one.seen_at)
    for one, reason in told:
        report_failure(host, one.item, reason)


def _reason(kind: str, lease: Lease, facts: BrokerFacts) -> str:
    held = (lease.item.tenant, lease.item.id, lease.item.attempt)
    return _REASONS[kind].format(worker=facts.started.get(held) or lease.node or "the worker")


def _wake(host: Host, tenant: str, facts: BrokerFacts, woken: int) -> int:
    if facts.queue_lengths.get("reconcile", 0) + woken >= _MOST_WAKES:
        return 0
    since = round(WAKE_SECONDS / host.settings.time_factor * 1_000_000)
    return int(wake_writer(host, tenant, waited=since))
