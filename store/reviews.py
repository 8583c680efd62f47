"""The review list: contradictions, doubtful candidates, and memories that no judge could decide on."""

from __future__ import annotations

from dataclasses import dataclass

from memory.reconciliation import ReviewKind
from memory.records import Micros, Owner
from store.connection import Reader, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReview:
    """What a person is to be asked."""

    id: str  # con_...
    space_id: int
    owner: Owner
    kind: ReviewKind
    memory_id: str | None = None  # the incumbent of a contradiction; else the flagged memory, if it is one
    candidate_seq: int | None = None
    decision_id: str | None = None


def open_review(tx: Writer, new: NewReview, *, at: Micros) -> None:
    """Put something on the list."""
    tx.execute(
        """
        INSERT INTO review (id, space_id, user_id, agent_id, kind, memory_id, candidate_seq, decision_id, state,
                            opened_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?)
        """,
        (new.id, new.space_id, new.owner.user, new.owner.agent, new.kind, new.memory_id, new.candidate_seq,
         new.decision_id, at),
    )  # fmt: skip


def open_equal(db: Reader, space_id: int, equality_key: str, owner: Owner) -> str | None:
    """Return the open review whose candidate, not yet a memory, says the same for the same user and agent."""
    row = db.execute(
        """
        SELECT review.id FROM review JOIN candidate ON candidate.seq = candidate_seq
        WHERE review.space_id = ? AND equality_key = ? AND user_id IS ? AND agent_id IS ? AND review.state = 'open'
          AND review.kind IN ('contradiction', 'low_confidence')
        """,
        (space_id, equality_key, owner.user, owner.agent),
    ).fetchone()
    return str(row["id"]) if row else None


def reinforce(tx: Writer, review_id: str) -> None:
    """Count one more source of what waits."""
    tx.execute("UPDATE review SET support = support + 1 WHERE id = ?", (review_id,))


def latest_of(db: Reader, memory_id: str | None) -> str:
    """Return the newest open review that a memory is the incumbent of."""
    query = "SELECT id FROM review WHERE memory_id = ? AND state = 'open' ORDER BY opened_at DESC, id DESC LIMIT 1"
    return str(db.execute(query, (memory_id,)).fetchone()["id"])
