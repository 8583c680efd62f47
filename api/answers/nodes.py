"""Nodes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, Timestamp


class ModelServer(Answer):
    """One model server of a node."""

    role: str
    model: str | None
    healthy: bool
    reason: str | None
    memory_bytes: int | None
    restarts: int


class Node(Answer):
    """One node of the fleet."""

    name: str
    card: int | None
    lane: str
    lendable: bool
    lanes: list[str]
    assigned: list[str]
    state: str
    why: str
    paused_until: Timestamp | None
    drained: bool
    in_flight: int | None
    bad_answers: int | None
    queue_wait_seconds: dict[str, float]
    celsius: float | None
    thermal: Literal["ok", "hot", "too_hot"] | None
    load: float | None
    memory_used_bytes: int | None
    memory_total_bytes: int | None
    models: list[ModelServer]
    reported_seconds: float | None


class Nodes(Answer):
    """Every node with its lanes, its state and what it holds."""

    nodes: list[Node]
    warnings: list[str]


class Steered(Answer):
    """The nodes that were named."""

    nodes: list[Node]
    warning: str | None = None


class Drained(Steered):
    """The nodes that were named, and whether they have finished what they held."""

    drained: bool = Field(description="Whether all of them have finished what they held.")
