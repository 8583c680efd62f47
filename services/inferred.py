"""Memories that were derived from others and wait for a person: listed, approved, declined, and either taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

from memory.errors import NotFound, StateConflict
from memory.records import Actor, Memory, Page, Paging, Review, Scope
from services import asking, edits, review
from services.host import Host
from services.persons import require_person
from store import inferred, memories, reviews, rows
from store.connection import Writer
from store.hydration import load_memories
from store.requests import Request

Action = Literal["approve", "decline", "undo"]
Status = Literal["pending", "approved", "declined"]

_RESOLUTIONS: Mapping[str, Literal["take_candidate", "keep_incumbent"]] = {
    "approve": "take_candidate", "decline": "keep_incumbent",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """What became of an inferred memory."""

    memory: Memory
    status: Status


def listing(scope: Scope, host: Host, **paging: Unpack[Paging]) -> Page[Review]:
    """Return one page of what waits, newest first, each with its memory."""
    return review.listing(scope, host, kind="inferred", state="open", **paging)


def decide(scope: Scope, host: Host, actor: Actor, memory_id: str, action: Action) -> Inferred:
    """Approve or decline an inferred memory, or take the last decision about it back.

    Args:
        scope: whose; one space.
        host: the adapters.
        actor: a person.
        memory_id: the memory.
        action: `approve` lets it stand like any other, `decline` forgets it, `undo` has it wait again.

    Returns:
        The memory as it is then; what was declined comes back as a new version of it.

    Raises:
        PersonOnly: it is not a person who decides.
        NotFound: there is no such memory, or it was not inferred.
        StateConflict: it was decided already, or nothing is to be undone.
    """
    require_person(actor)
    with host.store.read(scope.tenant) as db:
        found = inferred.newest_review(scope, db, memories.ref(scope, db, memory_id).id)
    if found is None:
        raise NotFound(f"The memory {memory_id!r} was not inferred.", field="id")
    if action == "undo":
        payload = asking.payload_of(scope, id=found, memory=memory_id)
        memory_id = str(asking.ask(scope, host, actor, "inferred.undo", payload)["memory"])
        return _shown(scope, host, memory_id, "pending")
    review.resolve(scope, host, actor, found, _RESOLUTIONS[action])
    return _shown(scope, host, memory_id, "approved" if action == "approve" else "declined")


def _shown(scope: Scope, host: Host, memory_id: str, status: Status) -> Inferred:
    with host.store.read(scope.tenant) as db:
        return Inferred(memory=load_memories(db, [memory_id])[memory_id], status=status)


def undo(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Have a memory that was decided about wait again.

    Raises:
        PersonOnly: it is not a person who asks.
        StateConflict: it waits already, or has changed since.
    """
    require_person(asked.actor)
    scope, at = asking.scope_of(tenant, asked.payload), host.clock()
    found = reviews.find(scope, tx, str(asked.payload["id"]))
    if found.state == "open":
        raise StateConflict("It waits for a decision; nothing is to be undone.", id=found.id)
    memory_id = str(asked.payload["memory"])
    if memories.by_id(tx, memory_id).forgotten_at is not None:
        payload = {**asked.payload, "id": memory_id, "batch": None}
        (memory_id,) = edits.restore(host, tx, tenant, replace(asked, payload=payload))["ids"]
    mine = memories.by_id(tx, memory_id)
    if memories.latest(tx, mine.root_id).id != mine.id or not rows.is_ahead(tx, mine.row_id, at=at):
        raise StateConflict("This memory has changed since; undo that first.", id=mine.id)
    inferred.flag(tx, mine.id)
    rows.announce(tx, mine.row_id, "metadata", at=at)
    new = reviews.NewReview(
        id=host.new_id("con"), space_id=mine.space_id, owner=mine.owner, kind="inferred", memory_id=mine.id
    )
    reviews.open_review(tx, new, at=at)
    return {"memory": mine.id}


HANDLERS = {"inferred.undo": undo}
