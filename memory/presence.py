"""What is known of every node at one moment, put together from what its workers and its agent said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.fleet import LANES, FleetLane, NodeReport, Presence
from memory.ports import Heartbeat
from memory.records import Micros


def presences(
    heartbeats: Iterable[Heartbeat], reports: Mapping[str, NodeReport], paused: Mapping[str, Micros]
) -> dict[str, Presence]:
    """Return the input of the lane rules.

    Args:
        heartbeats: of the worker processes that live; those of other queues are passed over.
        reports: what the agents said, by node; a node without one is not held to be bad.
        paused: the end of each pause, by node.

    Returns:
        The presence of every node that anything is known of.
    """
    workers: dict[str, dict[FleetLane, Heartbeat]] = {}
    for beat in heartbeats:
        said, _, node = beat.worker.partition("@")
        for lane in LANES:
            if lane == said:
                workers.setdefault(node, {})[lane] = beat
    return {
        node: Presence(
            alive=node in workers,
            report=reports.get(node),
            paused_until=paused.get(node),
            broken=frozenset(lane for lane, beat in workers.get(node, {}).items() if not beat.healthy),
            missing=frozenset(lane for lane in LANES if node in workers and lane not in workers[node]),
        )
        for node in {*workers, *reports, *paused}
    }
