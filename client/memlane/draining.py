"""Waits until nodes have finished what they hold, and says on standard error how far they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memlane.call import Call
from memlane.http import Json

# The workers decide once a second and say what they hold every three.
LOOK_SECONDS = 1.0
# What a worker took in the moment it stopped shows in its next heartbeat; one look could miss it.
LOOKS = 2


@dataclass(slots=True)
class Seen:
    """What was last seen of a node."""

    held: int = 0  # in flight
    lanes: frozenset[str] = frozenset()  # whose workers were heard of
    lost: int = 0  # was in flight when workers of it were not heard of any more


def drained(call: Call, answer: Json, names: Sequence[str], *, pause: Callable[[float], None]) -> tuple[bool, Json]:
    """Wait for nodes that are paused.

    Args:
        call: the client and the output.
        answer: of the request that paused them, with `nodes`.
        names: of the nodes.
        pause: waits so many seconds.

    Returns:
        Whether all are drained; False when a pause ended before that, or a node was lost with work in flight. With the
        last look at them, and `lost`, how much each node held that was lost.
    """
    told: dict[str, str] = {}
    seen: dict[str, Seen] = {}
    looks = 0
    while True:
        _watch(answer["nodes"], seen)
        _tell(call, answer["nodes"], told, seen)
        answer = {**answer, "lost": {name: one.lost for name, one in seen.items() if one.lost}}
        looks = looks + 1 if all(node["drained"] for node in answer["nodes"]) else 0
        if looks == LOOKS:
            return not answer["lost"], answer
        if any(node["paused_until"] is None for node in answer["nodes"]):
            return False, answer
        pause(LOOK_SECONDS)
        answer = {**answer, "nodes": [node for node in call.client.nodes()["nodes"] if node["name"] in names]}


def _watch(nodes: Sequence[Json], seen: dict[str, Seen]) -> None:
    """Notice workers that are gone with something in flight; a broker that is away says nothing of them."""
    for node in nodes:
        if node["in_flight"] is None:
            continue
        before = seen.setdefault(node["name"], Seen())
        lanes = frozenset(node.get("queue_wait_seconds") or ())
        if before.lanes - lanes:
            before.lost += max(0, before.held - node["in_flight"])
        before.held, before.lanes = node["in_flight"], lanes


def _tell(call: Call, nodes: Sequence[Json], told: dict[str, str], seen: dict[str, Seen]) -> None:
    for node in nodes:
        how = _how(node, seen)
        if told.get(node["name"]) != how:
            told[node["name"]] = how
            call.output.note(f"{node['name']}: {how}")


def _how(node: Json, seen: dict[str, Seen]) -> str:
    if node["in_flight"] is None:
        return "unknown, because the queue cannot be reached"
    if lost := seen[node["name"]].lost:
        return f"lost with {lost} in flight; what it had not finished goes elsewhere"
    if node["state"] == "down" and not node["in_flight"]:
        return "down: nothing of it is heard of; what it held goes elsewhere"
    return "drained" if node["drained"] else f"{node['in_flight']} in flight"
