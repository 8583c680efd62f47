"""Groups: the pieces of a source that a language model extracts facts from, one work item each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.records import Micros, WorkItem
from store.connection import Reader, Writer

_OF_JOB = "job_id = ? AND task = 'extract.group'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One group and what became of it."""

    number: int  # 1-based in its job
    payload: Mapping[str, Any]  # which chunks or messages
    state: str  # of the work item
    reason: str | None  # why it failed
    is_cut: bool  # its answer was longer than fits; the whole facts before the cut were kept
    is_hollow: bool  # it had facts, and all of them were refused


def note(tx: Writer, item: WorkItem, found: Mapping[str, Any]) -> None:
    """Keep with a group what its answer came to: counts and reasons, never contents."""
    tx.execute(
        "UPDATE work_item SET payload = json_set(payload, '$.found', json(?)) WHERE id = ?",
        (json.dumps(dict(found)), item.id),
    )


def of_job(db: Reader | Writer, job_id: str) -> list[Group]:
    """Return the groups of a job in the order of their source."""
    rows = db.execute(f"SELECT payload, state, reason FROM work_item WHERE {_OF_JOB} ORDER BY id", (job_id,)).fetchall()
    return [
        _group(number, json.loads(row["payload"]), row["state"], row["reason"]) for number, row in enumerate(rows, 1)
    ]


def _group(number: int, payload: Mapping[str, Any], state: str, reason: str | None) -> Group:
    found = payload.get("found", {}) if state == "done" else {}
    return Group(
        number=number, payload=payload, state=state, reason=reason, is_cut=bool(found.get("cut")),
        is_hollow=bool(found.get("refused_in_all")) and not found.get("facts"),
    )  # fmt: skip


def reopen_cut(tx: Writer, job_id: str, *, at: Micros) -> None:
    """Make the groups ready again whose answer was cut; their tally waits for them."""
    cut = f"{_OF_JOB} AND state = 'done' AND json_extract(payload, '$.found.cut') = 1"
    tx.execute(
        "UPDATE tally SET remaining = remaining + (SELECT count(*) FROM work_item"
        f" WHERE tally_id = tally.id AND {cut}) WHERE job_id = ?",
        (job_id, job_id),
    )
    tx.execute(
        f"UPDATE work_item SET state = 'ready', failures = 0, not_before = 0, updated_at = ? WHERE {cut}", (at, job_id)
    )
