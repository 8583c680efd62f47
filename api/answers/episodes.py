"""The ledger."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, AnyJson, Timestamp
from api.answers.records import Pagination


class Session(Answer):
    """A run of episodes."""

    id: str
    conversation_id: str | None = Field(
        description="What the caller calls it; its own id when it was not named, null when it was erased."
    )
    container_tag: str
    user_id: str | None
    agent_id: str | None
    metadata: AnyJson
    episodes: int = Field(description="How many it has.")
    job_id: str | None = Field(description="Of its newest consolidation.")
    created_at: Timestamp
    updated_at: Timestamp


class Episode(Answer):
    """One entry of the ledger."""

    id: str
    session_id: str
    seq: int = Field(description="Its place in the session, from 0, without gaps.")
    kind: Literal["turn", "tool_call", "tool_result", "outcome", "error"]
    role: str
    name: str | None
    content: str | None = Field(description="Null when it was erased.")
    occurred_at: Timestamp | None
    recorded_at: Timestamp
    metadata: AnyJson
    hash: str = Field(description="Ties it to the entry before: 64 hexadecimal digits over both.")
    is_erased: bool = Field(description="Whether only its place in the chain is left.")


class Appended(Answer):
    """What was appended, and the job that consolidates it."""

    id: str = Field(description="Of the first episode.")
    session_id: str
    conversation_id: str | None
    container_tag: str
    episodes: list[Episode] = Field(description="Those appended, in order.")
    status: Literal["queued", "running", "done", "partial", "failed", "cancelled"] = Field(
        description="Of the consolidation; `done` when the episodes state nothing to extract."
    )
    job_id: str | None
    warning: str | None = None


class Sessions(Answer):
    """A page of sessions."""

    sessions: list[Session]
    pagination: Pagination


class Episodes(Answer):
    """A page of the episodes of a session."""

    session: Session
    episodes: list[Episode]
    pagination: Pagination
