"""Judgements: which memories a candidate was compared with, in which state, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.connection import Reader, Writer
from store.nearest import Near


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One comparison of a round."""

    memory_id: str
    mark: str  # of the memory's windows when the judge was asked
    similarity: float
    decision_id: str | None  # None while the judge is asked
    verdict: str | None
    probabilities: Mapping[str, float]


def ask(tx: Writer, candidate_seq: int, round_: int, near: Sequence[Near]) -> None:
    """Begin a round: the candidate is to be compared with these memories as they are now."""
    tx.execute("UPDATE candidate SET round = ? WHERE seq = ?", (round_, candidate_seq))
    tx.executemany(
        "INSERT INTO judgement (candidate_seq, round, memory_id, position, similarity, mark) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (candidate_seq, round_, one.version.id, position, one.similarity, one.mark)
            for position, one in enumerate(near)
        ],
    )


def of_round(db: Reader, candidate_seq: int, round_: int) -> list[Judgement]:
    """Return the comparisons of a round, nearest first; none when the candidate is gone."""
    rows = db.execute(
        """
        SELECT judgement.*, coalesce(relabelled, verdict) AS verdict, probabilities FROM judgement
        LEFT JOIN decision ON decision.id = decision_id WHERE judgement.candidate_seq = ? AND round = ?
        ORDER BY position
        """,
        (candidate_seq, round_),
    ).fetchall()
    return [
        Judgement(
            memory_id=row["memory_id"], mark=row["mark"], similarity=row["similarity"], decision_id=row["decision_id"],
            verdict=row["verdict"], probabilities=json.loads(row["probabilities"] or "{}"),
        )
        for row in rows
    ]  # fmt: skip


def awaited(db: Reader, candidate_seqs: Sequence[int]) -> dict[int, list[str]]:
    """Return for each candidate whose present round lacks an answer the memories it is compared with, by seq."""
    marks = ",".join("?" * len(candidate_seqs))
    rows = db.execute(
        f"""
        SELECT seq, judgement.memory_id, decision_id FROM candidate
        JOIN judgement ON candidate_seq = seq AND judgement.round = candidate.round
        WHERE seq IN ({marks}) ORDER BY seq, judgement.position
        """,
        tuple(candidate_seqs),
    ).fetchall()
    lacking = {row["seq"] for row in rows if row["decision_id"] is None}
    return {seq: [row["memory_id"] for row in rows if row["seq"] == seq] for seq in lacking}


def answer(tx: Writer, candidate_seq: int, round_: int, memory_id: str, decision_id: str) -> None:
    """Keep which decision answers a comparison."""
    tx.execute(
        "UPDATE judgement SET decision_id = ? WHERE candidate_seq = ? AND round = ? AND memory_id = ?",
        (decision_id, candidate_seq, round_, memory_id),
    )
