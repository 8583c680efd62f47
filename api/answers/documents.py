"""Documents: what was accepted, one, lists, chunks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import AnyJson, CamelAnswer, Timestamp
from api.answers.records import CamelPagination, MemoryEntry

Status = Literal["unknown", "queued", "extracting", "chunking", "embedding", "indexing", "done", "failed"]


class Taken(CamelAnswer):
    """What was accepted and is kept, and the job that owes the rest."""

    id: str
    job_id: str | None = None
    warning: str | None = None
    error_message: str | None = None


class Accepted(Taken):
    """A document that was accepted and is kept, and the job that owes the rest."""

    status: Status


class Document(CamelAnswer):
    """A document as a list shows it."""

    id: str
    custom_id: str | None
    connection_id: None
    title: str | None
    summary: str | None = Field(description="Its opening sentences, up to 300 characters.")
    type: str
    status: Status
    metadata: AnyJson
    container_tags: list[str]
    created_at: Timestamp
    updated_at: Timestamp
    url: str | None = Field(default=None, description="Of a page: where it was fetched from.")
    filepath: str | None = None
    content: str | None = None
    error_message: str | None = None
    warning: str | None = None
    job_id: str | None = None
    document_date: Timestamp | None = None


class ProcessedDocument(Document):
    """A document as the list of what is processed shows it."""

    stuck: bool = Field(description="Unfinished, and untouched for 4 hours.")
    error_code: Literal["failed", "cancelled"] | None = None


class WholeDocument(Document):
    """A document with its text and the memories that rest on it."""

    raw: None
    og_image: None
    source: None
    task_type: Literal["memory", "superrag"]
    dreaming_status: Literal["dreaming", "done"] = Field(description="`dreaming` while it is processed.")
    latest_revision: int
    live_revision: int | None
    active_content_update_id: str | None = Field(description="The job of a newer revision, while an older one serves.")
    tombstoned_at: None
    chunk_count: int
    memory_count: int
    tokens: int | None
    memories: list[MemoryEntry]


class FileUrl(CamelAnswer):
    """Where the file of a document is fetched."""

    url: str


class Documents(CamelAnswer):
    """A page of documents."""

    memories: list[Document] = Field(description="The documents; the name is Supermemory's.")
    pagination: CamelPagination


class Processing(CamelAnswer):
    """A page of documents that are not finished yet."""

    documents: list[ProcessedDocument]
    total_count: int
    pagination: CamelPagination


class BatchResult(CamelAnswer):
    """What became of one document of a batch."""

    id: str = Field(description="Empty when it was not taken.")
    status: Status
    job_id: str | None = None
    warning: str | None = None
    error: str | None = Field(default=None, description="Why it was not taken.")
    details: str | None = Field(default=None, description="The code of that error.")


class Batch(CamelAnswer):
    """What became of each document of a batch, in the order sent."""

    results: list[BatchResult]
    success: int
    failed: int


class DeletionError(CamelAnswer):
    """Why something that was named was not deleted."""

    id: str = Field(description="As it was sent.")
    error: str


class Deleted(CamelAnswer):
    """What became of a wish to delete several documents."""

    success: bool = Field(description="Whether everything that was named is, or will be, deleted.")
    deleted_count: int
    pending_count: int | None = Field(default=None, description="Kept as asked, and not yet carried out.")
    warning: str | None = None
    errors: list[DeletionError] | None = None
    container_tags: list[str] | None = Field(default=None, description="The spaces that were named.")


class Chunk(CamelAnswer):
    """A part of a document that is found as one, with its span in the source."""

    id: str
    document_id: str
    position: int
    content: str
    heading: list[str]
    start: int
    end: int


class Chunks(CamelAnswer):
    """The chunks of a document in order."""

    chunks: list[Chunk]
    total: int
