"""The state of the whole."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer
from api.answers.nodes import Node


class Reranking(Answer):
    """What searches of this process got of a reranking, since it began."""

    done: int
    skipped: int = Field(description="The order was clear without it.")
    failed: int = Field(description="It failed in whole or in part.")


class Models(Answer):
    """The models that are used."""

    embedding: str
    llm: str | None = Field(description="Null: rules do its work.")


class Health(Answer):
    """Whether everything works; to a caller without a key only `status`."""

    status: Literal["ok", "degraded", "down"]
    store: Literal["up", "down"] | None = None
    broker: Literal["up", "down", "unknown"] | None = None
    models: Models | None = None
    reranking: Reranking | None = None
    warnings: list[str] | None = None


class Queue(Answer):
    """One queue."""

    name: Literal["interactive", "background", "host", "sources", "reconcile"]
    depth: int | None
    ready: int
    leased: int
    oldest_seconds: float | None
    consumers: int


class Holding(Answer):
    """A work item that a worker holds."""

    tenant: str
    item: int
    attempt: int


class Worker(Answer):
    """One worker and what it holds."""

    worker: str
    lane: str
    node: str
    slots: int
    consuming: bool
    in_flight: list[Holding]
    queue_wait_seconds: float
    pid: int
    healthy: bool
    reason: str | None
    bad_answers: int | None


class Lanes(Answer):
    """The queues, the nodes and what each is doing."""

    broker: Literal["up", "down"]
    queues: list[Queue]
    nodes: list[Node]
    workers: list[Worker]
    warnings: list[str]


class Stats(Answer):
    """What is kept in the spaces."""

    documents: int
    chunks: int
    sessions: int
    episodes: int
    memories: dict[str, int]
    jobs: dict[str, int]
    candidates: dict[str, int]
    tokens: int
    store_bytes: int | None = Field(description="Of the file of the tenant; null to a key that may not see all of it.")
