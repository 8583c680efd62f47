"""The review list: contradictions, doubtful candidates, and memories that no judge could decide on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from memory.errors import NotFound
from memory.records import Actor, Micros, Owner, Page, Paging, Review, ReviewKind, Scope
from store import merges, spaces
from store.connection import Reader, Writer
from store.paging import keyset


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
    proposed: str | None = None  # as in `memory.records.Review`


def open_review(tx: Writer, new: NewReview, *, at: Micros) -> None:
    """Put something on the list."""
    tx.execute(
        """
        INSERT INTO review (id, space_id, user_id, agent_id, session_id, kind, memory_id, candidate_seq, decision_id,
                            proposed, state, opened_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?)
        """,
        (new.id, new.space_id, new.owner.user, new.owner.agent, new.owner.session, new.kind, new.memory_id,
         new.candidate_seq, new.decision_id, new.proposed, at),
    )  # fmt: skip


def open_equal(db: Reader, space_id: int, equality_key: str, owner: Owner, kinds: Sequence[ReviewKind]) -> str | None:
    """Return the open review, of some kinds, whose candidate says the same for the same user and agent."""
    row = db.execute(
        f"""
        SELECT review.id FROM review JOIN candidate ON candidate.seq = candidate_seq
        WHERE review.space_id = ? AND equality_key = ? AND user_id IS ? AND agent_id IS ? AND review.state = 'open'
          AND review.kind IN ({",".join("?" * len(kinds))})
        """,
        (space_id, equality_key, owner.user, owner.agent, *kinds),
    ).fetchone()
    return str(row["id"]) if row else None


def reinforce(tx: Writer, review_id: str) -> None:
    """Count one more source of what waits."""
    tx.execute("UPDATE review SET support = support + 1 WHERE id = ?", (review_id,))


def owner_of(db: Reader, review_id: str) -> Owner:
    """Return whose an entry is."""
    return spaces.owner_of(db.execute("SELECT * FROM review WHERE id = ?", (review_id,)).fetchone())


def make_moot(tx: Writer, document_id: str, *, actor: Actor, reason: str, at: Micros) -> None:
    """Take what waits of a document off the list; its vectors go with it."""
    waiting = tx.execute(
        """
        SELECT review.id FROM review JOIN candidate ON candidate.seq = candidate_seq
        WHERE document_id = ? AND review.state = 'open' AND review.kind IN ('contradiction', 'low_confidence')
        """,
        (document_id,),
    ).fetchall()
    for row in waiting:
        resolve(tx, row["id"], resolution="moot", actor=actor, reason=reason, at=at)


def latest_of(db: Reader, memory_id: str | None) -> str:
    """Return the newest open review that a memory is the incumbent of."""
    query = "SELECT id FROM review WHERE memory_id = ? AND state = 'open' ORDER BY opened_at DESC, id DESC LIMIT 1"
    return str(db.execute(query, (memory_id,)).fetchone()["id"])


_LISTED = """
    SELECT review.*, space.name AS space, candidate.statement, candidate.quote, candidate.speaker, candidate.said_at,
           candidate.said_zone, candidate.confidence, candidate.kind AS candidate_kind, candidate.document_id,
           candidate.episode_id, decision.verdict, decision.probabilities, decision.model AS judge_model
    FROM review JOIN space ON space.id = review.space_id
    LEFT JOIN candidate ON candidate.seq = review.candidate_seq
    LEFT JOIN decision ON decision.id = review.decision_id
"""


def listing(
    scope: Scope,
    db: Reader,
    *,
    kind: ReviewKind | None = None,
    state: str | None = "open",
    **paging: Unpack[Paging],
) -> Page[Review]:
    """Return one page of a scope's reviews, newest first.

    Args:
        scope: whose.
        db: the store.
        kind: only these.
        state: open or resolved; None for both.
        **paging: which page.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    visible, arguments = spaces.bounded(scope, db, "review")
    where = [visible]
    for column, wanted in (("kind", kind), ("state", state)):
        if wanted is not None:
            where.append(f"review.{column} = ?")
            arguments.append(wanted)
    return keyset(
        db, _LISTED, "review", where, arguments, column="review.opened_at", key="review.id", order="desc",
        make=_review, **paging,
    )  # fmt: skip


def find(scope: Scope, db: Reader, review_id: str) -> Review:
    """Return a review.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    visible, arguments = spaces.bounded(scope, db, "review")
    row = db.execute(f"{_LISTED} WHERE review.id = ? AND {visible}", (review_id, *arguments)).fetchone()
    if row is None:
        raise NotFound(f"No conflict {review_id!r} in this space.", field="id")
    return _review(row)


def resolve(tx: Writer, review_id: str, *, resolution: str, actor: Actor, reason: str | None, at: Micros) -> None:
    """Take something off the list; its candidate's vector goes with it."""
    tx.execute(
        """
        UPDATE review SET state = 'resolved', resolution = ?, actor_kind = ?, actor_id = ?, reason = ?, resolved_at = ?
        WHERE id = ? AND state = 'open'
        """,
        (resolution, actor.kind, actor.id, reason, at, review_id),
    )
    tx.execute(
        """
        UPDATE candidate SET vector = NULL
        WHERE state = 'settled' AND seq = (SELECT candidate_seq FROM review WHERE id = ?)
        """,
        (review_id,),
    )


def refused_at(db: Reader, space_id: int, equality_key: str, owner: Owner) -> Micros | None:
    """Return when a person last decided against a statement for the same user and agent; None when nobody did."""
    row = db.execute(
        """
        SELECT max(resolved_at) AS at FROM review JOIN candidate ON candidate.seq = candidate_seq
        WHERE review.space_id IN (SELECT value FROM json_each(?)) AND equality_key = ? AND user_id IS ?
          AND agent_id IS ? AND resolution = 'keep_incumbent' AND review.kind IN ('contradiction', 'low_confidence')
        """,
        (json.dumps(merges.beside(db, space_id)), equality_key, owner.user, owner.agent),
    ).fetchone()
    return None if row["at"] is None else int(row["at"])


def _review(row: Mapping[str, Any]) -> Review:
    resolved = row["resolved_at"] is not None
    return Review(
        id=row["id"], space=row["space"], kind=row["kind"], state=row["state"], memory_id=row["memory_id"],
        candidate_seq=row["candidate_seq"], statement=row["statement"], quote=row["quote"], speaker=row["speaker"],
        said_at=row["said_at"], said_zone=row["said_zone"], confidence=row["confidence"],
        source_id=row["document_id"] or row["episode_id"], support=row["support"], verdict=row["verdict"],
        probabilities=json.loads(row["probabilities"] or "{}"), model=row["judge_model"], opened_at=row["opened_at"],
        resolution=row["resolution"], resolved_at=row["resolved_at"], reason=row["reason"],
        resolved_by=Actor(kind=row["actor_kind"], id=row["actor_id"]) if resolved else None,
        decision_id=row["decision_id"], proposed=row["proposed"],
    )  # fmt: skip
