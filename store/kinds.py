"""Of what kind a memory is: who sorted it, and being sorted anew."""

from __future__ import annotations

from memory.records import Micros
from store import believed
from store.connection import Reader, Writer


def set_kind(tx: Writer, memory_id: str, kind: str, *, at: Micros) -> None:
    """Let a version be of another kind; what it was before is kept for reads of the past."""
    believed.keep(tx, memory_id, at=at)
    tx.execute("UPDATE memory SET kind = ?, updated_at = ? WHERE id = ?", (kind, at, memory_id))


def found_by(db: Reader, memory_id: str) -> tuple[str, str]:
    """Return the model that a version was found by, as it was recorded, and the version of its prompt."""
    row = db.execute("SELECT model, prompt_version FROM memory WHERE id = ?", (memory_id,)).fetchone()
    return row["model"], row["prompt_version"]


def decision_on(db: Reader, memory_id: str) -> str | None:
    """Return the id of the decision that says of what kind a memory is; None when none was logged."""
    row = db.execute("SELECT id FROM decision WHERE memory_id = ? AND judge = 'kind'", (memory_id,)).fetchone()
    return str(row["id"]) if row else None
