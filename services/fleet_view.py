"""Every node as a person sees it: which lanes it serves, its state and why, what it holds, how warm it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from memory.errors import BrokerDown
from memory.fleet import LANES, FleetLane, FleetNode, ModelReport, NodeReport, Pause
from memory.lanes import Assignment, Helping, assignment, nobody
from memory.ports import BrokerFacts, Heartbeat
from memory.presence import presences
from memory.records import Micros
from memory.temporal import to_iso
from services import pause_file
from services.host import Host

# States in which a node is lost to the fleet; one that is hot or busy still serves interactive work.
GONE = ("down", "broken", "unhealthy", "too_hot")
UNREACHABLE = "The broker cannot be reached, so nothing is known of it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What the host knows of the nodes at one moment."""

    pause: Pause
    facts: BrokerFacts | None  # None: the broker cannot be reached
    reports: Mapping[str, NodeReport]
    decided: Assignment


def look(host: Host, facts: BrokerFacts | None) -> Fleet:
    """Put together what is known of the nodes.

    Args:
        host: the truth plane's adapters.
        facts: what the broker knows; None while it cannot be reached.

    Returns:
        The facts with the assignment that the workers arrive at by themselves.
    """
    pause = pause_file.read(host.settings, now=host.clock(), nodes=host.nodes)
    reports = _reports(host)
    beats = facts.heartbeats if facts else ()
    now = facts.at if facts else host.clock()
    settings = host.settings
    decided = assignment(
        host.nodes,
        presences(beats, reports, pause.until),
        _observed(host, beats, now),
        now=now,
        fallback=settings.fallback_seconds / settings.time_factor,
        back=settings.return_seconds / settings.time_factor,
    )
    return Fleet(pause=pause, facts=facts, reports=reports, decided=decided)


def rows(host: Host, fleet: Fleet) -> list[dict[str, Any]]:
    """Return one object for each node of the inventory, by card and name.

    Args:
        host: the truth plane's adapters.
        fleet: of `look`.

    Returns:
        JSON values; docs/reference/api.md names them.
    """
    return [_row(node, fleet) for node in sorted(host.nodes, key=lambda node: (node.card, node.name))]


def warnings(host: Host, fleet: Fleet) -> list[str]:
    """Return what is wrong with the fleet, one sentence each.

    Args:
        host: the truth plane's adapters.
        fleet: of `look`.

    Returns:
        Nothing when all is well; a node that is paused or spare is no warning.
    """
    told = list(fleet.pause.problems)
    if fleet.facts is None:
        return told
    idle = [why for lane in LANES if (why := nobody(host.nodes, fleet.decided, lane))]
    # Why nobody works names every node already.
    told += idle or _gone(host.nodes, fleet, fleet.facts)
    known = {node.name for node in host.nodes}
    return told + [
        f"Node {name}: {problem}"
        for name, report in sorted(fleet.reports.items())
        if name in known
        for problem in report.problems
    ]


def remarks(host: Host, fleet: Fleet) -> list[str]:
    """Return what a person should put right though nothing is missing, one sentence each.

    Args:
        host: the truth plane's adapters.
        fleet: of `look`.

    Returns:
        Names that belong to no node: in the pause file, of workers, of agents.
    """
    known = {node.name for node in host.nodes}
    beats = fleet.facts.heartbeats if fleet.facts else ()
    strangers = {beat.worker for beat in beats if beat.worker.split("@")[0] in LANES}
    workers = sorted(worker for worker in strangers if worker.partition("@")[2] not in known)
    agents = sorted(set(fleet.reports) - known)
    return [
        *fleet.pause.remarks,
        *(f"The worker {worker} belongs to no node of the inventory, so it takes no work." for worker in workers),
        *(f"The agent of {name} belongs to no node of the inventory." for name in agents),
    ]


def _gone(nodes: Sequence[FleetNode], fleet: Fleet, facts: BrokerFacts) -> list[str]:
    """Name the nodes that are lost; a worker that gives its own reason is in the warnings with it."""
    told = {beat.worker.partition("@")[2] for beat in facts.heartbeats if beat.reason}
    quiet = told | fleet.pause.until.keys()
    decided = fleet.decided
    gone = [node.name for node in nodes if node.name not in quiet and decided.state[node.name] in GONE]
    return [f"Node {name}: {decided.why[name][:1].lower()}{decided.why[name][1:]}" for name in sorted(gone)]


def _reports(host: Host) -> Mapping[str, NodeReport]:
    try:
        return host.fleet.reports()
    except BrokerDown:
        return {}


def _observed(host: Host, beats: tuple[Heartbeat, ...], now: Micros) -> Helping:
    """Read from what the workers do whether helping is on: this process has no history of its own."""
    taking = {beat.worker for beat in beats if beat.consuming}
    on = any(f"background@{node.name}" in taking for node in host.nodes if node.lane == "interactive")
    return Helping(on=on)


def _row(node: FleetNode, fleet: Fleet) -> dict[str, Any]:
    beats = {lane: beat for lane in LANES if (beat := _beat(fleet, lane, node.name))}
    report = fleet.reports.get(node.name)
    end = fleet.pause.until.get(node.name)
    in_flight = sum(len(beat.in_flight) + beat.calls for beat in beats.values())
    taking = [lane for lane, beat in beats.items() if beat.consuming]
    drained = end is not None and fleet.facts is not None and not taking and in_flight == 0
    return {
        "name": node.name,
        "card": node.card,
        "lane": node.lane,
        "lendable": node.lendable,
        "lanes": taking,
        "assigned": [lane for lane in LANES if lane in fleet.decided.lanes[node.name]],
        **_state(node, fleet, beats, drained),
        "paused_until": None if end is None else to_iso(end),
        "drained": drained,
        "in_flight": in_flight if fleet.facts is not None else None,
        "bad_answers": sum(beat.bad_answers for beat in beats.values()) if fleet.facts is not None else None,
        "queue_wait_seconds": {lane: round(beat.queue_wait, 3) for lane, beat in beats.items()},
        **_measured(report, fleet.facts),
    }


def _state(node: FleetNode, fleet: Fleet, beats: Mapping[FleetLane, Heartbeat], drained: bool) -> dict[str, str]:
    if fleet.facts is None:
        return {"state": "unknown", "why": UNREACHABLE}
    state: str = fleet.decided.state[node.name]
    reasons = sorted({beat.reason for beat in beats.values() if beat.reason and not beat.healthy})
    why = " ".join([fleet.decided.why[node.name], *reasons, *_under_way(fleet.decided.lanes[node.name], beats)])
    return {"state": "draining" if state == "paused" and not drained else state, "why": why}


def _under_way(assigned: Set[FleetLane], beats: Mapping[FleetLane, Heartbeat]) -> list[str]:
    """Say where the workers have not followed yet: they decide once a second, and each for itself."""
    taking = {lane for lane, beat in beats.items() if beat.consuming}
    told = (("take no", assigned - taking, "yet"), ("still take", taking - assigned, "for a moment"))
    return [f"Its workers {verb} {' and '.join(sorted(lanes))} work {until}." for verb, lanes, until in told if lanes]


def _beat(fleet: Fleet, lane: FleetLane, node: str) -> Heartbeat | None:
    beats = fleet.facts.heartbeats if fleet.facts else ()
    return next((beat for beat in beats if beat.worker == f"{lane}@{node}"), None)


def _measured(report: NodeReport | None, facts: BrokerFacts | None) -> dict[str, Any]:
    """Return what the agent measured; without one nothing is known."""
    if report is None:
        report = NodeReport(node="", at=0)
    known = report.at > 0
    return {
        "celsius": report.celsius,
        "thermal": report.thermal if known else None,
        "load": round(report.load, 2) if known else None,
        "memory_used_bytes": report.memory_used_bytes if known else None,
        "memory_total_bytes": report.memory_total_bytes if known else None,
        "models": [_model(one) for one in report.models],
        "reported_seconds": round(max(0, facts.at - report.at) / 1e6, 1) if known and facts else None,
    }


def _model(model: ModelReport) -> dict[str, Any]:
    return {
        "role": model.role,
        "model": model.model,
        "healthy": model.healthy,
        "reason": model.reason or None,
        "memory_bytes": model.memory_bytes,
        "restarts": model.restarts,
    }
