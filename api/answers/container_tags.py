"""Container tags: their settings, merges and deletions, and what was inferred in them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, CamelAnswer, Timestamp
from api.answers.profile import Bucket
from api.answers.records import CamelPagination, Pagination, Who


class ContainerTag(CamelAnswer):
    """A space with its settings."""

    container_tag: str
    name: str | None = Field(description="What it is called for people.")
    entity_context: str | None = Field(description="What its material is about.")
    memory_filesystem_paths: list[str] | None = Field(
        description="Only documents whose `filepath` lies below one of these teach facts; null: all do."
    )
    profile_buckets: list[Bucket] = Field(description="The parts of its profile, those of the tenant's settings too.")
    document_count: int = Field(description="Documents that were not deleted.")
    memory_count: int = Field(description="Memories that hold.")
    created_at: Timestamp
    updated_at: Timestamp
    warning: str | None = None


class ListedTag(CamelAnswer):
    """A space as a list shows it."""

    container_tag: str
    name: str | None
    document_count: int = Field(description="Documents that were not deleted.")
    memory_count: int = Field(description="Memories that hold.")
    created_at: Timestamp
    updated_at: Timestamp


class ContainerTags(CamelAnswer):
    """A page of spaces, in the order they were made."""

    # The name means spaces by their names elsewhere.
    container_tags: list[ListedTag] = Field(
        description="Each with its counts.",
        examples=[[{"containerTag": "home", "name": None, "documentCount": 2, "memoryCount": 7,
                    "createdAt": "2026-05-04T07:30:00Z", "updatedAt": "2026-05-04T07:30:00Z"}]],
    )  # fmt: skip
    pagination: CamelPagination


class DeletedTag(CamelAnswer):
    """A space that was put away."""

    success: Literal[True] = Field(description="It was done, or is owed.")
    container_tag: str
    deleted_documents_count: int = Field(description="Documents that it had.")
    deleted_memories_count: int = Field(description="Memories that held in it.")
    deletion_id: str = Field(description="Restores it: `POST /v1/deletions/{deletion_id}/restore`.")


class QueuedMerge(CamelAnswer):
    """A merge that was asked for."""

    success: Literal[True] = Field(description="It was done, or is owed.")
    status: Literal["queued", "db_committing", "completed", "failed"]
    merge_id: str = Field(description="To ask how far it is.")
    target_tag: str = Field(description="Where everything moves to.")
    source_tags: list[str] = Field(description="What is emptied.")


class Merge(CamelAnswer):
    """How far a merge is."""

    id: str
    status: Literal["queued", "db_committing", "completed", "failed"]
    source_tags: list[str] = Field(description="What is emptied.")
    target_tag: str = Field(description="Where everything moves to.")
    progress: dict[str, int] = Field(description="How much has moved, by name.")
    remaining: dict[str, int] = Field(description="How much is still to be moved, by the same names.")
    last_error: str | None = Field(description="Why it failed; what had moved until then stays moved.")
    job_id: str | None = Field(description="The newest job that judges what now stands side by side.")
    requested_at: Timestamp
    finished_at: Timestamp | None


class InferredMemory(CamelAnswer):
    """A memory that was derived from others and waits for a person."""

    id: str
    memory: str
    parent_count: int = Field(description="How many sources it was derived from.")
    container_tag: str
    created_at: Timestamp | None
    conflict_id: str = Field(description="Its entry in the review list.")


class InferredMemories(CamelAnswer):
    """A page of what waits, newest first."""

    memories: list[InferredMemory]
    total: int
    pagination: CamelPagination


class ReviewedMemory(CamelAnswer):
    """What was decided about an inferred memory."""

    id: str
    is_inference: bool
    is_forgotten: bool
    review_status: Literal["pending", "approved", "declined"] = Field(description="What a person has decided.")


class Deletion(Answer):
    """A space that was put away and can be restored."""

    id: str
    container_tag: str = Field(description="The name that it had.")
    documents: int
    memories: int
    reason: str | None
    actor: Who
    deleted_at: Timestamp = Field(description="When it was put away.")


class Deletions(Answer):
    """A page of what was put away, newest first."""

    deletions: list[Deletion] = Field(description="What was put away.")
    pagination: Pagination
