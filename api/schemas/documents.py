"""Documents: added, listed, looked up, deleted."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from api.schemas.paging import CamelPaged, CamelSorted
from api.schemas.scope import CamelInScope
from api.schemas.values import CustomId, FilterValue, Line, Metadata, Moment, Prose
from memory.records import NewDocument

DOCUMENT_TYPES = Literal[
    "text", "pdf", "tweet", "google_doc", "google_slide", "google_sheet", "image", "video", "audio", "notion_doc",
    "webpage", "onedrive", "github_markdown", "granola",
]  # fmt: skip


class AddDocument(CamelInScope):
    """`POST /v3/documents`."""

    content: Prose
    custom_id: CustomId | None = None
    title: Line | None = None
    type: DOCUMENT_TYPES | None = None
    metadata: Metadata | None = None
    document_date: Moment | None = None
    filepath: Line | None = None
    wait: bool = False
    # Of Supermemory's wire, without effect here: extraction is always on and has no second mode.
    dreaming: Literal["instant", "dynamic"] | None = None
    entity_context: str | None = Field(default=None, max_length=1500)
    filter_by_metadata: dict[str, Any] | None = None
    task_type: Literal["memory", "superrag"] | None = None

    def record(self) -> NewDocument:
        """Return the document as services take it."""
        at, zone = self.document_date or (None, None)
        return NewDocument(
            content=self.content,
            custom_id=self.custom_id,
            title=self.title,
            type=self.type or "text",
            filepath=self.filepath,
            metadata=self.metadata,
            document_date=at,
            document_zone=zone,
        )


class ListDocuments(CamelInScope, CamelSorted):
    """`POST /v3/documents/list`, and `GET /v3/documents` as a query string."""

    filters: FilterValue | None = None
    include_content: bool = False
    filepath: Line | None = None

    def selection(self) -> dict[str, Any]:
        """Return the arguments of the listing."""
        return {
            **self.sorting(),
            "filters": self.filters,
            "filepath": self.filepath,
            "content": self.include_content,
        }


class ListProcessing(CamelInScope, CamelPaged):
    """`GET /v3/documents/processing`."""


class FindDocument(CamelInScope):
    """`GET /v3/documents/{id}` and its chunks."""


class DeleteDocument(CamelInScope):
    """`DELETE /v3/documents/{id}`."""

    reason: Line | None = None
    erase: bool = False
    verify: bool = False
