"""Memories that were derived from others, not said by a source."""

from __future__ import annotations

from memory.records import Scope
from store import spaces
from store.connection import Reader, Writer


def newest_review(scope: Scope, db: Reader, memory_id: str) -> str | None:
    """Return the id of the newest review of an inferred memory; None when it was not inferred."""
    visible, arguments = spaces.bounded(scope, db, "review")
    row = db.execute(
        f"""
        SELECT review.id FROM review WHERE review.kind = 'inferred' AND review.memory_id = ? AND {visible}
        ORDER BY review.state = 'open' DESC, review.opened_at DESC, review.id DESC LIMIT 1
        """,
        (memory_id, *arguments),
    ).fetchone()
    return str(row["id"]) if row else None


def flag(tx: Writer, memory_id: str) -> None:
    """Mark a memory as inferred."""
    tx.execute("UPDATE memory SET inferred = 1 WHERE id = ?", (memory_id,))
