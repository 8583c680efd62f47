"""How long a space keeps its memories, and how long those are kept that were merged in from one with another retention.

A merge changes no end: what it moves is kept as long as the space it came from kept it, and so is what is found later
in what was accepted there. Whoever sets the retention of the target after the merge was asked for sets it for all that
is in it, and for what is still to come.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from memory.records import FOREVER, Micros
from store.connection import Reader, Writer

DAY_MICROS: Micros = 24 * 3600 * 1_000_000

# Of a memory, under this name in a query: its own end counts, not the retention of its space.
HAS_OWN_END = """
    (memory.kept_until IS NOT NULL AND memory.joined_at >= coalesce(
        (SELECT retention_set_at FROM space WHERE space.id = memory.space_id), 0))
"""
_END = f"""
    CASE WHEN {HAS_OWN_END} THEN memory.kept_until ELSE coalesce(
        memory.recorded_at + (SELECT retention_days FROM space WHERE space.id = memory.space_id) * {DAY_MICROS:d},
        {FOREVER:d}) END
"""
# When it is forgotten by itself: by that, or before by its `forgetAfter`.
_LAST = f"min({_END}, coalesce(memory.forget_after, {FOREVER:d}))"
# Of a job, for what it finds: days from then on, for ever, or as long as its space keeps it.
FOR_EVER = 0


def days(db: Reader, space_id: int) -> int | None:
    """Return how many days a space keeps its memories; None: until they are forgotten."""
    row = db.execute("SELECT retention_days FROM space WHERE id = ?", (space_id,)).fetchone()
    return None if row["retention_days"] is None else int(row["retention_days"])


def set_days(tx: Writer, space_id: int, count: int | None, *, at: Micros) -> None:
    """Set how long all memories of a space are kept; None: until they are forgotten."""
    tx.execute("UPDATE space SET retention_days = ?, retention_set_at = ? WHERE id = ?", (count, at, space_id))


def take_over(tx: Writer, target: int, source: int) -> None:
    """Let a space that is new keep its memories as long as another one does."""
    tx.execute("UPDATE space SET retention_days = ? WHERE id = ?", (days(tx, source), target))


def keep_ends(tx: Writer, root_ids: Sequence[str], target: int, *, joined_at: Micros) -> int:
    """Have the versions of some chains end when they would have, before they move to another space.

    Args:
        tx: the transaction.
        root_ids: the chains.
        target: number of the space that they move to.
        joined_at: when the merge was asked for.

    Returns:
        How many have an end of their own now.
    """
    moved = tx.execute(
        f"""
        UPDATE memory SET joined_at = :at, kept_until = CASE
            WHEN {HAS_OWN_END} OR (SELECT retention_days FROM space WHERE space.id = memory.space_id)
                                  IS NOT (SELECT retention_days FROM space WHERE space.id = :target)
            THEN {_END} END
        WHERE root_id IN (SELECT value FROM json_each(:roots)) RETURNING kept_until
        """,
        {"at": joined_at, "roots": json.dumps(list(root_ids)), "target": target},
    ).fetchall()
    return sum(row["kept_until"] is not None for row in moved)


def keep_as_long(tx: Writer, kept_id: str, gone_id: str, *, joined_at: Micros) -> bool:
    """Have a memory kept as long as the longer kept of itself and another one of its space that says the same.

    Args:
        tx: the transaction.
        kept_id: the memory that stays.
        gone_id: the one that says the same.
        joined_at: when the merge that brought them together was asked for.

    Returns:
        Whether it is kept longer than before.
    """
    query = f"SELECT forget_after, forget_reason, {_LAST} AS last FROM memory WHERE id = ?"
    gone = tx.execute(query, (gone_id,)).fetchone()
    planned = (gone["forget_after"], gone["forget_reason"])
    return _outlast(tx, kept_id, last=gone["last"], planned=planned, joined_at=joined_at)


def _outlast(
    tx: Writer, kept_id: str, *, last: Micros, planned: tuple[Micros | None, str | None], joined_at: Micros
) -> bool:
    """Let a memory end when another end comes, unless its own is later; of two planned forgettings the later stands."""
    mine = tx.execute(
        f"SELECT forget_after, forget_reason, {_LAST} AS last, {_END} AS kept FROM memory WHERE id = ?", (kept_id,)
    ).fetchone()
    if last <= mine["last"]:
        return False
    plans = [(mine["forget_after"], mine["forget_reason"]), planned]
    after, reason = (None, None) if None in (plans[0][0], plans[1][0]) else max(plans, key=lambda plan: plan[0] or 0)
    tx.execute("UPDATE memory SET forget_after = ?, forget_reason = ? WHERE id = ?", (after, reason, kept_id))
    if min(mine["kept"], FOREVER if after is None else after) != last:
        tx.execute("UPDATE memory SET kept_until = ?, joined_at = ? WHERE id = ?", (last, joined_at, kept_id))
    return True


def carry(tx: Writer, old_id: str, new_id: str) -> None:
    """Have a version kept from its recording on as long as the one it continues was kept from its own on."""
    tx.execute(
        f"""
        UPDATE memory SET joined_at = old.joined_at,
               kept_until = min({FOREVER:d}, CASE old.kept_until WHEN {FOREVER:d} THEN {FOREVER:d}
                                             ELSE old.kept_until + memory.recorded_at - old.recorded_at END)
        FROM memory AS old WHERE old.id = ? AND memory.id = ? AND old.kept_until IS NOT NULL
        """,
        (old_id, new_id),
    )


def keep_promise(tx: Writer, job_ids: Sequence[str], target: int, *, joined_at: Micros) -> None:
    """Have what some jobs still find kept as their space keeps it, before they move to another one."""
    tx.execute(
        f"""
        UPDATE job SET joined_at = :at, kept_days = CASE
            WHEN kept_days IS NOT NULL AND joined_at >= coalesce(own.retention_set_at, 0) THEN kept_days
            WHEN own.retention_days IS NOT other.retention_days THEN coalesce(own.retention_days, {FOR_EVER:d}) END
        FROM space AS own, space AS other
        WHERE job.id IN (SELECT value FROM json_each(:jobs)) AND own.id = job.space_id AND other.id = :target
        """,
        {"at": joined_at, "jobs": json.dumps(list(job_ids)), "target": target},
    )


def as_promised(tx: Writer, memory_id: str, job_id: str | None) -> None:
    """Have a new memory kept as the space does in which the job that found it was accepted."""
    tx.execute(
        f"""
        UPDATE memory SET joined_at = job.joined_at, kept_until = CASE job.kept_days WHEN {FOR_EVER:d} THEN {FOREVER:d}
               ELSE memory.recorded_at + job.kept_days * {DAY_MICROS:d} END
        FROM job WHERE memory.id = ? AND job.id = ? AND job.kept_days IS NOT NULL
        """,
        (memory_id, job_id),
    )


def keep_as_promised(tx: Writer, memory_id: str, job_id: str, *, at: Micros) -> bool:
    """Have a memory that is said again kept at least as long as what is first said now.

    Args:
        tx: the transaction.
        memory_id: which.
        job_id: the job that finds it again, which may have been accepted in a space that was merged into this one; what
            is no job, as the request of a direct write, was accepted here.
        at: now.

    Returns:
        Whether it is kept longer than before.
    """
    job = tx.execute(
        """
        SELECT kept_days, joined_at FROM job JOIN space ON space.id = space_id
        WHERE job.id = ? AND kept_days IS NOT NULL AND joined_at >= coalesce(retention_set_at, 0)
        """,
        (job_id,),
    ).fetchone()
    if job is None:
        return _keep_as_here(tx, memory_id, at=at)
    last = FOREVER if job["kept_days"] == FOR_EVER else at + job["kept_days"] * DAY_MICROS
    return _outlast(tx, memory_id, last=last, planned=(None, None), joined_at=job["joined_at"])


def _keep_as_here(tx: Writer, memory_id: str, *, at: Micros) -> bool:
    here = f"""
        coalesce(
            :at + (SELECT retention_days FROM space WHERE space.id = memory.space_id) * {DAY_MICROS:d}, {FOREVER:d})
    """
    longer = tx.execute(
        f"UPDATE memory SET kept_until = {here} WHERE id = :id AND {HAS_OWN_END} AND kept_until < {here}",
        {"at": at, "id": memory_id},
    )
    return longer.rowcount > 0
