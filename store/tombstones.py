"""Forgetting by hand: the mark on a version, and the tombstone that keeps old sources from teaching it again."""

from __future__ import annotations

import json

from memory.records import Micros, Owner, Scope
from store import merges, spaces
from store.connection import Reader, Writer
from store.memories import VersionRef, version_ref

# Forgetting binds the same user and agent that equality does.
_GRAVE = """
    tombstone.space_id IN (SELECT value FROM json_each(?)) AND tombstone.equality_key = ?
    AND tombstone.user_id IS ? AND tombstone.agent_id IS ?
"""


def mark_forgotten(tx: Writer, version: VersionRef, *, at: Micros, reason: str, batch: str | None = None) -> None:
    """Mark a version as forgotten by a person and leave a tombstone, so that old sources do not teach it again."""
    tx.execute(
        "UPDATE memory SET forgotten_at = ?, forget_reason = ?, forget_batch = ?, updated_at = ? WHERE id = ?",
        (at, reason, batch, at, version.id),
    )
    tx.execute(
        """
        INSERT INTO tombstone (space_id, equality_key, user_id, agent_id, memory_id, forgotten_at, reason)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        (version.space_id, version.equality_key, version.owner.user, version.owner.agent, version.id, at, reason),
    )


def forgotten(db: Reader, space_id: int, equality_key: str, owner: Owner) -> VersionRef | None:
    """Return the version that somebody forgot for this user and agent and that says the same; None when nobody did.

    While a merge goes on it may be in either space.
    """
    row = db.execute(
        f"""
        SELECT memory.* FROM tombstone JOIN memory ON memory.id = memory_id
        WHERE {_GRAVE} ORDER BY tombstone.forgotten_at DESC LIMIT 1
        """,
        (json.dumps(merges.beside(db, space_id)), equality_key, owner.user, owner.agent),
    ).fetchone()
    return version_ref(row) if row else None


def lift_tombstone(tx: Writer, version: VersionRef) -> None:
    """Let what was forgotten be learned again."""
    tx.execute(
        f"DELETE FROM tombstone WHERE {_GRAVE}",
        (json.dumps([version.space_id]), version.equality_key, version.owner.user, version.owner.agent),
    )


def of_batch(scope: Scope, db: Reader, batch: str) -> list[VersionRef]:
    """Return the versions that one forget-matching call forgot."""
    visible, values = spaces.bounded(scope, db, "memory")
    rows = db.execute(
        f"SELECT * FROM memory WHERE forget_batch = ? AND {visible} ORDER BY id", (batch, *values)
    ).fetchall()
    return [version_ref(row) for row in rows]
