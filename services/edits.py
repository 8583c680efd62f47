"""What people and agents ask of memories, on the writer's side: remember, update, forget, restore.

Each handler runs in the fenced transaction that also records its outcome. A refusal is an error of `memory.errors`; the
transaction then keeps nothing but the refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.errors import AlreadyKnown, NotFound, NotLive, StateConflict
from memory.kinds import kind_of
from memory.reconciliation import reinforced
from memory.records import FOREVER, Memory, Micros, Scope
from memory.statements import equality_key
from memory.vectors import decode_vectors
from services.host import Host
from store import memories, rows, spaces
from store.connection import Writer
from store.hydration import load_memories
from store.memories import NewSource, NewVersion, VersionRef
from store.requests import Request

DIRECT_CONFIDENCE = 0.95  # somebody wrote it down on purpose; only what a person confirms could be surer


def _scope(tenant: str, payload: Mapping[str, Any]) -> Scope:
    return Scope(
        tenant=tenant, spaces=(str(payload["space"]),), user=payload.get("user"), agent=payload.get("agent"),
        session=payload.get("session"),
    )  # fmt: skip


def remember(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Keep facts written directly; one that is known already is reinforced and its id returned.

    Raises:
        StateConflict: a person forgot it, and it is not a person who writes it again.
    """
    scope = _scope(tenant, asked.payload)
    space_id = spaces.ensure(scope, tx, at=host.clock())
    return {"ids": [_remember_one(host, tx, scope, space_id, asked, item) for item in asked.payload["items"]]}


def _remember_one(host: Host, tx: Writer, scope: Scope, space_id: int, asked: Request, item: Mapping[str, Any]) -> str:
    at, key = host.clock(), equality_key(item["content"], None)
    equal = memories.live_equal(tx, space_id, key, user_id=scope.user, agent_id=scope.agent, at=at)
    source = NewSource(kind="direct", quote=item["content"])
    if equal is not None:
        if memories.add_source(tx, equal.id, source, at=at):
            memories.reinforce(tx, equal, confidence=reinforced(equal.confidence), at=at)
        return equal.id
    parent = None
    grave = memories.tombstone(tx, space_id, key)
    if grave is not None:
        if asked.actor.kind != "person":
            raise StateConflict("A person forgot this; only a person can make it known again.", id=grave[0])
        memories.lift_tombstone(tx, space_id, key)
        parent = memories.latest(tx, memories.root_of(tx, grave[0]))
    begins = item["valid_from"] if item["valid_from"] is not None else at
    row_id = _add_row(host, tx, scope, space_id, item["content"], item["vector"], at)
    return _add_version(host, tx, scope, asked, row_id, item, space_id, parent, begins, at)


def _add_row(
    host: Host, tx: Writer, scope: Scope, space_id: int, text: str, vector: str, at: Micros, group: str | None = None
) -> int:
    settings = host.settings
    generation = rows.serving_generation(tx, model=settings.embed_model, dimension=settings.embed_dimension, at=at)
    row = rows.NewRow(
        space_id=space_id, kind="memory", group_key=group or host.new_id("grp"), position=0, text=text,
        vector=decode_vectors(vector, settings.embed_dimension).tobytes(), generation_id=generation,
        user_id=scope.user, agent_id=scope.agent, session_id=scope.session,
    )  # fmt: skip
    return rows.add_row(tx, row, at=at)


def _add_version(
    host: Host, tx: Writer, scope: Scope, asked: Request, row_id: int, item: Mapping[str, Any], space_id: int,
    parent: VersionRef | None, begins: Micros, at: Micros,
) -> str:  # fmt: skip
    memory_id = host.new_id("mem")
    new = NewVersion(
        id=memory_id, space_id=space_id, row_id=row_id, statement=item["content"],
        equality_key=equality_key(item["content"], None), kind=item["kind"] or kind_of(item["content"]),
        confidence=DIRECT_CONFIDENCE, model="direct", actor=asked.actor, parent=parent, is_static=item["is_static"],
        metadata=item["metadata"], user_id=scope.user, agent_id=scope.agent, session_id=scope.session,
    )  # fmt: skip
    memories.add_version(tx, new, at=at)
    memories.add_source(tx, memory_id, NewSource(kind="direct", quote=item["content"]), at=at)
    rows.open_window(tx, row_id, valid_from=begins, valid_to=FOREVER, at=at, actor=asked.actor)
    return memory_id


def update(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Make a new version of a live memory: a change as of now (or `valid_from`), or a correction of what never held.

    Raises:
        NotFound: there is no such memory.
        NotLive: the id is not the live version; `current_id` names it.
        StateConflict: it was forgotten.
        AlreadyKnown: another live memory has the new text; `id` names it.
    """
    payload, at = asked.payload, host.clock()
    scope = _scope(tenant, payload)
    target = _live_target(tx, scope, payload, at)
    old = load_memories(tx, [target.id])[target.id]
    key = equality_key(payload["new_content"], None)
    equal = memories.live_equal(tx, target.space_id, key, user_id=scope.user, agent_id=scope.agent, at=at)
    if equal is not None and equal.id != target.id:
        raise AlreadyKnown(id=equal.id)
    metadata = old.metadata if payload["metadata"] is None else payload["metadata"]
    if payload["new_content"] == old.statement:
        memories.set_metadata(tx, target.id, metadata, at=at)
        rows.announce(tx, target.row_id, "metadata", at=at)
        return {"id": target.id}
    begins = max(payload["valid_from"] if payload["valid_from"] is not None else at, _begins(tx, target, payload))
    reason = "corrected" if payload["correction"] else "changed"
    if payload["correction"]:
        rows.retire_windows(tx, target.row_id, at=at, actor=asked.actor, reason=reason)
    else:
        rows.close_windows(tx, target.row_id, until=begins, at=at, actor=asked.actor, reason=reason)
    group = rows.group_of(tx, target.row_id)
    row_id = _add_row(host, tx, scope, target.space_id, payload["new_content"], payload["vector"], at, group)
    item = {
        "content": payload["new_content"], "is_static": old.is_static, "kind": old.kind, "metadata": metadata,
    }  # fmt: skip
    return {"id": _add_version(host, tx, scope, asked, row_id, item, target.space_id, target, begins, at)}


def _begins(tx: Writer, target: VersionRef, payload: Mapping[str, Any]) -> Micros:
    """Return the earliest begin of a new version: a correction takes over the old begin, a change comes after it."""
    old = rows.valid_from(tx, target.row_id)
    return old if payload["correction"] else old + 1


def _live_target(tx: Writer, scope: Scope, payload: Mapping[str, Any], at: Micros) -> VersionRef:
    if payload.get("id") is not None:
        target = memories.ref(scope, tx, str(payload["id"]))
    else:
        target = _by_content(tx, scope, str(payload["content"]), at)
    newest = memories.latest(tx, target.root_id)
    if newest.forgotten_at is not None:
        raise StateConflict("This memory was forgotten; restore it first.", id=newest.id)
    if newest.id != target.id or not rows.is_live(tx, target.row_id, at=at):
        raise NotLive(current_id=newest.id)
    return target


def _by_content(tx: Writer, scope: Scope, content: str, at: Micros) -> VersionRef:
    space_id = spaces.find(scope, tx).get(scope.space)
    found = [] if space_id is None else memories.by_text(scope, tx, space_id, equality_key(content, None))
    live = next((one for one in found if rows.is_live(tx, one.row_id, at=at)), None)
    if live is None:
        raise NotFound("No live memory has exactly this text in this space.", field="content")
    return live


def forget(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Forget live memories: reversible, with a reason, and not learned again from old sources.

    With a batch, ids that are not live any more are passed over; alone, they are refused.

    Raises:
        NotFound: there is no such memory.
        NotLive: the id is not the live version.
        StateConflict: it was forgotten before.
    """
    payload, at = asked.payload, host.clock()
    scope = _scope(tenant, payload)
    forgotten = []
    for one in payload["ids"] or [None]:
        try:
            target = _live_target(tx, scope, {"id": one, "content": payload.get("content")}, at)
        except (NotFound, StateConflict):
            if payload["batch"] is None:
                raise
            continue
        rows.retire_windows(tx, target.row_id, at=at, actor=asked.actor, reason=payload["reason"])
        memories.mark_forgotten(tx, target, at=at, reason=payload["reason"], batch=payload["batch"])
        forgotten.append(target.id)
    return {"ids": forgotten}


def restore(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Make forgotten memories live again, each as a new version of its chain.

    Raises:
        NotFound: there is no such memory or batch.
        StateConflict: the chain has a live version.
    """
    payload, at = asked.payload, host.clock()
    scope = _scope(tenant, payload)
    if payload["batch"] is None:
        return {"ids": [_restore_one(host, tx, asked, memories.ref(scope, tx, payload["id"]), at)]}
    found = memories.of_batch(scope, tx, payload["batch"])
    if not found:
        raise NotFound(f"No batch {payload['batch']!r} in this space.", field="batch_id")
    gone = [one for one in found if memories.latest(tx, one.root_id).id == one.id]
    return {"ids": [_restore_one(host, tx, asked, one, at) for one in gone]}


def _restore_one(host: Host, tx: Writer, asked: Request, target: VersionRef, at: Micros) -> str:
    newest = memories.latest(tx, target.root_id)
    if newest.forgotten_at is None:
        raise StateConflict("The chain of this memory has a live version; there is nothing to restore.", id=newest.id)
    key_holder = memories.live_equal(
        tx, newest.space_id, newest.equality_key, user_id=newest.user_id, agent_id=newest.agent_id, at=at
    )
    if key_holder is not None:
        raise AlreadyKnown(id=key_holder.id)
    old: Memory = load_memories(tx, [newest.id])[newest.id]
    memory_id = host.new_id("mem")
    row_id = rows.copy_row(tx, newest.row_id, at=at)
    new = NewVersion(
        id=memory_id, space_id=newest.space_id, row_id=row_id, statement=old.statement,
        equality_key=newest.equality_key, kind=old.kind, confidence=old.confidence, model="restored",
        actor=asked.actor, parent=newest, speaker=old.speaker, said_at=old.said_at, said_zone=old.said_zone,
        is_static=old.is_static, metadata=old.metadata, user_id=newest.user_id, agent_id=newest.agent_id,
        session_id=newest.session_id,
    )  # fmt: skip
    memories.add_version(tx, new, at=at)
    memories.copy_sources(tx, newest.id, memory_id, at=at)
    begins = rows.valid_from(tx, newest.row_id)
    rows.open_window(tx, row_id, valid_from=begins, valid_to=FOREVER, at=at, actor=asked.actor)
    memories.lift_tombstone(tx, newest.space_id, newest.equality_key)
    return memory_id


HANDLERS = {"remember": remember, "update": update, "forget": forget, "restore": restore}
