"""Puts on the review list what follows from past decisions that count otherwise; what is known stays as it is.

Of a pair two things can follow. A memory was added although no judge could decide, and the answers are clear now: its
entry says what they propose. Or a memory took another's place by a verdict that no longer counts: it gets an entry of
its own. What is in a bucket is no knowledge, and follows at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory.buckets import BELONGS
from memory.calibration import UNDECIDED, proposed
from memory.records import Actor, Micros
from services import undoing
from services.host import Host
from store import buckets, decisions, labels, memories, memory_sources, reconsidered, retention, reviews, rows, undone
from store.connection import Writer
from store.decisions import Decision
from store.hydration import load_memories
from store.memories import NewVersion, VersionRef
from store.requests import Request

COUNTS_AGAIN = "its judge's verdict counts again"


def reconsider(host: Host, tx: Writer, changed: Iterable[str], *, actor: Actor, at: Micros) -> int:
    """Bring the review list, and what is in buckets, in line with decisions that count otherwise.

    Args:
        host: the truth plane's adapters.
        tx: the fenced transaction.
        changed: ids of decisions, relabelled already.
        actor: who applied or reverted a calibration.
        at: now.

    Returns:
        How many entries say something new to a person.
    """
    found = (decisions.find(tx, one) for one in changed)
    return sum(_reconsider_one(host, tx, one, actor=actor, at=at) for one in found if one is not None)


def _reconsider_one(host: Host, tx: Writer, one: Decision, *, actor: Actor, at: Micros) -> int:
    if one.judge == "bucket" and one.memory_id:
        buckets.recount(tx, one.memory_id, one.id, belongs=one.counted == BELONGS)
    mine = memories.find(tx, one.memory_id) if one.judge == "pair" and one.memory_id else None
    if mine is None or not rows.is_ahead(tx, mine.row_id, at=at):
        return 0
    on_mine = labels.on_memory(tx, mine.id)
    if one.id not in {each.id for each in on_mine}:
        return 0  # it was judged again since
    other = memories.find(tx, one.other_id) if one.other_id else None
    if other is not None and reconsidered.took_the_place(tx, mine, other):
        return _doubt(host, tx, one, mine, actor=actor, at=at)
    return _propose(tx, mine, on_mine)


def _propose(tx: Writer, mine: VersionRef, on_mine: list[Decision]) -> int:
    flag, wanted = reconsidered.flag_of(tx, mine.id), proposed([one.counted for one in on_mine])
    if flag is None or flag[1] == wanted:
        return 0
    reconsidered.propose(tx, flag[0], wanted)
    return 0 if wanted is None else 1


def _doubt(host: Host, tx: Writer, one: Decision, mine: VersionRef, *, actor: Actor, at: Micros) -> int:
    if one.counted != UNDECIDED:
        reconsidered.drop_doubt(tx, one.id, actor=actor, reason=COUNTS_AGAIN, at=at)
        return 0
    # A label is a person's word on just this.
    if one.label is not None or reconsidered.is_doubted(tx, one.id):
        return 0
    new = reviews.NewReview(
        id=host.new_id("con"), space_id=mine.space_id, owner=mine.owner, kind="unjudged", memory_id=mine.id,
        candidate_seq=one.candidate_seq, decision_id=one.id, proposed=UNDECIDED,
    )  # fmt: skip
    reviews.open_review(tx, new, at=at)
    return 1


def put_back(
    host: Host, tx: Writer, tenant: str, asked: Request, decision_id: str | None, *, beside: VersionRef | None = None
) -> str:
    """Undo a supersession: what was replaced lives again, as `services.undoing` does it.

    Args:
        host: the truth plane's adapters.
        tx: the fenced transaction.
        tenant: whose.
        asked: the request that decides it.
        decision_id: the decision that it rested on.
        beside: what had taken the place and is to live on beside it, in a chain of its own; None ends it.

    Returns:
        The id of what lives again; with `beside`, of that.

    Raises:
        StateConflict: its chain has gone on since.
    """
    decision = decisions.find(tx, str(decision_id))
    payload: Mapping[str, Any] = {**asked.payload, "id": decision.other_id if decision else None}
    back = str(undoing.undo(host, tx, tenant, replace(asked, kind="undo", payload=payload))["id"])
    return back if beside is None else _apart(host, tx, beside, actor=asked.actor)


def _apart(host: Host, tx: Writer, mine: VersionRef, *, actor: Actor) -> str:
    at, old = host.clock(), load_memories(tx, [mine.id])[mine.id]
    new = NewVersion(
        id=host.new_id("mem"), space_id=mine.space_id, row_id=rows.copy_row(tx, mine.row_id, at=at),
        statement=old.statement, equality_key=mine.equality_key, kind=old.kind, confidence=old.confidence,
        model="restored", actor=actor, speaker=old.speaker, said_at=old.said_at, said_zone=old.said_zone,
        is_static=old.is_static, metadata=old.metadata, owner=mine.owner, **undone.linked(tx, mine.id),
    )  # fmt: skip
    memories.add_version(tx, new, valid_from=rows.valid_from(tx, mine.row_id), at=at)
    undone.set_reason(tx, new.id, f"{mine.id} did not take another's place")
    retention.carry(tx, mine.id, new.id)
    memory_sources.copy_sources(tx, mine.id, new.id, at=at)
    return new.id
