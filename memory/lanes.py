"""Which node serves which lane now: every worker and the API compute it alike, from shared facts and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from memory.eligibility import NodeState, obstacle
from memory.fleet import LANES, FleetLane, FleetNode, Presence
from memory.records import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Helping:
    """Whether interactive nodes help with background work, and since when that may have to change."""

    on: bool = False
    missing_since: Micros | None = None  # no background node can work
    back_since: Micros | None = None  # one can again, while the others still help


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Who serves what; every node of the inventory is named in each mapping."""

    lanes: Mapping[str, frozenset[FleetLane]]
    why: Mapping[str, str]  # one sentence for a person
    state: Mapping[str, NodeState]  # "serving", or what keeps the node from a lane, its own first
    helping: Helping  # to be handed back next time

    def nodes(self, lane: FleetLane) -> tuple[str, ...]:
        """Return the nodes that serve a lane, by name."""
        return tuple(sorted(name for name, lanes in self.lanes.items() if lane in lanes))


def assignment(
    nodes: Sequence[FleetNode],
    presence: Mapping[str, Presence],
    previous: Helping,
    *,
    now: Micros,
    fallback: float,
    back: float,
) -> Assignment:
    """Decide which node serves which lane.

    Interactive: the interactive nodes that may; when none may, the background nodes; when none of all may, those that
    lack only a healthy reranker. Background: the background nodes that may. When none has for `fallback` seconds,
    interactive nodes help until one has been back for `back` seconds; one of them is left free of it while more than
    one may work. A fleet without background nodes has nothing to wait for. When nothing but other load keeps every node
    from background work, it is done all the same.

    Args:
        nodes: the inventory, in any order.
        presence: what is known of each node; one that is missing is dead.
        previous: `helping` of the assignment before; `Helping()` at first.
        now: the broker's time.
        fallback: seconds without a background node before the others help.
        back: seconds with one again before they stop.

    Returns:
        The assignment.
    """
    interactive = _interactive(nodes, presence, now)
    able = _able(nodes, presence, "background", now)
    own = able & {node.name for node in nodes if node.lane == "background"}
    if any(node.lane == "background" for node in nodes):
        helping = _helping(previous, bool(own), now=now, fallback=fallback, back=back)
    else:
        helping = Helping(on=True)
    helpers = _helpers(able - own, interactive) if helping.on else frozenset()
    serving: Mapping[FleetLane, Set[str]] = {"interactive": interactive, "background": own | helpers}
    lanes = {node.name: frozenset(lane for lane in LANES if node.name in serving[lane]) for node in nodes}
    told = {node.name: _told(node, presence.get(node.name), lanes[node.name], helping, now) for node in nodes}
    return Assignment(
        lanes=lanes,
        why={name: f"{why[:1].upper()}{why[1:]}." for name, (_, why) in told.items()},
        state={name: state for name, (state, _) in told.items()},
        helping=helping,
    )


def nobody(nodes: Sequence[FleetNode], decided: Assignment, lane: FleetLane) -> str | None:
    """Say why nobody serves a lane.

    Args:
        nodes: the inventory.
        decided: the assignment.
        lane: which.

    Returns:
        One sentence naming each node's reason; None when somebody does.
    """
    if decided.nodes(lane):
        return None
    reasons = "; ".join(f"{node.name}: {_fragment(decided.why[node.name])}" for node in sorted(nodes, key=_name))
    return f"No node may take {lane} work now ({reasons})."


def _interactive(nodes: Sequence[FleetNode], presence: Mapping[str, Presence], now: Micros) -> frozenset[str]:
    for lenient in (False, True):
        able = _able_if(nodes, presence, "interactive", now, lenient=lenient)
        for lane in LANES:
            if found := able & {node.name for node in nodes if node.lane == lane}:
                return found
    return frozenset()


def _able(nodes: Sequence[FleetNode], presence: Mapping[str, Presence], lane: FleetLane, now: Micros) -> frozenset[str]:
    strict = _able_if(nodes, presence, lane, now, lenient=False)
    return strict or _able_if(nodes, presence, lane, now, lenient=True)


def _able_if(
    nodes: Sequence[FleetNode], presence: Mapping[str, Presence], lane: FleetLane, now: Micros, *, lenient: bool
) -> frozenset[str]:
    return frozenset(
        node.name for node in nodes if obstacle(node, presence.get(node.name), lane, now=now, lenient=lenient) is None
    )


def _helping(before: Helping, serving: bool, *, now: Micros, fallback: float, back: float) -> Helping:
    if serving:
        if not before.on:
            return Helping()
        since = now if before.back_since is None else min(before.back_since, now)
        return Helping(on=True, back_since=since) if now - since < back * 1_000_000 else Helping()
    since = now if before.missing_since is None else min(before.missing_since, now)
    waited = now - since >= fallback * 1_000_000
    return replace(before, on=before.on or waited, missing_since=since, back_since=None)


def _helpers(able: frozenset[str], interactive: frozenset[str]) -> frozenset[str]:
    """Choose who helps: everybody able, but one interactive node stays free if that leaves anybody."""
    if interactive and interactive <= able and len(able) > 1:
        return able - {min(interactive)}
    return able


def _told(
    node: FleetNode, presence: Presence | None, lanes: frozenset[FleetLane], helping: Helping, now: Micros
) -> tuple[NodeState, str]:
    other: FleetLane = "background" if node.lane == "interactive" else "interactive"
    own_trouble, other_trouble = (obstacle(node, presence, lane, now=now) for lane in (node.lane, other))
    trouble = own_trouble or (other_trouble if node.lane == "interactive" or other in lanes else None)
    if not lanes:
        return (trouble.state, trouble.why) if trouble else ("serving", f"waits for {node.lane} work")
    parts = [f"serves {' and '.join(lane for lane in LANES if lane in lanes)}"]
    if other in lanes:
        parts.append(_because(node, helping))
    elif node.lane == "interactive" and helping.on and other_trouble is None:
        parts.append("kept free of background work")
    if trouble:
        parts.append(trouble.why)
    return trouble.state if trouble else "serving", "; ".join(parts)


def _because(node: FleetNode, helping: Helping) -> str:
    if node.lane == "background":
        return "no interactive node can take interactive work"
    if helping.back_since is not None:
        return "still helps with background, whose node is back since a moment"
    if helping.missing_since is not None:
        return "helps with background, because no background node can work"
    return "the fleet has no background nodes"


def _fragment(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _name(node: FleetNode) -> str:
    return node.name
