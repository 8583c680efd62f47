"""What a space is called and wants of what comes in, and the settings of the tenant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.records import FOREVER, Actor, Micros, Page, Scope
from store.connection import Reader, Writer
from store.paging import keyset


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSettings:
    """A space as its settings describe it."""

    space_id: int
    name: str
    display_name: str | None
    entity_context: str | None  # what its material is about
    memory_paths: tuple[str, ...] | None  # only documents below these teach; None: all do
    documents: int  # live ones
    memories: int
    created_at: Micros
    updated_at: Micros


# Whose truth has no end as far as is believed.
LIVE = f"""
    forgotten_at IS NULL AND EXISTS (SELECT 1 FROM validity WHERE validity.row_id = memory.row_id
                                     AND retired_at IS NULL AND valid_to = {FOREVER:d})
"""
_SELECT = f"""
    SELECT space.*,
           (SELECT count(*) FROM document WHERE space_id = space.id AND deleted_at IS NULL) AS documents,
           (SELECT count(*) FROM memory WHERE space_id = space.id AND {LIVE}) AS memories
    FROM space
"""
# What a caller may set, and the column of each.
COLUMNS: Mapping[str, str] = {
    "display_name": "display_name", "entity_context": "entity_context", "memory_paths": "memory_paths",
}  # fmt: skip


def find(scope: Scope, db: Reader) -> TagSettings | None:
    """Return the settings of the one space of a scope; None when there is no such space."""
    row = db.execute(f"{_SELECT} WHERE space.name = ?", (scope.space,)).fetchone()
    return _settings(row) if row else None


def of_space(db: Reader, space_id: int) -> TagSettings:
    """Return the settings of a space that is known to exist."""
    return _settings(db.execute(f"{_SELECT} WHERE space.id = ?", (space_id,)).fetchone())


def listing(
    scope: Scope, db: Reader, *, limit: int, page: int | None = None, cursor: str | None = None
) -> Page[TagSettings]:
    """Return one page of the settings of the spaces of a scope, in the order they were made.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    named = json.dumps(list(scope.spaces), ensure_ascii=False)
    return keyset(
        db, _SELECT, "space", ["space.name IN (SELECT value FROM json_each(?))"], [named], column="space.created_at",
        key="space.id", order="asc", limit=limit, page=page, cursor=cursor, make=_settings,
    )  # fmt: skip


def count_described(db: Reader) -> int:
    """Return how many spaces say what their material is about."""
    return int(db.execute("SELECT count(*) FROM space WHERE entity_context IS NOT NULL").fetchone()[0])


def change(tx: Writer, space_id: int, values: Mapping[str, Any], *, at: Micros) -> None:
    """Set some settings of a space; None takes one away.

    Args:
        tx: the transaction.
        space_id: the space.
        values: by the names of `COLUMNS`.
        at: now.
    """
    for name, value in values.items():
        kept = json.dumps(list(value)) if name == "memory_paths" and value is not None else value
        tx.execute(f"UPDATE space SET {COLUMNS[name]} = ? WHERE id = ?", (kept, space_id))
    tx.execute("UPDATE space SET updated_at = ? WHERE id = ?", (at, space_id))


def take_over(tx: Writer, target: int, source: int, *, at: Micros) -> None:
    """Let a space have what another one has set and it has not, and teach what either teaches."""
    mine, other = of_space(tx, target), of_space(tx, source)
    change(
        tx, target,
        {
            "display_name": mine.display_name or other.display_name,
            "entity_context": mine.entity_context or other.entity_context,
            "memory_paths": _joined(mine.memory_paths, other.memory_paths),
        },
        at=at,
    )  # fmt: skip


def _joined(mine: tuple[str, ...] | None, others: tuple[str, ...] | None) -> tuple[str, ...] | None:
    # Where all documents teach there is no list, and a list would silence some of them.
    return None if mine is None or others is None else tuple(dict.fromkeys((*mine, *others)))


def copy(tx: Writer, target: int, source: int, *, at: Micros) -> None:
    """Let a space that is new have all that another one has set."""
    other = of_space(tx, source)
    change(tx, target, {name: getattr(other, name) for name in COLUMNS}, at=at)


def of_tenant(db: Reader) -> dict[str, Any]:
    """Return the settings of the tenant that were set, by name."""
    rows = db.execute("SELECT name, value FROM setting ORDER BY name").fetchall()
    return {row["name"]: json.loads(row["value"]) for row in rows}


def set_of_tenant(tx: Writer, values: Mapping[str, Any], *, actor: Actor, at: Micros) -> None:
    """Set some settings of the tenant; None takes one away."""
    for name, value in values.items():
        if value is None:
            tx.execute("DELETE FROM setting WHERE name = ?", (name,))
            continue
        tx.execute(
            """
            INSERT INTO setting (name, value, actor_kind, actor_id, at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET
                value = excluded.value, actor_kind = excluded.actor_kind, actor_id = excluded.actor_id, at = excluded.at
            """,
            (name, json.dumps(value, ensure_ascii=False), actor.kind, actor.id, at),
        )


def reset_tenant(tx: Writer) -> None:
    """Take every setting of the tenant away."""
    tx.execute("DELETE FROM setting")


def _settings(row: Mapping[str, Any]) -> TagSettings:
    return TagSettings(
        space_id=row["id"], name=row["name"], display_name=row["display_name"], entity_context=row["entity_context"],
        memory_paths=tuple(json.loads(row["memory_paths"])) if row["memory_paths"] is not None else None,
        documents=row["documents"], memories=row["memories"], created_at=row["created_at"],
        updated_at=row["updated_at"] or row["created_at"],
    )  # fmt: skip
