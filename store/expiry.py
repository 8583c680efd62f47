"""Memories whose time has come: a moment of their own, or the end of the retention of their space or a former one."""

from __future__ import annotations

from memory.records import Micros
from store.connection import Reader, Writer
from store.memories import VersionRef, by_id
from store.retention import DAY_MICROS, HAS_OWN_END

# Only what still holds is forgotten; what was superseded or forgotten is history already.
_HOLDS = """
    forgotten_at IS NULL AND EXISTS (
        SELECT 1 FROM validity WHERE validity.row_id = memory.row_id AND retired_at IS NULL AND valid_to > :now)
"""
# Each arm is driven by an index of its own, because the planner prefers to read every memory, and ends at the limit.
# What is due by several is returned by the first alone.
_DUE = f"""
    SELECT id FROM memory INDEXED BY memory_expiry
    WHERE forget_after IS NOT NULL AND forget_after <= :now AND {_HOLDS}
    UNION ALL
    SELECT memory.id FROM space CROSS JOIN memory INDEXED BY memory_retention ON memory.space_id = space.id
    AND memory.recorded_at <= :now - retention_days * {DAY_MICROS:d}
    WHERE retention_days IS NOT NULL AND (forget_after IS NULL OR forget_after > :now) AND {_HOLDS}
    AND NOT {HAS_OWN_END}
    UNION ALL
    SELECT id FROM memory INDEXED BY memory_kept WHERE kept_until IS NOT NULL AND kept_until <= :now AND {HAS_OWN_END}
    AND (forget_after IS NULL OR forget_after > :now) AND {_HOLDS} LIMIT :most
"""


def due(db: Reader, *, now: Micros, most: int) -> list[VersionRef]:
    """Return memories that are to be forgotten."""
    return [by_id(db, row["id"]) for row in db.execute(_DUE, {"now": now, "most": most}).fetchall()]


def is_due(db: Reader, *, now: Micros) -> bool:
    """Tell whether any memory is to be forgotten, and nobody has asked for it yet."""
    asked = db.execute("SELECT 1 FROM request WHERE state = 'waiting' AND kind = 'expire' LIMIT 1").fetchone()
    return asked is None and db.execute(_DUE, {"now": now, "most": 1}).fetchone() is not None


def reason_of(db: Reader, memory_id: str) -> str | None:
    """Return what was planned to be said of a memory's forgetting; None when nothing was."""
    row = db.execute("SELECT forget_reason FROM memory WHERE id = ?", (memory_id,)).fetchone()
    return None if row["forget_reason"] is None else str(row["forget_reason"])


def mark_expired(tx: Writer, version: VersionRef, *, at: Micros, reason: str) -> None:
    """Mark a memory as forgotten by itself: without a tombstone, so that it is learned again when it is said again."""
    tx.execute(
        "UPDATE memory SET forgotten_at = ?, forget_reason = ?, forget_after = NULL, updated_at = ? WHERE id = ?",
        (at, reason, at, version.id),
    )
