"""What of the review list follows from decisions that count otherwise since a calibration."""

from __future__ import annotations

from memory.calibration import UNDECIDED
from memory.records import Actor, Micros
from store.connection import Reader, Writer
from store.memories import VersionRef


def flag_of(db: Reader, memory_id: str) -> tuple[str, str | None] | None:
    """Return the open review of a memory that no judge could decide on, with what it proposes; None without one."""
    row = db.execute(
        """
        SELECT id, proposed FROM review WHERE memory_id = ? AND kind = 'unjudged' AND state = 'open'
          AND proposed IS NOT ? ORDER BY opened_at DESC, id DESC LIMIT 1
        """,
        (memory_id, UNDECIDED),
    ).fetchone()
    return (str(row["id"]), row["proposed"]) if row else None


def propose(tx: Writer, review_id: str, proposed: str | None) -> None:
    """Say on the review list what the judges' answers count as now."""
    tx.execute("UPDATE review SET proposed = ? WHERE id = ?", (proposed, review_id))


def is_doubted(db: Reader, decision_id: str) -> bool:
    """Tell whether a supersession by a decision waits for a person, or a person has decided about it already."""
    row = db.execute(
        "SELECT 1 FROM review WHERE decision_id = ? AND proposed = ? AND resolution IS NOT 'moot'",
        (decision_id, UNDECIDED),
    ).fetchone()
    return row is not None


def drop_doubt(tx: Writer, decision_id: str, *, actor: Actor, reason: str, at: Micros) -> None:
    """Take a supersession by a decision that counts again off the list."""
    tx.execute(
        """
        UPDATE review SET state = 'resolved', resolution = 'moot', actor_kind = ?, actor_id = ?, reason = ?,
               resolved_at = ?
        WHERE decision_id = ? AND proposed = ? AND state = 'open'
        """,
        (actor.kind, actor.id, reason, at, decision_id, UNDECIDED),
    )


def took_the_place(db: Reader, new: VersionRef, old: VersionRef) -> bool:
    """Tell whether a version ended the windows of another one."""
    row = db.execute(
        "SELECT 1 FROM validity WHERE row_id = ? AND retired_at IS NOT NULL AND reason = ?",
        (old.row_id, f"superseded by {new.id}"),
    ).fetchone()
    return row is not None
