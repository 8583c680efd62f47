"""The review list."""

from __future__ import annotations

from typing import Literal

from api.answers.base import Answer, Timestamp
from api.answers.records import Memory, Pagination, Who


class Candidate(Answer):
    """What was said and is not known yet."""

    statement: str
    quote: str | None
    speaker: str | None
    said_at: Timestamp | None
    confidence: float | None
    source_id: str | None
    support: int | None


class Judged(Answer):
    """What the judge said."""

    verdict: str
    probabilities: dict[str, float]
    model: str | None


class Conflict(Answer):
    """One entry of the review list, with the memory it is about."""

    id: str
    kind: Literal["contradiction", "low_confidence", "unjudged", "inferred"]
    state: str
    container_tag: str
    memory: Memory | None
    candidate: Candidate | None
    judge: Judged | None
    proposed: str | None
    decision_id: str | None
    opened_at: Timestamp
    resolution: str | None
    resolved_at: Timestamp | None
    resolved_by: Who | None
    reason: str | None


class Conflicts(Answer):
    """A page of what waits for a person."""

    conflicts: list[Conflict]
    pagination: Pagination
