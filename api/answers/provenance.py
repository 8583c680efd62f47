"""The walks through time."""

from __future__ import annotations

from api.answers.base import Answer, AnyJson, Timestamp
from api.answers.records import Pagination, Source, Unsourced, Who


class Change(Answer):
    """One change of what is believed."""

    at: Timestamp
    kind: str
    id: str
    container_tag: str
    memory: str
    root_id: str
    version: int
    reason: str | None
    actor: Who | None
    successor_id: str | None = None
    previous_id: str | None = None


class Changes(Answer):
    """What changed between two times, in the order in which it was recorded."""

    changes: list[Change]
    pagination: Pagination


class Evidence(Source):
    """One place where a memory was said, and what made a memory of it."""

    role: str | None
    speaker: str | None
    model: str | None
    prompt_version: str | None
    job_id: str | None
    node: str | None
    outcome: str | None
    outcome_reason: str | None
    recorded_at: Timestamp | None
    retired_at: Timestamp | None
    reason: str | None


class Judgement(Answer):
    """One decision of a judge."""

    id: str
    judge: str
    memory_id: str | None
    other_id: str | None
    inputs: AnyJson
    verdict: str
    probabilities: dict[str, float]
    model: str | None
    prompt_version: str | None
    node: str | None
    milliseconds: float | None
    at: Timestamp
    label: str | None
    relabelled: str | None


class Version(Unsourced):
    """One version with what made it and why."""

    model: str | None
    prompt_version: str | None
    job_id: str | None
    node: str | None
    reason: str | None


class Provenance(Answer):
    """Everything that a memory can be walked back to."""

    id: str
    memory: str
    root_id: str
    sources: list[Evidence]
    decisions: list[Judgement]
    versions: list[Version]
