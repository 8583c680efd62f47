"""The queues and the nodes: what waits, who works, what is wrong."""

from __future__ import annotations

from typing import Any

from memory.errors import BrokerDown
from memory.fleet import LANES
from memory.lanes import nobody
from memory.ports import QUEUES, BrokerFacts, Heartbeat
from memory.records import Micros
from services import fleet_view
from services.host import Host
from store import counts, lease

# Whose work is told: of a tenant, of nobody ("") or of everybody (None). The queues are shared, so how long they are
# tells what others do.
Whose = str | None


def lanes(host: Host, of: Whose = None) -> dict[str, Any]:
    """Return every queue with depth, age of the oldest and consumers, every node, and every worker with what it holds.

    Args:
        host: the adapters.
        of: whose work is told; the depth of a queue only with that of everybody.

    Returns:
        `broker` ("up" or "down"), `queues`, `nodes`, `workers` and `warnings`, one sentence each.
    """
    facts = read_facts(host)
    now = host.clock()
    owed = _owed(host, of)
    queues = [_queue(name, facts, owed.get(name, {}), now, of) for name in QUEUES]
    seen = fleet_view.look(host, facts)
    return {
        "broker": "up" if facts else "down",
        "queues": queues,
        "nodes": fleet_view.rows(host, seen),
        "workers": [_worker(one, of) for one in facts.heartbeats] if facts else [],
        "warnings": [*_all_warnings(host, facts, queues, seen), *fleet_view.remarks(host, seen)],
    }


def condition(host: Host, of: Whose = None) -> dict[str, Any]:
    """Return `broker`, `warnings` and `remarks` of `lanes`; a long queue is counted only where nobody consumes it.

    Args:
        host: the adapters.
        of: whose work is told.

    Raises:
        StoreError: a tenant's file cannot be read.
    """
    facts = read_facts(host)
    now = host.clock()
    queues = [_queue(name, facts, {}, now, of) for name in QUEUES]
    if facts and not all(one["consumers"] for one in queues):
        owed = _owed(host, of)
        queues = [_queue(name, facts, owed.get(name, {}), now, of) for name in QUEUES]
    else:
        _require_readable(host)
    seen = fleet_view.look(host, facts)
    return {
        "broker": "up" if facts else "down",
        "warnings": _all_warnings(host, facts, queues, seen),
        "remarks": fleet_view.remarks(host, seen),
    }


def _require_readable(host: Host) -> None:
    for tenant in host.store.tenants():
        with host.store.read(tenant) as db:
            lease.fence(db)


def read_facts(host: Host) -> BrokerFacts | None:
    """Return what the broker knows; None while it cannot be reached."""
    try:
        return host.facts()
    except BrokerDown:
        return None


def _owed(host: Host, of: Whose) -> dict[str, dict[str, Any]]:
    """Add up the open work."""
    total: dict[str, dict[str, Any]] = {}
    for tenant in host.store.tenants():
        if of not in (None, tenant):
            continue
        with host.store.read(tenant) as db:
            for queue, one in counts.open_work(db).items():
                have = total.setdefault(queue, {"ready": 0, "leased": 0, "oldest": one["oldest"]})
                have["ready"] += one["ready"]
                have["leased"] += one["leased"]
                have["oldest"] = min(have["oldest"], one["oldest"])
    return total


def _queue(name: str, facts: BrokerFacts | None, owed: dict[str, Any], now: Micros, of: Whose) -> dict[str, Any]:
    beats = [one for one in facts.heartbeats if _serves(one, name)] if facts else []
    # A call that somebody waits for is a message and no row; a row is older than its message.
    ages = [now - owed["oldest"]] if owed.get("oldest") else []
    if facts and of is None and (sent := facts.oldest_sent.get(name)):
        ages.append(facts.at - sent)
    return {
        "name": name,
        "depth": facts.queue_lengths.get(name, 0) if facts and of is None else None,
        "ready": owed.get("ready", 0),
        "leased": owed.get("leased", 0),
        "oldest_seconds": round(max(0, *ages) / 1e6, 1) if ages else None,
        "consumers": sum(one.consuming for one in beats),
    }


def _serves(beat: Heartbeat, queue: str) -> bool:
    return beat.worker.split("@")[0] == ("host" if queue == "sources" else queue)


def _worker(beat: Heartbeat, of: Whose) -> dict[str, Any]:
    lane, _, node = beat.worker.partition("@")
    return {
        "worker": beat.worker,
        "lane": lane,
        "node": node,
        "slots": beat.slots,
        "consuming": beat.consuming,
        "in_flight": [
            {"tenant": tenant, "item": item, "attempt": attempt}
            for tenant, item, attempt in beat.in_flight
            if of in (None, tenant)
        ],
        "queue_wait_seconds": round(beat.queue_wait, 3),
        "pid": beat.pid,
        "healthy": beat.healthy,
        "reason": beat.reason,
        "bad_answers": beat.bad_answers,
    }


def _all_warnings(
    host: Host, facts: BrokerFacts | None, queues: list[dict[str, Any]], seen: fleet_view.Fleet
) -> list[str]:
    if facts is None:
        alone = ["The broker cannot be reached; what is accepted is kept and goes on when it is back."]
        return alone + fleet_view.warnings(host, seen)
    reasons = [f"{beat.worker}: {beat.reason}" for beat in facts.heartbeats if beat.reason]
    told = [why for one in queues if (why := _unconsumed(one, host, seen))]
    return [*reasons, *told, *fleet_view.warnings(host, seen)]


def _unconsumed(queue: dict[str, Any], host: Host, seen: fleet_view.Fleet) -> str | None:
    """Say that nothing consumes a queue; not when nothing waits and the nodes' reasons are told anyway."""
    name, waiting = queue["name"], queue["ready"] + queue["leased"]
    if queue["consumers"] or (not waiting and name in LANES and nobody(host.nodes, seen.decided, name)):
        return None
    return f"Nothing consumes the queue {name}; {waiting} work items wait for a worker of that lane."
