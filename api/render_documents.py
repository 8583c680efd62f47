"""Documents and chunks as JSON, in Supermemory's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from api.render import memory_entry, moment, present
from memory.records import Accepted, Document, Memory
from services.document_batches import Refused
from services.document_changes import Deletion

Json = dict[str, Any]

# What Supermemory's clients know; a document that is none of these is still in the works.
ENDED = ("done", "failed")


def document(row: Document) -> Json:
    """Return a document as a list shows it."""
    shown = {
        "id": row.id, "customId": row.custom_id, "connectionId": None, "title": row.title, "summary": row.summary,
        "type": row.type, "status": row.status, "metadata": dict(row.metadata), "containerTags": [row.space],
        "createdAt": moment(row.created_at), "updatedAt": moment(row.updated_at),
    }  # fmt: skip
    rare = {
        "url": row.url, "filepath": row.filepath, "content": row.content, "errorMessage": row.reason,
        "warning": row.warning, "jobId": row.job_id, "documentDate": moment(row.document_date, row.document_zone),
    }  # fmt: skip
    return {**shown, **present(rare)}


def processed(row: Document) -> Json:
    """Return a document as the list of what is processed shows it."""
    code = ("cancelled" if row.is_cancelled else "failed") if row.status == "failed" else None
    return {**document(row), "stuck": row.is_stuck, **present({"errorCode": code})}


def whole_document(row: Document, memories: Iterable[Memory]) -> Json:
    """Return a document with its text and the memories that rest on it."""
    ended = row.status in ENDED
    # A newer revision is being processed while an older one serves.
    update = row.job_id if not ended and row.live_revision is not None else None
    return {
        **document(row),
        "content": row.content,
        "raw": None,
        "ogImage": None,
        "source": None,
        "taskType": row.task_type,
        "dreamingStatus": "done" if ended else "dreaming",
        "latestRevision": row.latest_revision,
        "liveRevision": row.live_revision,
        "activeContentUpdateId": update,
        "tombstonedAt": None,
        "chunkCount": row.chunk_count,
        "memoryCount": row.memory_count,
        "tokens": row.tokens,
        "memories": [memory_entry(memory) for memory in memories],
    }


def chunk(row: Any) -> Json:
    """Return a chunk, as `services.documents.chunks` gives it, with its span in the source."""
    return {
        "id": row.id, "documentId": row.document_id, "position": row.position, "content": row.body,
        "heading": list(row.heading), "start": row.start, "end": row.end,
    }  # fmt: skip


def batch(results: Iterable[Accepted | Refused]) -> Json:
    """Return what became of each document of a batch, in the order sent."""
    shown = [_of_batch(one) for one in results]
    failed = sum(one["status"] == "failed" and not one["id"] for one in shown)
    return {"results": shown, "success": len(shown) - failed, "failed": failed}


def _of_batch(one: Accepted | Refused) -> Json:
    if isinstance(one, Refused):
        return {"id": "", "status": "failed", "error": one.message, "details": one.code}
    return present({"id": one.id, "status": one.status, "jobId": one.job_id, "warning": one.warning})


def deletion(done: Deletion, spaces: tuple[str, ...]) -> Json:
    """Return what became of a wish to delete several documents.

    Args:
        done: what became of it.
        spaces: those that were named.
    """
    errors = [{"id": ref, "error": why} for ref, why in (done.missing or {}).items()]
    body: Json = {"success": not errors, "deletedCount": done.deleted}
    if done.pending:
        warning = f"{done.pending} documents are going to be deleted as soon as the writer is back."
        body |= {"pendingCount": done.pending, "warning": warning}
    return {**body, **({"errors": errors} if errors else {}), **({"containerTags": list(spaces)} if spaces else {})}
