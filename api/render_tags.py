"""Container tags, merges, deletions and settings as they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api import render
from memory.buckets import Bucket
from memory.records import Review
from services.bucket_sets import Suggestion
from services.bucketing import SHARED
from services.container_tags import Deletion, TagSettings
from services.inferred import Inferred
from services.merging import Merge
from services.tenant_settings import Reset

Json = dict[str, Any]

# In Supermemory's words.
MERGE_STATUS = {"queued": "queued", "moving": "db_committing", "completed": "completed", "failed": "failed"}


def listed_tag(one: TagSettings) -> Json:
    """Return a space as a list shows it."""
    return {
        "containerTag": one.name, "name": one.display_name, "documentCount": one.documents,
        "memoryCount": one.memories, "createdAt": render.moment(one.created_at),
        "updatedAt": render.moment(one.updated_at),
    }  # fmt: skip


def tag(one: TagSettings, buckets: Sequence[tuple[str, Bucket]], warning: str | None) -> Json:
    """Return a space with its settings."""
    shown = {
        **listed_tag(one), "entityContext": one.entity_context,
        "memoryFilesystemPaths": None if one.memory_paths is None else list(one.memory_paths),
        "profileBuckets": [{"key": bucket.key, "description": bucket.description} for _, bucket in buckets],
    }  # fmt: skip
    return {**shown, **render.present({"warning": warning})}


def deleted_tag(one: Deletion) -> Json:
    """Return a space that was put away, as Supermemory does."""
    return {
        "success": True, "containerTag": one.name, "deletedDocumentsCount": one.documents,
        "deletedMemoriesCount": one.memories, "deletionId": one.id,
    }  # fmt: skip


def deletion(one: Deletion) -> Json:
    """Return a space that was put away."""
    return {
        "id": one.id, "container_tag": one.name, "documents": one.documents, "memories": one.memories,
        "reason": one.reason, "actor": render.actor(one.actor), "deleted_at": render.moment(one.deleted_at),
    }  # fmt: skip


def queued_merge(one: Merge) -> Json:
    """Return a merge that was asked for."""
    return {
        "success": True, "status": MERGE_STATUS[one.state], "mergeId": one.id, "targetTag": one.target,
        "sourceTags": list(one.sources),
    }  # fmt: skip


def merge(one: Merge) -> Json:
    """Return how far a merge is."""
    return {
        "id": one.id, "status": MERGE_STATUS[one.state], "sourceTags": list(one.sources), "targetTag": one.target,
        "progress": dict(one.progress), "remaining": dict(one.remaining), "lastError": one.reason, "jobId": one.job_id,
        "requestedAt": render.moment(one.requested_at), "finishedAt": render.moment(one.finished_at),
    }  # fmt: skip


def inferred_entry(one: Review) -> Json:
    """Return an inferred memory that waits."""
    memory = one.memory
    return {
        "id": one.memory_id, "memory": memory.text if memory else "", "parentCount": memory.support if memory else 0,
        "containerTag": one.space, "createdAt": render.moment(memory.recorded_at) if memory else None,
        "conflictId": one.id,
    }  # fmt: skip


def reviewed(one: Inferred) -> Json:
    """Return what was decided about an inferred memory."""
    return {
        "id": one.memory.id, "isInference": one.memory.is_inferred, "isForgotten": one.memory.is_forgotten,
        "reviewStatus": one.status,
    }  # fmt: skip


def settings(found: Mapping[str, Any], warning: str | None) -> Json:
    """Return the settings of a tenant."""
    buckets = found.get(SHARED)
    shown = {
        "shouldLLMFilter": found.get("should_llm_filter"), "filterPrompt": found.get("filter_prompt"),
        "includeItems": found.get("include_items"), "excludeItems": found.get("exclude_items"),
        "chunkSize": found.get("chunk_size"),
        "profileBuckets": None if buckets is None else [
            {"key": key, "description": description} for key, description in buckets.items()
        ],
    }  # fmt: skip
    return {**shown, **render.present({"warning": warning})}


def reset(one: Reset) -> Json:
    """Return what a reset has put away."""
    return {
        "success": True, "deletedConnections": 0, "deletedDocumentBatches": len(one.deletions),
        "deletedDocumentsApprox": sum(gone.documents for gone in one.deletions),
        "deletedMemoryRows": sum(gone.memories for gone in one.deletions),
        "deletedExtraSpaces": sum(gone is not one.default for gone in one.deletions),
        "clearedDefaultSpaceContext": one.default is not None, "clearedBrainMemoryRegistry": False,
        "settingsReset": True, "deletionIds": [gone.id for gone in one.deletions],
    }  # fmt: skip


def suggestions(found: Sequence[Suggestion]) -> Json:
    """Return buckets that are suggested."""
    return {"buckets": [{"key": one.key, "description": one.description, "memories": one.memories} for one in found]}
