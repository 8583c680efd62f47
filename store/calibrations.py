"""Calibrations: the fits of each judge, of which one at most is active, and what each made of past decisions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memory.calibration import AS_SAID, Trust, trust_of
from memory.calibration_fit import Fit
from memory.errors import NotFound
from memory.records import Actor, Micros
from store.connection import Reader, Writer
from store.decisions import Decision, decision
from store.labels import JudgeName


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One fit of a judge."""

    id: str  # cal_...
    name: JudgeName
    trust: Trust
    verdicts: Mapping[str, Any]  # what the labels said of each, as JSON
    labels: int
    previous_id: str | None  # active before it
    state: str  # active or retired
    actor: Actor
    at: Micros
    retired_at: Micros | None


def active(db: Reader, name: JudgeName) -> Calibration | None:
    """Return the fit that counts for a judge; None when it is trusted as it speaks."""
    row = db.execute(
        "SELECT * FROM calibration WHERE judge = ? AND model = ? AND prompt_version = ? AND state = 'active'",
        name.values,
    ).fetchone()
    return _calibration(row) if row else None


def trust(db: Reader, name: JudgeName) -> tuple[Trust, str | None]:
    """Return how far a judge is trusted now, with the id of the fit that says so; None without one."""
    found = active(db, name)
    return (found.trust, found.id) if found else (AS_SAID, None)


def find(db: Reader, calibration_id: str) -> Calibration:
    """Return a fit.

    Raises:
        NotFound: there is none.
    """
    row = db.execute("SELECT * FROM calibration WHERE id = ?", (calibration_id,)).fetchone()
    if row is None:
        raise NotFound(f"No calibration {calibration_id!r}.", field="id")
    return _calibration(row)


def add(tx: Writer, calibration_id: str, name: JudgeName, fit: Fit, *, actor: Actor, at: Micros) -> Calibration:
    """Keep a fit as the active one of its judge; the one before is retired."""
    before = active(tx, name)
    if before is not None:
        _retire(tx, before.id, actor=actor, at=at)
    found = {verdict: asdict(one) for verdict, one in fit.findings.items()}
    fitted = {**asdict(fit.trust), "verdicts": found}
    tx.execute(
        """
        INSERT INTO calibration (id, judge, model, prompt_version, fitted, labels, previous_id, state, actor_kind,
                                 actor_id, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, 'active', ?, ?, ?)
        """,
        (calibration_id, *name.values, json.dumps(fitted), fit.labels, before.id if before else None, actor.kind,
         actor.id, at),
    )  # fmt: skip
    return find(tx, calibration_id)


def go_back(tx: Writer, one: Calibration, *, actor: Actor, at: Micros) -> Calibration | None:
    """Retire an active fit and make the one before it active again; returns that, None when there was none."""
    _retire(tx, one.id, actor=actor, at=at)
    tx.execute(
        """
        UPDATE calibration SET state = 'active', retired_kind = NULL, retired_id = NULL, retired_at = NULL WHERE id = ?
        """,
        (one.previous_id,),
    )
    return active(tx, one.name)


def _retire(tx: Writer, calibration_id: str, *, actor: Actor, at: Micros) -> None:
    tx.execute(
        "UPDATE calibration SET state = 'retired', retired_kind = ?, retired_id = ?, retired_at = ? WHERE id = ?",
        (actor.kind, actor.id, at, calibration_id),
    )


def relabel(tx: Writer, verdicts: Iterable[tuple[str, str | None]], *, by: str) -> None:
    """Give decisions of before a fit the verdicts that count under it, and remember those they had.

    Args:
        tx: the transaction.
        verdicts: id of a decision, and what counts; None: its own verdict.
        by: the fit.
    """
    new = list(verdicts)
    tx.executemany(
        """
        INSERT INTO relabelling (calibration_id, decision_id, before)
        SELECT ?, id, relabelled FROM decision WHERE id = ?
        """,
        [(by, decision_id) for decision_id, _ in new],
    )
    tx.executemany(
        "UPDATE decision SET relabelled = ? WHERE id = ?", [(verdict, decision_id) for decision_id, verdict in new]
    )


def relabelled_by(db: Reader, calibration_id: str, *, most: int) -> list[tuple[Decision, str | None]]:
    """Return the first decisions that a fit has relabelled, each with what counted before."""
    rows = db.execute(
        """
        SELECT decision.*, before FROM relabelling JOIN decision ON decision.id = decision_id
        WHERE relabelling.calibration_id = ? ORDER BY decision_id LIMIT ?
        """,
        (calibration_id, most),
    ).fetchall()
    return [(decision(row), row["before"]) for row in rows]


def restore(tx: Writer, calibration_id: str, decision_ids: Sequence[str]) -> None:
    """Give decisions that a fit has relabelled back what they had."""
    named = [(calibration_id, one) for one in decision_ids]
    tx.executemany(
        """
        UPDATE decision SET relabelled = before FROM relabelling
        WHERE relabelling.decision_id = decision.id AND relabelling.calibration_id = ? AND decision.id = ?
        """,
        named,
    )
    tx.executemany("DELETE FROM relabelling WHERE calibration_id = ? AND decision_id = ?", named)


def made_under(db: Reader, calibration_id: str, *, most: int) -> list[Decision]:
    """Return some of the decisions that were made while a fit was active."""
    query = "SELECT * FROM decision WHERE calibration_id = ? LIMIT ?"
    return [decision(row) for row in db.execute(query, (calibration_id, most)).fetchall()]


def put_under(tx: Writer, verdicts: Iterable[tuple[str, str | None]], *, calibration_id: str | None) -> None:
    """Let decisions, named with what counts, count as if they had been made under another fit."""
    tx.executemany(
        "UPDATE decision SET relabelled = ?, calibration_id = ? WHERE id = ?",
        [(verdict, calibration_id, decision_id) for decision_id, verdict in verdicts],
    )


def _calibration(row: Mapping[str, Any]) -> Calibration:
    fitted = json.loads(row["fitted"])
    return Calibration(
        id=row["id"], name=JudgeName(judge=row["judge"], model=row["model"], prompt_version=row["prompt_version"]),
        trust=trust_of(fitted), verdicts=fitted["verdicts"], labels=row["labels"], previous_id=row["previous_id"],
        state=row["state"], actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), at=row["at"],
        retired_at=row["retired_at"],
    )  # fmt: skip
