"""Memories: written, changed, forgotten, restored, listed."""

from __future__ import annotations

from api.answers.base import Answer, CamelAnswer
from api.answers.records import CamelPagination, Memory, MemoryEntry


class NewMemories(CamelAnswer):
    """Memories that were written, and what of it waits for a person."""

    document_id: None
    memories: list[MemoryEntry]
    warning: str | None = None
    conflicts: list[str] | None = None


class UpdatedMemory(MemoryEntry):
    """The new version of a memory."""

    warning: str | None = None


class Forgotten(CamelAnswer):
    """A memory that was forgotten."""

    id: str
    forgotten: bool


class Match(CamelAnswer):
    """A memory that fits."""

    id: str
    memory: str
    score: float


class Forgetting(CamelAnswer):
    """What would be forgotten, or was."""

    dry_run: bool
    count: int
    forget_batch_id: str | None
    summary: str
    candidates: list[Match] | None = None
    forgotten: list[Match] | None = None


class MemoryEntries(CamelAnswer):
    """A page of memories."""

    memory_entries: list[MemoryEntry]
    pagination: CamelPagination


class History(Answer):
    """Every version of a memory's chain, oldest first."""

    root_id: str
    versions: list[Memory]


class Restored(Answer):
    """The memories that are live again."""

    count: int
    memories: list[Memory]
