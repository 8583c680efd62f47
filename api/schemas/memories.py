"""Memories: written, changed, forgotten, restored, listed."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.clocks import AtClocks, CamelAtClocks
from api.schemas.fields import CamelFields
from api.schemas.paging import CamelSorted
from api.schemas.scope import CamelInScope, InScope
from api.schemas.values import Fact, Label, Line, Metadata, Moment, Question
from memory.records import MemoryKind, NewMemory
from memory.temporal import to_iso

MOST_WRITTEN = 100
MOST_FORGOTTEN = 500
MOST_DATES = 20


class Fresh(CamelFields):
    """One fact to be written."""

    content: Fact
    is_static: bool = False
    kind: MemoryKind | None = None
    metadata: Metadata = Field(default_factory=dict)
    valid_from: Moment | None = None
    forget_after: Moment | None = None

    def record(self) -> NewMemory:
        """Return the fact as services take it."""
        return NewMemory(
            content=self.content,
            is_static=self.is_static,
            kind=self.kind,
            metadata=self.metadata,
            valid_from=self.valid_from[0] if self.valid_from else None,
            forget_after=self.forget_after[0] if self.forget_after else None,
        )


class AddMemories(CamelInScope):
    """`POST /v4/memories`."""

    memories: list[Fresh] = Field(min_length=1, max_length=MOST_WRITTEN)

    def records(self) -> list[NewMemory]:
        """Return the facts as services take them."""
        return [fresh.record() for fresh in self.memories]


class TemporalContext(CamelFields):
    """When the new content was written, and when what it tells happened."""

    document_date: Moment | None = None
    event_date: list[Moment] | None = Field(default=None, max_length=MOST_DATES)

    def dates(self) -> dict[str, Any]:
        """Return what is kept of it among the metadata."""
        written = {"documentDate": to_iso(*self.document_date)} if self.document_date else {}
        happened = {"eventDate": [to_iso(*one) for one in self.event_date]} if self.event_date else {}
        return {**written, **happened}


class _Named(CamelInScope):
    """A request about one memory, named by its id or by its exact text."""

    id: Label | None = None
    content: Fact | None = None

    @model_validator(mode="after")
    def _one_name(self) -> _Named:
        if (self.id is None) == (self.content is None):
            raise PydanticCustomError("name", "or `content` is required, and not both", {"field": "id"})
        return self


# What a change of the text can be sent with.
_WITH_TEXT = frozenset(
    ("content", "new_content", "metadata", "valid_from", "correction", "temporal_context", "forget_after",
     "forget_reason")
)  # fmt: skip


class UpdateMemory(_Named):
    """`PATCH /v4/memories`."""

    new_content: Fact | None = None
    kind: MemoryKind | None = None
    metadata: Metadata | None = None
    valid_from: Moment | None = None
    correction: bool = False
    temporal_context: TemporalContext | None = None
    forget_after: Moment | None = None
    forget_reason: Line | None = None

    @model_validator(mode="after")
    def _text_or_kind(self) -> UpdateMemory:
        if self.kind is None and self.new_content is None:
            raise PydanticCustomError("change", "is required", {"field": "newContent"})
        if self.kind is not None and any(getattr(self, name) for name in _WITH_TEXT):
            message = "corrects what a memory is, not what it says; send it with nothing but `id`"
            raise PydanticCustomError("change", message, {"field": "kind"})
        return self

    def change(self, nulled: frozenset[str]) -> dict[str, Any]:
        """Return the arguments of an update; the first event date is when the change became true.

        Args:
            nulled: fields that were sent as null.
        """
        events = self.temporal_context.event_date if self.temporal_context else None
        since = self.valid_from or (events[0] if events else None)
        return {
            "memory_id": self.id,
            "content": self.content,
            "new_content": self.new_content,
            "metadata": self.metadata,
            "valid_from": since[0] if since else None,
            "correction": self.correction,
            "forget_after": self.forget_after[0] if self.forget_after else None,
            "forget_reason": self.forget_reason,
            "keep": "forget_after" in nulled,
            "dates": self.temporal_context.dates() if self.temporal_context else {},
        }


class ForgetMemory(_Named):
    """`DELETE /v4/memories`."""

    reason: Line | None = None


class ForgetMatching(CamelInScope):
    """`POST /v4/memories/forget-matching`."""

    query: Question | None = None
    ids: list[Label] | None = Field(default=None, min_length=1, max_length=MOST_FORGOTTEN)
    dry_run: bool = False
    threshold: float = Field(default=0.5, ge=0, le=1)
    max_forget: int = Field(default=100, ge=1, le=MOST_FORGOTTEN)
    reason: Line | None = None

    @model_validator(mode="after")
    def _one_way(self) -> ForgetMatching:
        if (self.query is None) == (self.ids is None):
            raise PydanticCustomError("name", "or `ids` is required, and not both", {"field": "query"})
        return self

    def selection(self) -> dict[str, Any]:
        """Return the arguments of forgetting."""
        return self.model_dump(include={"query", "ids", "dry_run", "threshold", "max_forget", "reason"})


class ListMemories(CamelInScope, CamelSorted, CamelAtClocks):
    """`POST /v4/memories/list`."""

    include_forgotten: bool = False
    history: bool = False


class FindMemory(InScope, AtClocks):
    """`GET /v1/memories/{id}` and its history."""


class RestoreMemory(InScope):
    """`POST /v1/memories/{id}/restore`; the body may be left out."""


class RestoreBatch(InScope):
    """`POST /v1/memories/restore`."""

    batch_id: Label
