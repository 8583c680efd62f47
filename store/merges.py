"""Merges: which spaces are to be moved into which one, and how far that is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory.errors import NotFound
from memory.records import Actor, Micros, Scope
from store import merging
from store.connection import Reader, Writer
from store.spaces import PUT_AWAY

MergeState = Literal["queued", "moving", "completed", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """One merge."""

    id: str  # mrg_...
    space_id: int  # of the target
    target: str
    sources: tuple[str, ...]
    state: MergeState
    first_row: int  # number in the target of its next search row when the merge was asked for
    progress: Mapping[str, int]  # how much has moved, by name
    remaining: Mapping[str, int]  # what is still in its sources, by the same names; what arrives there counts too
    job_id: str | None  # the newest judging of what now stands side by side
    reason: str | None  # why it failed
    actor: Actor
    requested_at: Micros
    finished_at: Micros | None

    @property
    def is_open(self) -> bool:
        """Whether it still goes on."""
        return self.state in ("queued", "moving")


def add(tx: Writer, *, merge_id: str, space_id: int, sources: Mapping[str, int], actor: Actor, at: Micros) -> None:
    """Keep a merge that is to be carried out.

    Args:
        tx: the transaction.
        merge_id: its id.
        space_id: number of the target.
        sources: numbers of the spaces that move, by name.
        actor: who asks.
        at: now.
    """
    tx.execute(
        """
        INSERT INTO merge (id, space_id, state, first_row, actor_kind, actor_id, requested_at)
        SELECT ?, id, 'queued', next_row, ?, ?, ? FROM space WHERE id = ?
        """,
        (merge_id, actor.kind, actor.id, at, space_id),
    )
    tx.executemany(
        "INSERT INTO merge_source (merge_id, space_id, name) VALUES (?, ?, ?)",
        [(merge_id, number, name) for name, number in sources.items()],
    )


def find(db: Reader, merge_id: str) -> Merge | None:
    """Return a merge; None when there is none, or its target was erased."""
    row = db.execute(
        "SELECT merge.*, space.name AS target FROM merge JOIN space ON space.id = space_id WHERE merge.id = ?",
        (merge_id,),
    ).fetchone()
    if row is None:
        return None
    named = db.execute("SELECT name FROM merge_source WHERE merge_id = ? ORDER BY name", (merge_id,)).fetchall()
    return Merge(
        id=row["id"], space_id=row["space_id"], target=row["target"], sources=tuple(one["name"] for one in named),
        state=row["state"], first_row=row["first_row"], progress=json.loads(row["progress"]), remaining={},
        job_id=row["job_id"],
        reason=row["reason"], actor=Actor(kind=row["actor_kind"], id=row["actor_id"]), requested_at=row["requested_at"],
        finished_at=row["finished_at"],
    )  # fmt: skip


def get(scope: Scope, db: Reader, merge_id: str, *, every: bool) -> Merge:
    """Return a merge into a space of a scope.

    Args:
        scope: whose.
        db: the store.
        merge_id: its id.
        every: whether the scope stands for every space of the tenant.

    Raises:
        NotFound: there is none.
    """
    found = find(db, merge_id)
    if found is None or not (every or {found.target, *found.sources} <= set(scope.spaces)):
        raise NotFound(f"No merge {merge_id!r}.", field="id")
    query = "SELECT space_id FROM merge_source WHERE merge_id = ? AND emptied_at IS NULL"
    open_sources = [row["space_id"] for row in db.execute(query, (merge_id,)).fetchall()]
    return replace(found, remaining=merging.left(db, open_sources))


def beside(db: Reader, space_id: int) -> list[int]:
    """Return a space and those that a merge joins it with which has not emptied its source, that one first."""
    rows = db.execute(
        """
        SELECT merge_source.space_id AS other FROM merge JOIN merge_source ON merge_id = merge.id
        WHERE merge.space_id = ?1 AND emptied_at IS NULL
        UNION SELECT merge.space_id FROM merge_source JOIN merge ON merge.id = merge_id
        WHERE merge_source.space_id = ?1 AND emptied_at IS NULL
        """,
        (space_id,),
    ).fetchall()
    return [space_id, *(row["other"] for row in rows)]


def under_way(db: Reader, space_ids: Sequence[int]) -> str | None:
    """Return an open merge that one of these spaces has part in; None when there is none."""
    row = db.execute(
        """
        SELECT merge.id FROM merge WHERE state IN ('queued', 'moving') AND (
            space_id IN (SELECT value FROM json_each(?1)) OR EXISTS (
                SELECT 1 FROM merge_source WHERE merge_id = merge.id
                AND merge_source.space_id IN (SELECT value FROM json_each(?1)))) LIMIT 1
        """,
        (json.dumps(list(space_ids)),),
    ).fetchone()
    return str(row["id"]) if row else None


def emptying(db: Reader, space_id: int) -> str | None:
    """Return the open merge that empties a space; None when there is none."""
    row = db.execute(
        """
        SELECT merge.id FROM merge_source JOIN merge ON merge.id = merge_id
        WHERE merge_source.space_id = ? AND state IN ('queued', 'moving')
        """,
        (space_id,),
    ).fetchone()
    return str(row["id"]) if row else None


def failed(db: Reader) -> list[tuple[str, str]]:
    """Return id and reason of the merges that broke; what they had not moved is still in its source."""
    rows = db.execute("SELECT id, reason FROM merge WHERE state = 'failed' ORDER BY requested_at").fetchall()
    return [(row["id"], row["reason"]) for row in rows]


def next_source(db: Reader, merge_id: str) -> int | None:
    """Return a space that is still to be emptied; None when all are empty."""
    row = db.execute(
        "SELECT space_id FROM merge_source WHERE merge_id = ? AND emptied_at IS NULL ORDER BY name LIMIT 1", (merge_id,)
    ).fetchone()
    return int(row["space_id"]) if row else None


def count(tx: Writer, one: Merge, moved: Mapping[str, int], *, job_id: str | None) -> None:
    """Add to what has moved."""
    whole = {name: one.progress.get(name, 0) + moved.get(name, 0) for name in {**one.progress, **moved}}
    tx.execute(
        "UPDATE merge SET state = 'moving', progress = ?, job_id = coalesce(?, job_id) WHERE id = ?",
        (json.dumps(whole, sort_keys=True), job_id, one.id),
    )


def close_source(tx: Writer, merge_id: str, space_id: int, *, at: Micros) -> None:
    """Take the name off a space that is empty; a later write under it makes a new one."""
    tx.execute("UPDATE merge_source SET emptied_at = ? WHERE merge_id = ? AND space_id = ?", (at, merge_id, space_id))
    tx.execute(
        """
        UPDATE space SET name = ?, display_name = NULL, entity_context = NULL, memory_paths = NULL,
               retention_days = NULL
        WHERE id = ?
        """,
        (f"{PUT_AWAY}{merge_id}.{space_id}", space_id),
    )


def end(tx: Writer, merge_id: str, *, state: MergeState, reason: str | None = None, at: Micros) -> None:
    """End a merge."""
    tx.execute("UPDATE merge SET state = ?, reason = ?, finished_at = ? WHERE id = ?", (state, reason, at, merge_id))
