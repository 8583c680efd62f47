"""Labels: what people say the answers of judges should have been; and the decisions, to be looked through for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from memory.calibration_fit import Labelled
from memory.errors import NotFound
from memory.records import Actor, Micros, Page, Paging, Scope
from store import spaces
from store.connection import Reader, Writer
from store.decisions import Decision, decision
from store.paging import keyset


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class JudgeName:
    """What has one calibration: a judge with its model and the wording it was asked with."""

    judge: str  # pair, kind or bucket
    model: str  # "rules" without an LLM
    prompt_version: str

    @property
    def values(self) -> tuple[str, str, str]:
        """The three, in the order of the columns."""
        return self.judge, self.model, self.prompt_version


# A decision is about a pair of one owner or about one memory; without a memory it belongs to nobody and was erased, or
# its candidate was dropped.
_ABOUT = "decision JOIN memory AS about ON about.id = coalesce(decision.other_id, decision.memory_id)"
_LISTED = f"SELECT decision.*, space.name AS space FROM {_ABOUT} JOIN space ON space.id = decision.space_id"
_OF_JUDGE = "judge = ?1 AND model = ?2 AND prompt_version = ?3"
_IN_SPACES = "(?4 IS NULL OR space_id IN (SELECT value FROM json_each(?4)))"
# What a re-judgement has replaced decides nothing any more.
_NEWEST = """
    NOT EXISTS (SELECT 1 FROM decision AS later WHERE later.candidate_seq = decision.candidate_seq
                AND later.other_id IS decision.other_id AND later.judge = decision.judge
                AND (later.at, later.id) > (decision.at, decision.id))
"""


def listing(
    scope: Scope,
    db: Reader,
    *,
    judge: str | None = None,
    verdict: str | None = None,
    labelled: bool | None = None,
    **paging: Unpack[Paging],
) -> Page[Decision]:
    """Return one page of the decisions a scope may see, newest first.

    Args:
        scope: whose.
        db: the store.
        judge: only of this one.
        verdict: only those that the judge answered so.
        labelled: whether they have a label; None for both.
        **paging: which page.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    visible, arguments = spaces.bounded(scope, db, "about")
    where = [visible]
    for column, wanted in (("judge", judge), ("verdict", verdict)):
        if wanted is not None:
            where.append(f"decision.{column} = ?")
            arguments.append(wanted)
    if labelled is not None:
        where.append(f"decision.label IS {'NOT ' if labelled else ''}NULL")
    return keyset(
        db, _LISTED, _ABOUT, where, arguments, column="decision.at", key="decision.id", order="desc", make=_seen,
        **paging,
    )  # fmt: skip


def find(scope: Scope, db: Reader, decision_id: str) -> Decision:
    """Return a decision.

    Raises:
        NotFound: there is none that the scope may see.
    """
    visible, arguments = spaces.bounded(scope, db, "about")
    row = db.execute(f"{_LISTED} WHERE decision.id = ? AND {visible}", (decision_id, *arguments)).fetchone()
    if row is None:
        raise NotFound(f"No decision {decision_id!r} in this space.", field="id")
    return _seen(row)


def _seen(row: Mapping[str, Any]) -> Decision:
    return replace(decision(row), space=row["space"])


def set_label(tx: Writer, decision_id: str, label: str, *, actor: Actor, at: Micros) -> None:
    """Keep what a person says of a decision; it takes the place of what was said before."""
    tx.execute(
        "UPDATE decision SET label = ?, labelled_kind = ?, labelled_id = ?, labelled_at = ? WHERE id = ?",
        (label, actor.kind, actor.id, at, decision_id),
    )


def of_candidate(db: Reader, candidate_seq: int) -> list[Decision]:
    """Return the newest decision on each pair of a candidate, nearest question first as they were answered."""
    rows = db.execute(
        f"SELECT * FROM decision WHERE candidate_seq = ? AND judge = 'pair' AND {_NEWEST} ORDER BY at, id",
        (candidate_seq,),
    ).fetchall()
    return [decision(row) for row in rows]


def on_memory(db: Reader, memory_id: str) -> list[Decision]:
    """Return the newest decision on each pair that a memory was judged with when it came."""
    rows = db.execute(
        f"SELECT * FROM decision WHERE memory_id = ? AND judge = 'pair' AND {_NEWEST} ORDER BY at, id", (memory_id,)
    ).fetchall()
    return [decision(row) for row in rows]


def judges(db: Reader, scope: Scope | None = None) -> dict[JudgeName, tuple[int, int]]:
    """Return how many decisions and labels there are by judge; of the spaces of a scope, or of the whole tenant."""
    rows = db.execute(
        """
        SELECT judge, model, prompt_version, count(*) AS decisions, count(label) AS labels FROM decision
        WHERE ?1 IS NULL OR space_id IN (SELECT value FROM json_each(?1))
        GROUP BY judge, model, prompt_version ORDER BY judge, model, prompt_version
        """,
        (_ids(db, scope),),
    ).fetchall()
    return {_name(row): (row["decisions"], row["labels"]) for row in rows}


def _name(row: Mapping[str, Any]) -> JudgeName:
    return JudgeName(judge=row["judge"], model=row["model"], prompt_version=row["prompt_version"])


def labelled(db: Reader, name: JudgeName, scope: Scope | None = None) -> list[Labelled]:
    """Return the labelled decisions of a judge; of the spaces of a scope, or of the whole tenant."""
    rows = db.execute(
        f"""
        SELECT verdict, label, probabilities FROM decision
        WHERE {_OF_JUDGE} AND {_IN_SPACES} AND label IS NOT NULL
        """,
        (*name.values, _ids(db, scope)),
    ).fetchall()
    return [
        Labelled(verdict=row["verdict"], label=row["label"], probabilities=json.loads(row["probabilities"]))
        for row in rows
    ]


def of_judge(
    db: Reader,
    name: JudgeName,
    scope: Scope | None = None,
    *,
    most: int,
    before: tuple[Micros, str] | None = None,
) -> Iterator[Decision]:
    """Yield decisions of a judge, newest first.

    Args:
        db: the store.
        name: of the judge.
        scope: only of its spaces; None: of the whole tenant.
        most: how many.
        before: time and id of the one after which to go on.
    """
    older = "AND (at, id) < (?6, ?7)" if before else ""
    found = db.execute(
        f"SELECT * FROM decision WHERE {_OF_JUDGE} AND {_IN_SPACES} {older} ORDER BY at DESC, id DESC LIMIT ?5",
        (*name.values, _ids(db, scope), most, *(before or ())),
    )
    return (decision(row) for row in found.fetchall())


def _ids(db: Reader, scope: Scope | None) -> str | None:
    return None if scope is None else json.dumps(list(spaces.find(scope, db).values()))
