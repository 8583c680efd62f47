"""What keeps a node from a lane at this moment, and in which words a person is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memory.fleet import FleetLane, FleetNode, Presence, Role
from memory.records import Micros
from memory.temporal import to_iso

NodeState = Literal["serving", "down", "paused", "too_hot", "broken", "unhealthy", "hot", "busy"]

# The model servers that the tasks of a lane call, as far as the node has them: one without an LLM passes such work on.
NEEDED: Mapping[FleetLane, tuple[Role, ...]] = {"interactive": ("embed", "rerank"), "background": ("embed", "llm")}
# What a lane cannot do without when no node has all of it: a search without reranking says so in its answer, and while
# no LLM answers, what needs one waits and the rest is done.
LEAST: tuple[Role, ...] = ("embed",)
SERVERS: Mapping[Role, str] = {"embed": "embedding server", "rerank": "reranker", "llm": "LLM server"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """Why a node may not serve a lane."""

    state: NodeState
    why: str  # without a full stop, beginning in lower case


def obstacle(
    node: FleetNode, presence: Presence | None, lane: FleetLane, *, now: Micros, lenient: bool = False
) -> Obstacle | None:
    """Return what keeps a node from a lane.

    Args:
        node: of the inventory.
        presence: what is known of it; None when nothing is.
        lane: which.
        now: the broker's time.
        lenient: overlook what only makes a node the worse choice: a reranker or an LLM that fails, other load.

    Returns:
        The gravest reason; None when the node may serve the lane.
    """
    if presence is None or not presence.alive:
        return Obstacle(state="down", why="no worker of it was heard of in the last 10 s")
    if lane in presence.missing:
        return Obstacle(state="down", why=f"its {lane} worker was not heard of in the last 10 s")
    if node.lendable and presence.paused_until is not None and presence.paused_until > now:
        return Obstacle(state="paused", why=f"paused until {to_iso(presence.paused_until)}")
    return _of_health(node, presence, lane, lenient=lenient) or _of_load(node, presence, lane, lenient=lenient)


def _of_health(node: FleetNode, presence: Presence, lane: FleetLane, *, lenient: bool) -> Obstacle | None:
    report = presence.report
    if report is not None and report.thermal == "too_hot":
        return Obstacle(state="too_hot", why=f"too hot for any work{_degrees(report.celsius)}")
    if node.embed_port is None and (node.rerank_port is not None or node.llm_port is not None):
        return Obstacle(state="unhealthy", why="the inventory names no embedding server for it")
    if lane in presence.broken:
        return Obstacle(state="broken", why=f"its {lane} worker found the node's models failing and probes them")
    for model in report.models if report is not None else ():
        if not model.healthy and model.role in (LEAST if lenient else NEEDED[lane]):
            reason = f": {model.reason.rstrip('.')}" if model.reason else ""
            return Obstacle(state="unhealthy", why=f"its {SERVERS[model.role]} is not healthy{reason}")
    return None


def _of_load(node: FleetNode, presence: Presence, lane: FleetLane, *, lenient: bool) -> Obstacle | None:
    report = presence.report
    if report is None or lane == "interactive":
        return None
    if report.thermal != "ok":
        return Obstacle(state="hot", why=f"too hot for background work{_degrees(report.celsius)}")
    if report.load > node.busy_limit and not lenient:
        why = f"busy with something else (load {report.load:.2f} per core, limit {node.busy_limit:g})"
        return Obstacle(state="busy", why=why)
    return None


def _degrees(celsius: float | None) -> str:
    return "" if celsius is None else f" ({celsius:.0f} °C)"
