"""Waits until nodes have finished what they hold, and says on standard error how far they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memlane.call import Call
from memlane.http import Json

# The workers decide once a second and say what they hold every three.
LOOK_SECONDS = 1.0
# What a worker took in the moment it stopped shows in its next heartbeat; one look could miss it.
LOOKS = 2


def drained(call: Call, answer: Json, names: Sequence[str], *, pause: Callable[[float], None]) -> tuple[bool, Json]:
    """Wait for nodes that are paused.

    Args:
        call: the client and the output.
        answer: of the request that paused them, with `nodes`.
        names: of the nodes.
        pause: waits so many seconds.

    Returns:
        Whether all are drained; False when a pause ended before that. With the last look at them.
    """
    told: dict[str, str] = {}
    seen = 0
    while True:
        _tell(call, answer["nodes"], told)
        seen = seen + 1 if all(node["drained"] for node in answer["nodes"]) else 0
        if seen == LOOKS:
            return True, answer
        if any(node["paused_until"] is None for node in answer["nodes"]):
            return False, answer
        pause(LOOK_SECONDS)
        answer = {**answer, "nodes": [node for node in call.client.nodes()["nodes"] if node["name"] in names]}


def _tell(call: Call, nodes: Sequence[Json], told: dict[str, str]) -> None:
    for node in nodes:
        how = _how(node)
        if told.get(node["name"]) != how:
            told[node["name"]] = how
            call.output.note(f"{node['name']}: {how}")


def _how(node: Json) -> str:
    if node["in_flight"] is None:
        return "unknown, because the queue cannot be reached"
    return "drained" if node["drained"] else f"{node['in_flight']} in flight"
