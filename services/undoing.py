"""Undoing a retirement, on the writer's side: a version that was superseded, forgotten or lost its source lives again.

It becomes a new version of its chain, so nothing is rewritten, and an undo can be undone like any other change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import AlreadyKnown, StateConflict
from memory.records import BEGINNING, Micros
from services import asking
from services.host import Host
from services.persons import require_person
from store import memories, memory_sources, retention, rows, tombstones, undone
from store.connection import Writer
from store.hydration import load_memories
from store.memories import NewVersion, VersionRef
from store.memory_sources import NewSource
from store.requests import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class _Undo:
    """An undo under way: what is to live again, what took its place, and with which words."""

    host: Host
    tx: Writer
    asked: Request
    at: Micros
    target: VersionRef
    successor: VersionRef | None  # the version after it; None when there is none
    newest: VersionRef  # of the chain
    was: str  # why it was retired

    @property
    def reason(self) -> str:
        """What is said of each window that the undo retires."""
        told = self.asked.payload.get("reason")
        return f"undone by {self.asked.actor.kind} {self.asked.actor.id}" + (f": {told}" if told else "")


def undo(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Undo the last retirement of a memory.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound: there is no such memory.
        StateConflict: it was not retired, or its chain has gone on since.
        AlreadyKnown: another live memory says the same; `id` names it.
    """
    require_person(asked.actor)
    target = memories.ref(asking.scope_of(tenant, asked.payload), tx, str(asked.payload["id"]))
    one = _Undo(
        host=host, tx=tx, asked=asked, at=host.clock(), target=target, successor=undone.successor(tx, target),
        newest=memories.latest(tx, target.root_id), was=undone.last_reason(tx, target.row_id) or "",
    )  # fmt: skip
    _require_retired(one)
    _end_successor(one)
    equal = memories.live_equal(tx, target.space_id, target.equality_key, target.owner, at=one.at)
    if equal is not None:
        raise AlreadyKnown(id=equal.id)
    return {"id": _live_again(one)}


def _require_retired(one: _Undo) -> None:
    target, after = one.target, one.successor
    if not one.was or rows.is_ahead(one.tx, target.row_id, at=one.at):
        raise StateConflict("This memory was not retired; there is nothing to undo.", id=target.id)
    if one.newest.id not in (target.id, after.id if after else None):
        raise StateConflict(
            "The chain of this memory has gone on since; undo the later change first.", id=one.newest.id
        )
    if after is None:
        return
    if target.forgotten_at is not None or after.statement == target.statement:
        raise StateConflict("This memory has a version that came after that.", id=after.id)


def _end_successor(one: _Undo) -> None:
    """Stop believing what took the place; what a person forgot stays as it is."""
    if one.successor is not None:
        undone.retire_after(
            one.tx, one.successor.row_id, since=BEGINNING, at=one.at, actor=one.asked.actor, reason=one.reason
        )


def _live_again(one: _Undo) -> str:
    """Add the version anew, true from when it was true, or from where another version of the chain ends."""
    tx, at, target = one.tx, one.at, one.target
    old = load_memories(tx, [target.id])[target.id]
    apart = (target.row_id, one.successor.row_id) if one.successor else (target.row_id,)
    begins = max(rows.valid_from(tx, target.row_id), undone.others_end(tx, target.root_id, but=apart) or BEGINNING)
    undone.retire_after(tx, target.row_id, since=begins, at=at, actor=one.asked.actor, reason=one.reason)
    new = NewVersion(
        id=one.host.new_id("mem"), space_id=target.space_id, row_id=rows.copy_row(tx, target.row_id, at=at),
        statement=old.statement, equality_key=target.equality_key, kind=old.kind, confidence=old.confidence,
        model="restored", actor=one.asked.actor, parent=one.newest, speaker=old.speaker, said_at=old.said_at,
        said_zone=old.said_zone, is_static=old.is_static, metadata=old.metadata, owner=target.owner,
        **undone.linked(tx, target.id),
    )  # fmt: skip
    memories.add_version(tx, new, valid_from=begins, at=at)
    undone.set_reason(tx, new.id, f"{one.reason}; {target.id} had been retired: {one.was}")
    retention.carry(tx, target.id, new.id)
    memory_sources.copy_sources(tx, target.id, new.id, at=at)
    if undone.rests_on_nothing(tx, new.id):
        # From here on it rests on the word of the person who wants it back.
        memory_sources.add_source(tx, new.id, NewSource(kind="direct", quote=old.statement), at=at)
    if target.forgotten_at is not None:
        tombstones.lift_tombstone(tx, target)
    return new.id


HANDLERS = {"undo": undo}
