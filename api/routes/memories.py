"""Memories: written, changed, forgotten, restored, listed."""

from __future__ import annotations

from flask import Blueprint

from api import render, scope
from api.body import body, body_if_any, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.reply import Reply
from api.schemas.memories import (
    AddMemories,
    FindMemory,
    ForgetMatching,
    ForgetMemory,
    ListMemories,
    RestoreBatch,
    RestoreMemory,
    UpdateMemory,
)
from services import memories
from services.correcting import correct_kind

routes = Blueprint("memories", __name__)


@routes.post("/v4/memories")
def add_memories() -> Reply:
    """Write facts directly."""
    sent, key = body(AddMemories), idempotency("POST /v4/memories")
    with limits().writing():
        written = memories.remember(scope.to_write(sent), host(), actor(), sent.records(), idempotency=key)
    return render.new_memories(written), 202 if written.conflicts else 201


@routes.patch("/v4/memories")
def update_memory() -> Reply:
    """Write a new version of a memory, or correct its kind."""
    sent = body(UpdateMemory)
    with limits().writing():
        if sent.kind is not None and sent.id is not None:
            return render.updated_memory(correct_kind(scope.to_write(sent), host(), actor(), sent.id, sent.kind))
        updated = memories.update(scope.to_write(sent), host(), actor(), **sent.change())
    return render.updated_memory(updated)


@routes.delete("/v4/memories")
def forget_memory() -> Reply:
    """Forget one memory; it can be restored."""
    sent = body(ForgetMemory)
    with limits().writing():
        gone = memories.forget(
            scope.to_write(sent), host(), actor(), memory_id=sent.id, content=sent.content, reason=sent.reason
        )
    return {"id": gone.id, "forgotten": True}


@routes.post("/v4/memories/forget-matching")
def forget_matching() -> Reply:
    """Forget, or preview forgetting, what fits a question or a list of ids."""
    sent = body(ForgetMatching)
    with limits().writing():
        whose = scope.to_write(sent, preview=sent.dry_run)
        outcome = memories.forget_matching(whose, host(), actor(), **sent.selection())
    return render.forgetting(outcome)


@routes.post("/v4/memories/list")
def list_memories() -> Reply:
    """Return a page of memories."""
    sent = body(ListMemories)
    page = memories.listing(
        scope.to_read(sent),
        host(),
        sent.clocks(),
        **sent.sorting(),
        forgotten=sent.include_forgotten,
        history=sent.history,
    )
    return render.listed(page, "memoryEntries", render.memory_entry, number=sent.page)


@routes.get("/v1/memories/<memory_id>")
def get_memory(memory_id: str) -> Reply:
    """Return one version of a memory."""
    sent = query(FindMemory)
    return render.memory(memories.get(scope.to_find(sent), host(), memory_id, sent.clocks()))


@routes.get("/v1/memories/<memory_id>/history")
def get_history(memory_id: str) -> Reply:
    """Return every version of a memory's chain, oldest first."""
    sent = query(FindMemory)
    versions = memories.history(scope.to_find(sent), host(), memory_id, sent.clocks())
    return {"root_id": versions[0].root_id, "versions": [render.memory(version) for version in versions]}


@routes.post("/v1/memories/<memory_id>/restore")
def restore_memory(memory_id: str) -> Reply:
    """Make a forgotten memory live again, as a new version."""
    sent = body_if_any(RestoreMemory)
    with limits().writing():
        return render.memory(memories.restore(scope.to_change(sent), host(), actor(), memory_id))


@routes.post("/v1/memories/restore")
def restore_batch() -> Reply:
    """Make live again what one forget-matching call has forgotten."""
    sent = body(RestoreBatch)
    with limits().writing():
        restored = memories.restore_batch(scope.to_change(sent), host(), actor(), sent.batch_id)
    return {"count": len(restored), "memories": [render.memory(row) for row in restored]}
