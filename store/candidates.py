"""Candidates: extracted facts that wait for their vector and for the writer's decision."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.records import MemoryKind, Micros, Outcome
from store.connection import Reader, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An extracted fact not yet reconciled."""

    space_id: int
    job_id: str
    statement: str
    quote: str
    start: int  # character span of the quote in the document or message
    end: int
    position: int  # order in the document, or the message's index
    kind: MemoryKind
    confidence: float
    model: str
    equality_key: str
    speaker: str | None = None
    said_at: Micros | None = None
    said_zone: str | None = None
    document_id: str | None = None
    revision: int | None = None
    chunk_id: str | None = None
    episode_id: str | None = None
    prompt_version: str = ""
    seq: int = 0  # 0 until it is stored
    generation_id: int | None = None
    vector: bytes | None = None
    round: int = 0  # times its judges were asked
    written_id: str | None = None  # the directly written memory whose judges it waits for
    recorded_at: Micros = 0  # 0 until it is stored
    item: int = 0  # which of several texts written with one request
    valid_from: Micros | None = None  # as the source says; None when it says nothing of it
    valid_to: Micros | None = None  # exclusive
    entities: Sequence[Mapping[str, str]] = ()  # {"name", "type"}
    relations: Sequence[Mapping[str, str]] = ()  # {"from", "type", "to"}
    node: str | None = None  # that extracted it

    @property
    def source_key(self) -> str:
        """What makes a repeated extraction of the same place add nothing."""
        span = (self.start, self.end) if not self.item else (self.start, self.end, self.item)
        place = (self.job_id, self.document_id, self.revision, self.episode_id, *span, self.statement)
        return hashlib.sha256(repr(place).encode("utf-8", "surrogatepass")).hexdigest()


def add(tx: Writer, candidates: Iterable[Candidate], *, at: Micros) -> list[int]:
    """Store candidates that wait for a vector; those stored before are passed over.

    Returns:
        The sequence numbers of the new ones.
    """
    added = []
    for one in candidates:
        row = tx.execute(
            """
            INSERT INTO candidate (space_id, job_id, source_key, document_id, revision, chunk_id, episode_id, statement,
                                   quote, start, end, position, speaker, said_at, said_zone, kind, confidence, model,
                                   prompt_version, equality_key, valid_from, valid_to, entities, relations, node,
                                   state, recorded_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?)
            ON CONFLICT (source_key) DO NOTHING RETURNING seq
            """,
            (one.space_id, one.job_id, one.source_key, one.document_id, one.revision, one.chunk_id, one.episode_id,
             one.statement, one.quote, one.start, one.end, one.position, one.speaker, one.said_at, one.said_zone,
             one.kind, one.confidence, one.model, one.prompt_version, one.equality_key,
             one.valid_from, one.valid_to, json.dumps(list(one.entities)), json.dumps(list(one.relations)), one.node,
             at),
        ).fetchone()  # fmt: skip
        if row:
            added.append(row["seq"])
    return added


def _candidate(row: Mapping[str, Any]) -> Candidate:
    return Candidate(
        space_id=row["space_id"], job_id=row["job_id"], statement=row["statement"], quote=row["quote"],
        start=row["start"], end=row["end"], position=row["position"], kind=row["kind"], confidence=row["confidence"],
        model=row["model"], equality_key=row["equality_key"], speaker=row["speaker"], said_at=row["said_at"],
        said_zone=row["said_zone"], document_id=row["document_id"], revision=row["revision"],
        chunk_id=row["chunk_id"], episode_id=row["episode_id"], prompt_version=row["prompt_version"], seq=row["seq"],
        generation_id=row["generation_id"], vector=bytes(row["vector"]) if row["vector"] is not None else None,
        round=row["round"], written_id=row["written_id"], recorded_at=row["recorded_at"],
        valid_from=row["valid_from"], valid_to=row["valid_to"],
        entities=tuple(json.loads(row["entities"])), relations=tuple(json.loads(row["relations"])), node=row["node"],
    )  # fmt: skip


def by_seq(db: Reader, seqs: Sequence[int]) -> list[Candidate]:
    """Return candidates by sequence number, in that order, settled ones too."""
    marks = ",".join("?" * len(seqs))
    rows = db.execute(f"SELECT * FROM candidate WHERE seq IN ({marks}) ORDER BY seq", tuple(seqs)).fetchall()
    return [_candidate(row) for row in rows]


def set_vector(tx: Writer, seq: int, *, vector: bytes, generation_id: int) -> None:
    """Give a waiting candidate its vector: it is ready to be reconciled. One kept for a person gets it in place."""
    tx.execute(
        """
        UPDATE candidate SET vector = ?, generation_id = ?,
               state = CASE state WHEN 'waiting' THEN 'ready' ELSE state END
        WHERE seq = ? AND (state = 'waiting' OR (state = 'settled' AND vector IS NOT NULL))
        """,
        (vector, generation_id, seq),
    )


def ready(db: Reader, *, limit: int, after: int = 0) -> list[Candidate]:
    """Return the oldest ready candidates.

    Those of a document's later revision wait until its extraction is complete, so that it is known which old facts the
    new text no longer holds. Those with another model's vector wait until that model's vectors serve: against those
    that do they cannot be compared.

    Args:
        db: the store.
        limit: how many at most.
        after: only those with a greater sequence number.
    """
    # The partial index serves only queries that repeat its condition word for word.
    rows = db.execute(
        """
        SELECT * FROM candidate WHERE state <> 'settled' AND state = 'ready' AND seq > ?
        AND generation_id = (SELECT id FROM generation WHERE state = 'serving') AND NOT (
            coalesce(revision, 1) > 1 AND EXISTS (
                SELECT 1 FROM work_item WHERE job_id = candidate.job_id AND task = 'extract.group'
                AND work_item.state IN ('ready', 'leased')))
        ORDER BY seq LIMIT ?
        """,
        (after, limit),
    ).fetchall()
    return [_candidate(row) for row in rows]


def settle(
    tx: Writer,
    seq: int,
    *,
    outcome: Outcome,
    reason: str | None,
    memory_id: str | None,
    at: Micros,
    keep_vector: bool = False,
) -> None:
    """Record what became of a candidate; its vector moves on or is dropped, unless a person may still take it."""
    tx.execute(
        """
        UPDATE candidate SET state = 'settled', outcome = ?, outcome_reason = ?, memory_id = ?, settled_at = ?,
               vector = CASE WHEN ? THEN vector END WHERE seq = ?
        """,
        (outcome, reason, memory_id, at, keep_vector, seq),
    )


def write_directly(tx: Writer, one: Candidate, *, at: Micros) -> Candidate:
    """Store what somebody wrote, with its vector; returns it with its sequence number. The caller settles it."""
    (seq,) = add(tx, [one], at=at)
    tx.execute("UPDATE candidate SET vector = ?, generation_id = ? WHERE seq = ?", (one.vector, one.generation_id, seq))
    return replace(one, seq=seq, recorded_at=at)


def that_reinforced(db: Reader, review_id: str) -> list[Candidate]:
    """Return the candidates that were settled as saying the same as what waits in a review."""
    rows = db.execute(
        "SELECT * FROM candidate WHERE memory_id = ? AND outcome = 'reinforced' ORDER BY seq", (review_id,)
    ).fetchall()
    return [_candidate(row) for row in rows]


def await_judges(tx: Writer, seq: int, *, written_id: str, job_id: str) -> None:
    """Let a written candidate, which is a memory already, be judged as work of a job."""
    tx.execute(
        "UPDATE candidate SET written_id = ?, job_id = ?, state = 'ready' WHERE seq = ?", (written_id, job_id, seq)
    )


def drop_open(tx: Writer, job_id: str, *, reason: str, at: Micros) -> int:
    """Settle every open candidate of a job as dropped; returns how many."""
    done = tx.execute(
        """
        UPDATE candidate SET state = 'settled', outcome = 'dropped', outcome_reason = ?, vector = NULL, settled_at = ?
        WHERE job_id = ? AND state <> 'settled'
        """,
        (reason, at, job_id),
    )
    return done.rowcount


def ready_count(db: Reader, job_id: str) -> int:
    """Return how many candidates of a job are about to be reconciled."""
    (count,) = db.execute("SELECT count(*) FROM candidate WHERE job_id = ? AND state = 'ready'", (job_id,)).fetchone()
    return int(count)


def failed_count(db: Reader, job_id: str) -> int:
    """Return how many candidates of a job could not be reconciled."""
    query = "SELECT count(*) FROM candidate WHERE job_id = ? AND state = 'settled' AND outcome = 'failed'"
    return int(db.execute(query, (job_id,)).fetchone()[0])


def equality_keys(db: Reader, job_id: str) -> set[str]:
    """Return the equality keys of all candidates of a job, which is all that a revision says."""
    rows = db.execute("SELECT equality_key FROM candidate WHERE job_id = ?", (job_id,)).fetchall()
    return {row["equality_key"] for row in rows}
