"""Correcting the kind of a memory: a label for its judge, and no new version, for it says what it said before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory.errors import NotLive, StateConflict
from memory.kinds import kind_of
from memory.records import Actor, Memory, MemoryKind, Micros, Scope
from services import asking, memories
from services.host import Host
from services.persons import require_person
from store import decisions, kinds, labels, rows
from store import memories as stored
from store.connection import Writer
from store.decisions import Decision
from store.hydration import load_memories
from store.labels import JudgeName
from store.memories import VersionRef
from store.requests import Request

RULES = JudgeName(judge="kind", model="rules", prompt_version="kind-rules-1")
# Of memories whose kind somebody said, or took over from another version; that is no judge's answer.
_NO_JUDGE = frozenset(("direct", "restored", "rules"))


def correct_kind(scope: Scope, host: Host, actor: Actor, memory_id: str, kind: MemoryKind) -> Memory:
    """Say of what kind a live memory is; the kind that it has confirms it.

    Args:
        scope: whose.
        host: the adapters.
        actor: a person.
        memory_id: its live version.
        kind: the right one.

    Returns:
        The memory, the same version as before.

    Raises:
        PersonOnly: it is not a person who says so.
        NotFound: there is no such memory.
        NotLive: the id is not the live version.
        StateConflict: it was forgotten.
        Pending: it is kept and will be carried out, but not in time for this answer.
    """
    require_person(actor)
    there = replace(scope, spaces=(memories.unforgotten(scope, host, memory_id).space,))
    asking.ask(there, host, actor, "kind", asking.payload_of(there, id=memory_id, kind=kind))
    return memories.get(there, host, memory_id)


def keep(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Keep the kind of a memory, on the writer's side; as `correct_kind`."""
    require_person(asked.actor)
    at, kind = host.clock(), asked.payload["kind"]
    mine = stored.ref(asking.scope_of(tenant, asked.payload), tx, str(asked.payload["id"]))
    newest = stored.latest(tx, mine.root_id)
    if newest.forgotten_at is not None:
        raise StateConflict("This memory was forgotten; restore it first.", id=newest.id)
    if newest.id != mine.id or not rows.is_ahead(tx, mine.row_id, at=at):
        raise NotLive(current_id=newest.id)
    old = load_memories(tx, [mine.id])[mine.id]
    decision_id = kinds.decision_on(tx, mine.id) or _logged(host, tx, mine, old, at=at)
    if decision_id is not None:
        labels.set_label(tx, decision_id, kind, actor=asked.actor, at=at)
    if kind != old.kind:
        kinds.set_kind(tx, mine.id, kind, at=at)
        rows.announce(tx, mine.row_id, "metadata", at=at)
    return {"id": mine.id}


def _logged(host: Host, tx: Writer, mine: VersionRef, old: Memory, *, at: Micros) -> str | None:
    """Log as what a judge had sorted a memory; None when it was not a judge."""
    by = _judge(tx, mine, old)
    if by is None:
        return None
    one = Decision(
        id=host.new_id("dec"), space_id=mine.space_id, judge=by.judge, memory_id=mine.id,
        inputs={"memory": old.statement}, verdict=old.kind, model=by.model, prompt_version=by.prompt_version, at=at,
    )  # fmt: skip
    decisions.add(tx, one)
    return one.id


def _judge(tx: Writer, mine: VersionRef, old: Memory) -> JudgeName | None:
    if kind_of(old.statement) == old.kind:
        return RULES
    model, prompt_version = kinds.found_by(tx, mine.id)
    return None if model in _NO_JUDGE else JudgeName(judge="kind", model=model, prompt_version=prompt_version)


HANDLERS = {"kind": keep}
