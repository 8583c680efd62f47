"""What is accepted and owed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.records.scope import JobState, Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Something accepted and owed."""

    id: str  # job_...
    space: str
    kind: str  # document, conversation
    state: JobState
    document_id: str | None
    revision: int | None
    session_id: str | None
    reason: str | None
    warning: str | None
    items_total: int
    items_done: int
    items_failed: int
    created_at: Micros
    updated_at: Micros
    finished_at: Micros | None
    # Of extraction by a language model: groups, attempts, facts, refused, bad_answers, cut; None where there was none.
    extraction: Mapping[str, int] | None = None

    @property
    def is_open(self) -> bool:
        """Whether something of it is still owed."""
        return self.state in ("queued", "running")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """One retryable piece of a job, as leased."""

    id: int  # unique in its tenant
    tenant: str
    job_id: str
    task: str  # explicit task name, e.g. "embed.texts"
    queue: str  # "background", "host" or "sources"
    payload: Mapping[str, Any]  # small, JSON
    attempt: int  # number of this sending, 1-based; names the lease
    caused_by: str | None = None  # id of the request of a caller that its job comes from


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a write that starts a job answers."""

    id: str  # of the document or session
    status: str
    job_id: str | None
    warning: str | None = None  # e.g. the broker is down, the work starts when it is back
    created: bool = True  # False when an equal request had been accepted before


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """What makes a repeated POST answer as the first did."""

    route: str
    key: str
    body_hash: str  # hex sha256 of the body
