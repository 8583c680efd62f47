"""Judges what was written directly, after it has its id: the model's verdict follows, and may supersede."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.reconciliation import Decision, Evidence, Known, decide
from memory.records import Actor, Micros, Owner
from services import judging, request_ids, versions
from services.deciding import Settled
from services.host import Host
from services.judging import Verdicts
from store import candidates, memories, reviews, rows
from store import ledger as ledger_rows
from store.candidates import Candidate
from store.connection import Writer
from store.memories import VersionRef
from store.nearest import Near


def await_judges(host: Host, tx: Writer, one: Candidate, memory_id: str, *, at: Micros) -> None:
    """Queue the judging of a new memory as a job of its own."""
    job_id = host.new_id("job")
    ledger_rows.add_job(tx, id=job_id, space_id=one.space_id, kind="judging", caused_by=request_ids.current(), at=at)
    candidates.await_judges(tx, one.seq, written_id=memory_id, job_id=job_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the store has around a written memory."""

    mine: VersionRef
    needs_judges: bool = True
    touched: tuple[str, ...] = ()

    @property
    def owner(self) -> Owner:
        """Whose the memory is."""
        return self.mine.owner


def stale(tx: Writer, one: Candidate, *, at: Micros) -> str | None:
    """Say why a written memory need not be judged any more; None when it is live."""
    found = memories.find(tx, str(one.written_id))
    if found is None or found.forgotten_at is not None or not rows.is_ahead(tx, found.row_id, at=at):
        return "it is not live any more"
    return None


def around(tx: Writer, one: Candidate, *, at: Micros) -> Around:
    """Read what decides about a written memory."""
    return Around(mine=memories.by_id(tx, str(one.written_id)))


def carry_out(
    host: Host, tx: Writer, one: Candidate, found: Around, near: Sequence[Near], verdicts: Verdicts, *, at: Micros
) -> Settled:
    """Decide about a written memory and write what follows.

    Args:
        host: the truth plane's adapters.
        tx: the fenced transaction.
        one: its candidate.
        found: the memory.
        near: its nearest live memories.
        verdicts: on each of them.
        at: now.
    """
    mine = found.mine
    begins = rows.valid_from(tx, mine.row_id)
    evidence = Evidence(
        said_at=mine.recorded_at, by_user=True, begins=begins, confidence=mine.confidence,
        by_person=mine.actor.kind == "person",
    )  # fmt: skip
    decision = decide(evidence, Known(neighbours=judging.compared(near, verdicts, one)))
    targets = {each.version.id: each.version for each in near}
    settled = Settled(outcome=decision.outcome, reason=decision.reason, memory_id=mine.id)
    if decision.review is not None:
        return _for_review(host, tx, one, mine, decision, settled, at=at)
    if decision.historic:
        _become_history(tx, mine, targets[str(decision.target)], at=at)
        for other in (targets[each] for each in decision.ends):
            versions.end(tx, other, by=mine.id, until=begins, at=at, actor=mine.actor)
    elif decision.target is not None:
        _replace(tx, mine, [targets[each] for each in (decision.target, *decision.ends)], begins=begins, at=at)
    return settled


def _for_review(
    host: Host, tx: Writer, one: Candidate, mine: VersionRef, decision: Decision, settled: Settled, *, at: Micros
) -> Settled:
    """Put it on the review list; what contradicts a confident memory is not current until a person has decided."""
    incumbent = decision.target or mine.id
    if decision.review == "contradiction":
        reason = f"contradicts {incumbent}; waits for a person"
        rows.retire_windows(tx, mine.row_id, at=at, actor=_judge(one), reason=reason)
    else:
        memories.flag_unjudged(tx, mine.id)
    new = reviews.NewReview(
        id=host.new_id("con"), space_id=one.space_id, owner=mine.owner, kind=decision.review or "unjudged",
        memory_id=incumbent, candidate_seq=one.seq,
    )  # fmt: skip
    reviews.open_review(tx, new, at=at)
    keep = decision.review == "contradiction"
    return Settled(outcome=settled.outcome, reason=settled.reason, memory_id=incumbent, keep_vector=keep)


def _replace(tx: Writer, mine: VersionRef, others: Sequence[VersionRef], *, begins: Micros, at: Micros) -> None:
    memories.join_chain(tx, mine, memories.latest(tx, others[0].root_id), at=at)
    for other in others:
        versions.end(tx, other, by=mine.id, until=begins, at=at, actor=mine.actor)


def _become_history(tx: Writer, mine: VersionRef, later: VersionRef, *, at: Micros) -> None:
    until = rows.valid_from(tx, later.row_id)
    rows.close_windows(tx, mine.row_id, until=until, at=at, actor=mine.actor, reason=f"superseded by {later.id}")
    if memories.join_chain(tx, mine, later, at=at):
        memories.flag_historic(tx, mine.id)


def _judge(one: Candidate) -> Actor:
    return Actor(kind="pipeline", id=one.job_id)
