"""What several answers show: a memory in both dialects, its windows and sources, who did it, where a page stands."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, AnyJson, CamelAnswer, Timestamp
from memory.records import MemoryKind


class Who(Answer):
    """Who did it."""

    kind: str = Field(description="`person`, `agent`, `service` or `pipeline`.", examples=["person"])
    id: str = Field(description="Its name.", examples=["local"])


class Pagination(Answer):
    """Where a page stands."""

    current_page: int
    limit: int = Field(description="The limit that was applied.")
    total_items: int
    total_pages: int
    next_cursor: str | None


class CamelPagination(Pagination, CamelAnswer):
    """Where a page stands."""


class Source(Answer):
    """Where a memory or a result came from; parts that do not apply are missing."""

    kind: Literal["document", "episode", "direct"]
    id: str = Field(description="Of the document, the episode or the memory.")
    document_id: str | None = None
    revision: int | None = None
    chunk_id: str | None = None
    conversation_id: str | None = None
    message_index: int | None = None
    title: str | None = None
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    said_at: Timestamp | None = None


class CamelSource(Source, CamelAnswer):
    """Where a memory or a result came from; parts that do not apply are missing."""


class Window(Answer):
    """One claim of validity on both clocks."""

    valid_from: Timestamp | None
    valid_to: Timestamp | None
    recorded_at: Timestamp | None
    retired_at: Timestamp | None
    reason: str | None = Field(description="Why it was retired.")
    actor: Who
    retired_by: Who | None


class Fact(Answer):
    """One version of a memory, without what says who wrote it and when it held."""

    id: str
    memory: str
    statement: str
    speaker: str | None
    said_at: Timestamp | None
    kind: MemoryKind
    version: int
    root_id: str
    parent_id: str | None
    is_latest: bool
    is_forgotten: bool
    forget_reason: str | None
    forget_after: Timestamp | None
    is_static: bool
    is_disputed: bool
    is_unjudged: bool
    is_retired: bool
    is_inferred: bool
    confidence: float
    support: int
    metadata: AnyJson
    container_tag: str
    valid_from: Timestamp | None
    valid_to: Timestamp | None
    recorded_at: Timestamp | None
    updated_at: Timestamp | None


class Unsourced(Fact):
    """One version of a memory with its windows."""

    actor: Who
    windows: list[Window]


class Memory(Unsourced):
    """One version of a memory with its windows and sources."""

    sources: list[Source]


class MemoryEntry(CamelAnswer):
    """A memory in Supermemory's words."""

    id: str
    memory: str
    version: int
    is_latest: bool
    is_forgotten: bool
    forget_reason: str | None
    is_static: bool
    is_inference: bool
    is_disputed: bool
    is_unjudged: bool
    is_retired: bool
    parent_memory_id: str | None
    root_memory_id: str
    source_count: int
    metadata: AnyJson
    container_tag: str
    kind: MemoryKind
    confidence: float
    created_at: Timestamp | None
    updated_at: Timestamp | None
    valid_from: Timestamp | None
    valid_to: Timestamp | None
    forget_after: Timestamp | None
    sources: list[CamelSource]
    source_document_ids: list[str]
