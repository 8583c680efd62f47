"""Decisions: what judges answered, with all that the answer rested on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.records import Actor, Micros
from store.connection import Reader, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The logged answer of a judge."""

    id: str  # dec_...
    space_id: int
    judge: str  # pair, kind or bucket
    inputs: Mapping[str, Any]  # the texts that the judge was shown
    verdict: str  # an option, or undecided
    model: str  # "rules" without an LLM
    prompt_version: str
    at: Micros
    probabilities: Mapping[str, float] = field(default_factory=dict)  # by option
    candidate_seq: int | None = None
    memory_id: str | None = None
    other_id: str | None = None  # of a pair: the memory it was compared with
    node: str | None = None
    milliseconds: int | None = None
    label: str | None = None  # what a person says the answer should have been, or "not:" before what it should not
    relabelled: str | None = None  # the verdict that counts by a calibration; None: the judge's own
    calibration_id: str | None = None  # under which it was made
    labelled_by: Actor | None = None
    labelled_at: Micros | None = None
    space: str | None = None  # its name, where it is listed

    @property
    def counted(self) -> str:
        """The verdict that counts."""
        return self.relabelled or self.verdict


def add(tx: Writer, one: Decision) -> None:
    """Log a decision."""
    tx.execute(
        """
        INSERT INTO decision (id, space_id, judge, candidate_seq, memory_id, other_id, inputs, probabilities, verdict,
                              model, prompt_version, node, milliseconds, at, relabelled, calibration_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (one.id, one.space_id, one.judge, one.candidate_seq, one.memory_id, one.other_id, json.dumps(dict(one.inputs)),
         json.dumps(dict(one.probabilities)), one.verdict, one.model, one.prompt_version, one.node, one.milliseconds,
         one.at, one.relabelled, one.calibration_id),
    )  # fmt: skip


def became(tx: Writer, candidate_seq: int, memory_id: str) -> None:
    """Let the decisions on a candidate name the memory that came of it."""
    tx.execute("UPDATE decision SET memory_id = ? WHERE candidate_seq = ?", (memory_id, candidate_seq))


def find(db: Reader, decision_id: str) -> Decision | None:
    """Return a decision of whichever space; None when there is none."""
    row = db.execute("SELECT * FROM decision WHERE id = ?", (decision_id,)).fetchone()
    return decision(row) if row else None


def decision(row: Mapping[str, Any]) -> Decision:
    """Read a row of the table."""
    return Decision(
        id=row["id"], space_id=row["space_id"], judge=row["judge"], inputs=json.loads(row["inputs"]),
        verdict=row["verdict"], model=row["model"], prompt_version=row["prompt_version"], at=row["at"],
        probabilities=json.loads(row["probabilities"]), candidate_seq=row["candidate_seq"], memory_id=row["memory_id"],
        other_id=row["other_id"], node=row["node"], milliseconds=row["milliseconds"], label=row["label"],
        relabelled=row["relabelled"], calibration_id=row["calibration_id"], labelled_at=row["labelled_at"],
        labelled_by=Actor(kind=row["labelled_kind"], id=row["labelled_id"]) if row["labelled_kind"] else None,
    )  # fmt: skip
