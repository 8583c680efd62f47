"""The fleet as everybody sees it: what the inventory says of a node, and what the node last said of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memory.records import Micros

FleetLane = Literal["interactive", "background"]
LANES: tuple[FleetLane, ...] = ("interactive", "background")
# What a model server of a node is for.
Role = Literal["embed", "rerank", "llm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetNode:
    """One node of the inventory."""

    name: str
    card: int = 0
    lane: FleetLane = "interactive"  # what it serves as long as nothing is out of order
    host: str = "127.0.0.1"
    embed_port: int | None = None  # None: the node has no such server
    rerank_port: int | None = None
    llm_port: int | None = None
    slots: int = 1  # model calls at a time, in each lane
    lendable: bool = True  # whether a pause may take it away
    busy_limit: float = 1.0  # share of the cores; above this load the node counts as busy with something else
    hot_celsius: float = 90.0  # from here on no background work
    too_hot_celsius: float = 97.0  # from here on no work at all
    memory_bytes: int | None = None  # cap of each model server that the agent supervises


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport:
    """What a probe found out about one model server."""

    role: Role
    healthy: bool
    model: str = ""
    reason: str = ""  # why it is not healthy, for a person
    memory_bytes: int | None = None  # of a supervised server
    restarts: int = 0  # of a supervised server, since the agent started


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """What a node's agent last said of it; lives 10 s in the broker."""

    node: str
    at: Micros  # by the broker's clock
    models: tuple[ModelReport, ...] = ()
    load: float = 0.0  # 1-minute load average per core, without the node's own model servers
    memory_used_bytes: int = 0
    memory_total_bytes: int = 0
    celsius: float | None = None  # package temperature; None where the machine has no sensor
    thermal: Literal["ok", "hot", "too_hot"] = "ok"  # with hysteresis: left 5 degrees and 30 s below the limit
    problems: tuple[str, ...] = ()  # what else a person should know, e.g. a worker that takes no work any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Nodes that are lent out or under maintenance, each with its end."""

    until: dict[str, Micros] = field(default_factory=dict)  # by node name
    problems: tuple[str, ...] = ()  # what of the pause file was ignored, and why
    expired: dict[str, Micros] = field(default_factory=dict)  # what the file still names though its end is past
    remarks: tuple[str, ...] = ()  # names in it that are no node's: no node is worse off


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """What is known of one node at one moment: the input of the lane rules."""

    alive: bool  # a worker of it was heard of in the last 10 s
    report: NodeReport | None = None  # None: no agent was heard of, which takes nothing away
    paused_until: Micros | None = None
    broken: frozenset[FleetLane] = frozenset()  # lanes whose worker found the node's models failing
    missing: frozenset[FleetLane] = frozenset()  # lanes whose own worker is gone, while the other lane's lives
