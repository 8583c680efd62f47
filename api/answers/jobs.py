"""Jobs."""

from __future__ import annotations

from typing import Literal

from api.answers.base import Answer, AnyJson, CamelAnswer, Timestamp
from api.answers.records import CamelPagination, Pagination


class Job(Answer):
    """What was accepted and is owed, and how far it is."""

    id: str
    kind: str
    state: Literal["queued", "running", "done", "partial", "failed", "cancelled"]
    container_tag: str | None
    document_id: str | None
    revision: int | None
    session_id: str | None
    reason: str | None
    warning: str | None
    items_total: int
    items_done: int
    items_failed: int
    created_at: Timestamp
    updated_at: Timestamp
    finished_at: Timestamp | None
    extraction: AnyJson | None = None


class CamelJob(Job, CamelAnswer):
    """What was accepted and is owed, and how far it is."""


class Jobs(Answer):
    """A page of jobs, newest first."""

    jobs: list[Job]
    pagination: Pagination


class CamelJobs(CamelAnswer):
    """A page of jobs, newest first."""

    jobs: list[CamelJob]
    pagination: CamelPagination
