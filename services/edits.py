"""What people and agents ask of memories, on the writer's side: remember, update, forget, restore.

Each handler runs in the fenced transaction that also records its outcome. A refusal is an error of `memory.errors`; the
transaction then keeps nothing but the refusal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import AlreadyKnown, InvalidInput, NotFound, NotLive, StateConflict
from memory.kinds import kind_of
from memory.reconciliation import Evidence
from memory.records import Memory, Micros, Scope
from memory.statements import equality_key
from memory.temporal import LATEST
from services import asking, deciding, judging, owed, versions, written
from services.deciding import Around
from services.host import Host
from services.versions import Place, Validity
from store import candidates, memories, memory_sources, retention, reviews, rows, spaces, tombstones
from store.candidates import Candidate
from store.connection import Writer
from store.hydration import load_memories
from store.memories import NewVersion, VersionRef
from store.requests import Request

# Metadata that a change keeps of its temporal context.
DATES = ("documentDate", "eventDate")
DIRECT_CONFIDENCE = 0.95  # somebody wrote it down on purpose; only what a person confirms could be surer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """A request under way: its transaction, who asks for what, and when."""

    host: Host
    tx: Writer
    tenant: str
    asked: Request
    at: Micros

    @property
    def payload(self) -> Mapping[str, Any]:
        return self.asked.payload

    @property
    def scope(self) -> Scope:
        return asking.scope_of(self.tenant, self.payload)


def _edit(host: Host, tx: Writer, tenant: str, asked: Request) -> _Edit:
    return _Edit(host=host, tx=tx, tenant=tenant, asked=asked, at=host.clock())


def remember(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Keep facts written directly; one that is known already is reinforced and its id returned.

    Returns:
        `ids` of memories, and `conflicts`: ids of what contradicts a confident memory and waits for a person.

    Raises:
        StateConflict: a person forgot it, and it is not a person who writes it again.
    """
    edit = _edit(host, tx, tenant, asked)
    space_id = spaces.ensure(edit.scope, tx, at=edit.at)
    ids, conflicts = [], []
    for index, item in enumerate(asked.payload["items"]):
        memory_id, conflict = _remember_one(edit, space_id, index, item)
        if conflict is not None:
            conflicts.append(conflict)
        else:
            ids.append(memory_id)
    return {"ids": ids, "conflicts": conflicts}


def _remember_one(edit: _Edit, space_id: int, index: int, item: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Keep one fact; returns the id of its memory, or else that of the review which it waits in."""
    host, tx, at = edit.host, edit.tx, edit.at
    one = candidates.write_directly(tx, _written(edit, space_id, index, item), at=at)
    found = _around(edit, one, item)
    if found.forgotten is not None and found.equal is None and edit.asked.actor.kind != "person":
        raise StateConflict("A person forgot this; only a person can make it known again.", id=found.forgotten.id)
    near = judging.near(host, tx, edit.tenant, one, found.place.owner, at=at) if found.needs_judges else []
    verdicts = judging.by_rules(host, tx, one, near, at=at)
    settled = deciding.carry_out(host, tx, one, found, near, verdicts, at=at, actor=edit.asked.actor)
    # What cannot be compared now is, as soon as vectors of its model serve.
    later = (host.has_llm and near) or not judging.is_comparable(tx, one)
    if later and settled.outcome == "added" and settled.memory_id is not None:
        written.await_judges(host, tx, one, settled.memory_id, at=at)
        return settled.memory_id, None
    candidates.settle(
        tx, one.seq, outcome=settled.outcome, reason=settled.reason, memory_id=settled.memory_id, at=at,
        keep_vector=settled.keep_vector,
    )  # fmt: skip
    if settled.outcome == "suppressed":
        raise StateConflict("A person decided against this; only a person can make it known again.", field="content")
    if settled.outcome == "conflict":
        return None, reviews.latest_of(tx, settled.memory_id)
    return (None, found.disputed) if found.disputed else (settled.memory_id, None)


def _written(edit: _Edit, space_id: int, index: int, item: Mapping[str, Any]) -> Candidate:
    text, model = item["content"], owed.made_by(edit.host, edit.payload)
    vector, generation = owed.read_vector(edit.tx, item["vector"], model, at=edit.at)
    return Candidate(
        space_id=space_id, job_id=edit.asked.id, statement=text, quote=text, start=0, end=len(text), position=0,
        kind=item["kind"] or kind_of(text), confidence=DIRECT_CONFIDENCE, model="direct",
        equality_key=equality_key(text, None), valid_from=item["valid_from"], item=index, generation_id=generation,
        vector=vector,
    )  # fmt: skip


def _around(edit: _Edit, one: Candidate, item: Mapping[str, Any]) -> Around:
    tx, at, owner = edit.tx, edit.at, edit.scope.owner
    by_person = edit.asked.actor.kind == "person"
    begins = judging.begin_of(one)
    equal = memories.live_equal(tx, one.space_id, one.equality_key, owner, at=max(at, begins))
    return Around(
        place=Place(
            owner=owner, metadata=item["metadata"], group=edit.host.new_id("grp"), is_static=item["is_static"],
            forget_after=item.get("forget_after"),
        ),
        evidence=Evidence(
            said_at=at, by_user=by_person, begins=begins, confidence=one.confidence, by_person=by_person
        ),
        forgotten=tombstones.forgotten(tx, one.space_id, one.equality_key, owner) if equal is None else None,
        equal=equal,
        disputed=None if equal or by_person else deciding.disputed_by(tx, one, owner),
        refused_at=reviews.refused_at(tx, one.space_id, one.equality_key, owner),
        replaced=None,
    )  # fmt: skip


def update(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Make a new version of a live memory: a change as of now (or `valid_from`), or a correction of what never held.

    Raises:
        NotFound: there is no such memory.
        NotLive: the id is not the live version; `current_id` names it.
        StateConflict: it was forgotten.
        AlreadyKnown: another live memory has the new text; `id` names it.
    """
    edit = _edit(host, tx, tenant, asked)
    payload, at = edit.payload, edit.at
    target = _live_target(edit, payload)
    old = load_memories(tx, [target.id])[target.id]
    begins = _begins(edit, target)
    key = equality_key(payload["new_content"], None)
    equal = memories.live_equal(tx, target.space_id, key, target.owner, at=max(at, begins))
    if equal is not None and equal.id != target.id:
        raise AlreadyKnown(id=equal.id)
    metadata = _new_metadata(payload, old.metadata)
    if payload["new_content"] == old.statement:
        memories.set_metadata(tx, target.id, metadata, at=at)
        rows.announce(tx, target.row_id, "metadata", at=at)
        _keep_expiry(edit, old, target.id)
        return {"id": target.id}
    if payload["vector"] is None:
        raise StateConflict("The memory was changed meanwhile; read it again and retry.", id=target.id)
    if payload["correction"]:
        rows.retire_windows(tx, target.row_id, at=at, actor=asked.actor, reason="corrected")
    else:
        rows.close_windows(tx, target.row_id, until=begins, at=at, actor=asked.actor, reason="changed")
    new_id = _next_version(edit, old, target, metadata=metadata, begins=begins)
    _keep_expiry(edit, old, new_id)
    return {"id": new_id}


def _next_version(edit: _Edit, old: Memory, target: VersionRef, *, metadata: Mapping[str, Any], begins: Micros) -> str:
    """Add the new text as the next version; whose it is does not change with what it says."""
    host, tx, at = edit.host, edit.tx, edit.at
    item = {"content": edit.payload["new_content"], "vector": edit.payload["vector"], "kind": old.kind}
    one = candidates.write_directly(tx, _written(edit, target.space_id, 0, {**item, "valid_from": begins}), at=at)
    place = Place(
        owner=target.owner, metadata=metadata, group=rows.group_of(tx, target.row_id), is_static=old.is_static
    )
    actor = edit.asked.actor
    new_id = versions.add(host, tx, one, place, Validity(begins=begins), at=at, parent=target, actor=actor)
    retention.carry(tx, target.id, new_id)
    candidates.settle(tx, one.seq, outcome="superseded", reason="changed by request", memory_id=new_id, at=at)
    return new_id


def _new_metadata(payload: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a new version; the dates that it has stay, unless there are others."""
    told = old if payload["metadata"] is None else payload["metadata"]
    return {**told, **{name: old[name] for name in DATES if name in old}, **payload.get("dates", {})}


def _keep_expiry(edit: _Edit, old: Memory, new_id: str) -> None:
    """Let a version be forgotten by itself when its change says, else when the one before it would have been.

    Raises:
        InvalidInput: a reason for a forgetting that is not planned.
    """
    payload = edit.payload
    ends = None if payload.get("keep") else payload.get("forget_after") or old.forget_after
    if ends is None and payload.get("forget_reason") is not None:
        message = "`forgetReason` is of a planned forgetting: send `forgetAfter` too."
        raise InvalidInput(message, field="forgetReason")
    if ends is not None or old.forget_after is not None:
        reason = (payload.get("forget_reason") or old.forget_reason) if ends is not None else None
        memories.set_forget_after(edit.tx, new_id, ends, reason)
        rows.announce(edit.tx, memories.by_id(edit.tx, new_id).row_id, "window", at=edit.at)


def _begins(edit: _Edit, target: VersionRef) -> Micros:
    """Return when a new version begins: a correction takes over the old begin, a change comes after it."""
    old, told = rows.valid_from(edit.tx, target.row_id), edit.payload["valid_from"]
    if edit.payload["correction"]:
        before = rows.earlier_end(edit.tx, target.root_id, before=old)
        return old if told is None else max(int(told), before)
    return min(LATEST, max(old + 1, edit.at if told is None else int(told)))


def _live_target(edit: _Edit, named: Mapping[str, Any]) -> VersionRef:
    """Return the version named by `id` or else by `content`, which must be the live one or become it.

    What holds from a later day on can be changed and forgotten before, or a mistyped year could never be undone.
    """
    tx, at = edit.tx, edit.at
    if named["id"] is not None:
        target = memories.ref(edit.scope, tx, str(named["id"]))
    else:
        target = _by_content(edit, str(named["content"]))
    newest = memories.latest(tx, target.root_id)
    if newest.forgotten_at is not None:
        raise StateConflict("This memory was forgotten; restore it first.", id=newest.id)
    if newest.id != target.id or not rows.is_ahead(tx, target.row_id, at=at):
        raise NotLive(current_id=newest.id)
    return target


def _by_content(edit: _Edit, content: str) -> VersionRef:
    found = memories.by_text(edit.scope, edit.tx, equality_key(content, None))
    states = (rows.is_live, rows.is_ahead)
    live = next((one for state in states for one in found if state(edit.tx, one.row_id, at=edit.at)), None)
    if live is None:
        raise NotFound("No live memory has exactly this text in this space.", field="content")
    return live


def _forgettable(edit: _Edit, named: Mapping[str, Any]) -> VersionRef:
    """Return what is to be forgotten: the newest version, or one that is live until a change that lies ahead."""
    if named["id"] is not None:
        target = memories.ref(edit.scope, edit.tx, str(named["id"]))
        if target.forgotten_at is None and rows.is_live(edit.tx, target.row_id, at=edit.at):
            return target
    return _live_target(edit, named)


def forget(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Forget live memories: reversible, with a reason, and not learned again from old sources.

    With a batch, ids that are not live any more are passed over; alone, they are refused.

    Raises:
        NotFound: there is no such memory.
        NotLive: the id is not the live version.
        StateConflict: it was forgotten before.
    """
    edit = _edit(host, tx, tenant, asked)
    payload, at = edit.payload, edit.at
    forgotten = []
    for one in payload["ids"] or [None]:
        try:
            target = _forgettable(edit, {"id": one, "content": payload.get("content")})
        except (NotFound, StateConflict):
            if payload["batch"] is None:
                raise
            continue
        rows.retire_windows(tx, target.row_id, at=at, actor=asked.actor, reason=payload["reason"])
        tombstones.mark_forgotten(tx, target, at=at, reason=payload["reason"], batch=payload["batch"])
        forgotten.append(target.id)
    return {"ids": forgotten}


def restore(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Make forgotten memories live again, each as a new version of its chain.

    Raises:
        NotFound: there is no such memory or batch.
        StateConflict: the chain has a live version.
    """
    edit = _edit(host, tx, tenant, asked)
    batch = edit.payload["batch"]
    if batch is None:
        return {"ids": [_restore_one(edit, memories.ref(edit.scope, tx, edit.payload["id"]))]}
    found = tombstones.of_batch(edit.scope, tx, batch)
    if not found:
        raise NotFound(f"No batch {batch!r} in this space.", field="batch_id")
    gone = [one for one in found if memories.latest(tx, one.root_id).id == one.id]
    return {"ids": [_restore_one(edit, one) for one in gone]}


def _restore_one(edit: _Edit, target: VersionRef) -> str:
    tx, at = edit.tx, edit.at
    newest = memories.latest(tx, target.root_id)
    if newest.forgotten_at is None:
        raise StateConflict("The chain of this memory has a live version; there is nothing to restore.", id=newest.id)
    equal = memories.live_equal(tx, newest.space_id, newest.equality_key, newest.owner, at=at)
    if equal is not None:
        raise AlreadyKnown(id=equal.id)
    old = load_memories(tx, [newest.id])[newest.id]
    new = NewVersion(
        id=edit.host.new_id("mem"), space_id=newest.space_id, row_id=rows.copy_row(tx, newest.row_id, at=at),
        statement=old.statement, equality_key=newest.equality_key, kind=old.kind, confidence=old.confidence,
        model="restored", actor=edit.asked.actor, parent=newest, speaker=old.speaker, said_at=old.said_at,
        said_zone=old.said_zone, is_static=old.is_static, metadata=old.metadata, owner=newest.owner,
    )  # fmt: skip
    memories.add_version(tx, new, valid_from=rows.valid_from(tx, newest.row_id), at=at)
    retention.carry(tx, newest.id, new.id)
    memory_sources.copy_sources(tx, newest.id, new.id, at=at)
    tombstones.lift_tombstone(tx, newest)
    return new.id


HANDLERS = {"remember": remember, "update": update, "forget": forget, "restore": restore}
