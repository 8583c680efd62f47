"""How long a space keeps its memories, and how long those are kept that were merged in from one with another retention.

A merge changes no end: what it moves is kept as long as the space it came from kept it. Whoever sets the retention of
the target after the merge was asked for sets it for all that is in it, and for what is still to come.
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


def keep_as_long(tx: Writer, kept_id: str, gone_id: str, *, joined_at: Micros) -> None:
    """Have a memory kept at least as long as another one of its space that it stands for from now on.

    Args:
        tx: the transaction.
        kept_id: the memory that stays.
        gone_id: the one that says the same.
        joined_at: when the merge that brought them together was asked for.
    """
    tx.execute(
        f"""
        UPDATE memory SET joined_at = :at, kept_until = other.ends
        FROM (SELECT {_END} AS ends FROM memory WHERE id = :gone) AS other
        WHERE memory.id = :kept AND other.ends > {_END}
        """,
        {"at": joined_at, "kept": kept_id, "gone": gone_id},
    )
