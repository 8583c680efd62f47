"""What undoing a retirement needs of a chain: its windows over all versions, and why a version was made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memory.records import Actor, Micros
from store.connection import Reader, Writer
from store.memories import VersionRef, by_id
from store.rows import announce


def successor(db: Reader, version: VersionRef) -> VersionRef | None:
    """Return the version that took the place of another in its chain; None when none has."""
    row = db.execute(
        "SELECT id FROM memory WHERE root_id = ? AND version > ? AND NOT historic ORDER BY version LIMIT 1",
        (version.root_id, version.version),
    ).fetchone()
    return by_id(db, row["id"]) if row else None


def last_reason(db: Reader, row_id: int) -> str | None:
    """Return why a row was last retired; None when it never was."""
    row = db.execute(
        "SELECT reason FROM validity WHERE row_id = ? AND retired_at IS NOT NULL ORDER BY retired_at DESC, id DESC",
        (row_id,),
    ).fetchone()
    return str(row["reason"]) if row else None


def others_end(db: Reader, root_id: str, *, but: tuple[int, ...]) -> Micros | None:
    """Return when the last believed window of the other versions of a chain ends; None when they have none.

    Args:
        db: the store.
        root_id: the chain.
        but: rows of the versions that are not counted.
    """
    marks = ",".join("?" * len(but))
    (end,) = db.execute(
        f"""
        SELECT max(valid_to) FROM validity JOIN memory ON memory.row_id = validity.row_id
        WHERE root_id = ? AND validity.retired_at IS NULL AND memory.row_id NOT IN ({marks})
        """,
        (root_id, *but),
    ).fetchone()
    return None if end is None else int(end)


def retire_after(tx: Writer, row_id: int, *, since: Micros, at: Micros, actor: Actor, reason: str) -> None:
    """Stop believing every window of a row that ends after `since`, also those that have ended."""
    retired = tx.execute(
        """
        UPDATE validity SET retired_at = ?, retired_kind = ?, retired_id = ?, reason = ?
        WHERE row_id = ? AND retired_at IS NULL AND valid_to > ?
        """,
        (at, actor.kind, actor.id, reason, row_id, since),
    )
    if retired.rowcount:
        announce(tx, row_id, "window", at=at)


def set_reason(tx: Writer, memory_id: str, reason: str) -> None:
    """Say why a version was made."""
    tx.execute("UPDATE memory SET version_reason = ? WHERE id = ?", (reason, memory_id))


def linked(db: Reader, memory_id: str) -> Mapping[str, Any]:
    """Return the `entities` and `relations` that a version names."""
    row = db.execute("SELECT entities, relations FROM memory WHERE id = ?", (memory_id,)).fetchone()
    return {name: json.loads(row[name]) for name in ("entities", "relations")}


def rests_on_nothing(db: Reader, memory_id: str) -> bool:
    """Say whether no source of a version is believed any more."""
    found = db.execute("SELECT 1 FROM source WHERE memory_id = ? AND retired_at IS NULL", (memory_id,)).fetchone()
    return found is None
