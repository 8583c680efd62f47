"""Memories: written, changed, forgotten, restored, listed."""

from __future__ import annotations

from flask import Blueprint

from api import render, scope
from api.answers import memories as answers
from api.answers.base import Pending
from api.answers.records import Memory
from api.body import body, body_if_any, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.nulls import nulled
from api.operations import operation
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
@operation(
    body=AddMemories,
    answers={201: answers.NewMemories, 202: (answers.NewMemories, Pending)},
    idempotent=True,
    errors=(502,),
    example={"memories": [{"content": "Ana lives in Oslo."}], "containerTag": "home"},
)
def add_memories() -> Reply:
    """Write facts directly.

    A fact that is known already is reinforced and answers with its id. A secret is left out, and `warning` says so. 202
    with `status` "pending" when the writer has not got to it in time: it is kept. What contradicts a confident memory,
    and is not written by a person, changes nothing: the answer is 202 with `conflicts`, the entries of the review list
    on which it waits, and `memories` are those that were written. With a language model the judge answers later, as a
    job: the fact is written at once, and taken back when it turns out to contradict. A fact that a person forgot is 409
    `conflict` unless a person writes it.

    From `forgetAfter` on, which must lie ahead, no read returns the fact; within a minute it is forgotten with the
    reason `expired`. It can be restored, and a new statement teaches it again. A fact that is known already keeps its
    own moment.
    """
    sent, key = body(AddMemories), idempotency("POST /v4/memories")
    with limits().writing():
        written = memories.remember(scope.to_write(sent), host(), actor(), sent.records(), idempotency=key)
    return render.new_memories(written), 202 if written.conflicts else 201


@routes.patch("/v4/memories")
@operation(
    body=UpdateMemory,
    answers={200: answers.UpdatedMemory, 202: Pending},
    errors=(404, 502),
    example={"id": "mem_01", "newContent": "Ana lives in Bergen."},
)
def update_memory() -> Reply:
    """Write a new version of a memory, or correct its kind.

    The memory is named by `id`, or exactly by its `content`. It is a change as of now, or of `validFrom`, or of the
    first `eventDate` of `temporalContext`; `"correction": true` says that the old text never was true, and the new one
    takes over the time from which it was valid. What holds only from a later day on can be changed and forgotten
    before. `forgetAfter` left out keeps the old one's. 409 `not_live` when the id is not the live version, 409
    `already_known` when another memory says this.

    With `id` and `kind` alone, a person corrects of what kind a memory is (403 `person_only` for others). That is no
    new version; reads of the past show the kind of then. Where a judge had sorted it, the correction is the label of a
    decision of the judge `kind`; to send the kind that it has confirms it.
    """
    sent = body(UpdateMemory)
    with limits().writing():
        if sent.kind is not None and sent.id is not None:
            return render.updated_memory(correct_kind(scope.to_write(sent), host(), actor(), sent.id, sent.kind))
        updated = memories.update(scope.to_write(sent), host(), actor(), **sent.change(nulled(UpdateMemory)))
    return render.updated_memory(updated)


@routes.post("/v3/memories/forget", endpoint="forget_memory_before")
@routes.delete("/v4/memories")
@operation(
    body=ForgetMemory,
    answers={200: answers.Forgotten, 202: Pending},
    errors=(404,),
    example={"id": "mem_01", "reason": "It was never true."},
)
def forget_memory() -> Reply:
    """Forget one memory; it can be restored."""
    sent = body(ForgetMemory)
    with limits().writing():
        gone = memories.forget(
            scope.to_write(sent), host(), actor(), memory_id=sent.id, content=sent.content, reason=sent.reason
        )
    return {"id": gone.id, "forgotten": True}


@routes.post("/v4/memories/forget-matching")
@operation(
    body=ForgetMatching,
    answers={200: answers.Forgetting, 202: Pending},
    errors=(404, 502),
    example={"query": "old address", "dryRun": True},
)
def forget_matching() -> Reply:
    """Forget, or preview forgetting, what fits a question or a list of ids."""
    sent = body(ForgetMatching)
    with limits().writing():
        whose = scope.to_write(sent, preview=sent.dry_run)
        outcome = memories.forget_matching(whose, host(), actor(), **sent.selection())
    return render.forgetting(outcome)


@routes.post("/v4/memories/list")
@operation(
    body=ListMemories,
    answers={200: answers.MemoryEntries},
    changes=False,
    example={"containerTag": "home", "limit": 20},
)
def list_memories() -> Reply:
    """Return a page of memories.

    `sort` by `updatedAt` goes by the present times also in a list of the past.
    """
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
@operation(query=FindMemory, answers={200: Memory})
def get_memory(memory_id: str) -> Reply:
    """Return one version of a memory, with its windows on both clocks and its sources.

    With `as_of` it is the version of its chain that held then; with `known_at` it is shown as it was known. 404 when
    there was none at that time.
    """
    sent = query(FindMemory)
    return render.memory(memories.get(scope.to_find(sent), host(), memory_id, sent.clocks()))


@routes.get("/v1/memories/<memory_id>/history")
@operation(query=FindMemory, answers={200: answers.History})
def get_history(memory_id: str) -> Reply:
    """Return every version of a memory's chain, oldest first.

    With `known_at` the versions that were known then, as they were known; with `as_of` those that held then.
    """
    sent = query(FindMemory)
    versions = memories.history(scope.to_find(sent), host(), memory_id, sent.clocks())
    return {"root_id": versions[0].root_id, "versions": [render.memory(version) for version in versions]}


@routes.post("/v1/memories/<memory_id>/restore")
@operation(body=RestoreMemory, body_optional=True, answers={200: Memory, 202: Pending})
def restore_memory(memory_id: str) -> Reply:
    """Make a forgotten memory live again, as a new version; 409 when its chain has a live one."""
    sent = body_if_any(RestoreMemory)
    with limits().writing():
        return render.memory(memories.restore(scope.to_change(sent), host(), actor(), memory_id))


@routes.post("/v1/memories/restore")
@operation(
    body=RestoreBatch, answers={200: answers.Restored, 202: Pending}, errors=(404,), example={"batch_id": "fgt_01"}
)
def restore_batch() -> Reply:
    """Make live again what one forget-matching call has forgotten, in whichever space it was."""
    sent = body(RestoreBatch)
    with limits().writing():
        restored = memories.restore_batch(scope.to_change(sent), host(), actor(), sent.batch_id)
    return {"count": len(restored), "memories": [render.memory(row) for row in restored]}
