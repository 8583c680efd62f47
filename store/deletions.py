"""Spaces that were put away: their name is taken off, so that no read finds them, and all else stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import NotFound
from memory.records import Actor, Micros, Page, Scope
from store import spaces, tag_settings
from store.connection import Reader, Writer
from store.paging import keyset
from store.spaces import PUT_AWAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A space that was put away."""

    id: str  # del_...
    space_id: int
    name: str  # of the space until then
    documents: int  # live ones in it
    memories: int
    reason: str | None
    actor: Actor
    deleted_at: Micros
    restored_at: Micros | None


def put_away(
    tx: Writer, *, deletion_id: str, space_id: int, name: str, reason: str | None, actor: Actor, at: Micros
) -> Deletion:
    """Take the name off a space; a later write under that name makes a new one."""
    there = tag_settings.of_space(tx, space_id)
    tx.execute(
        """
        INSERT INTO deletion (id, space_id, name, documents, memories, reason, actor_kind, actor_id, deleted_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (deletion_id, space_id, name, there.documents, there.memories, reason, actor.kind, actor.id, at),
    )
    tx.execute("UPDATE space SET name = ? WHERE id = ?", (PUT_AWAY + deletion_id, space_id))
    return find(tx, deletion_id)


def restore(tx: Writer, one: Deletion, *, name: str, actor: Actor, at: Micros) -> None:
    """Give a space a name again; the caller has seen that it is free."""
    tx.execute("UPDATE space SET name = ? WHERE id = ?", (name, one.space_id))
    tx.execute(
        "UPDATE deletion SET restored_at = ?, restored_kind = ?, restored_id = ? WHERE id = ?",
        (at, actor.kind, actor.id, one.id),
    )


def find(db: Reader, deletion_id: str) -> Deletion:
    """Return a deletion.

    Raises:
        NotFound: there is none of that id.
    """
    row = db.execute("SELECT * FROM deletion WHERE id = ?", (deletion_id,)).fetchone()
    if row is None:
        raise NotFound(f"No deletion {deletion_id!r}.", field="id")
    return _deletion(row)


def listing(
    scope: Scope, db: Reader, *, every: bool, limit: int, page: int | None = None, cursor: str | None = None
) -> Page[Deletion]:
    """Return one page of what was put away and not restored, newest first.

    Args:
        scope: whose; only spaces that had one of its names.
        db: the store.
        every: of whichever name.
        limit: rows a page.
        page: 1-based page number, when no cursor is used.
        cursor: where the page before ended.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    where, values = ["deletion.restored_at IS NULL"], list[Any]()
    if not every:
        among, named = spaces.among(scope.spaces)
        where.append(f"deletion.name IN ({among})")
        values += named
    return keyset(
        db, "SELECT deletion.* FROM deletion", "deletion", where, values, column="deletion.deleted_at",
        key="deletion.id", order="desc", limit=limit, page=page, cursor=cursor, make=_deletion,
    )  # fmt: skip


def put_away_spaces(scope: Scope, db: Reader, *, every: bool, name: str | None = None) -> list[int]:
    """Return the numbers of the spaces that are put away, newest first.

    Args:
        scope: whose; only spaces that had one of its names.
        db: the store.
        every: of whichever name.
        name: only those that had this one; None: all of them.
    """
    rows = db.execute(
        """
        SELECT space_id FROM deletion WHERE restored_at IS NULL AND coalesce(name = ?1, 1)
        AND (?2 OR name IN (SELECT value FROM json_each(?3))) ORDER BY deleted_at DESC
        """,
        (name, every, json.dumps(list(scope.spaces), ensure_ascii=False)),
    ).fetchall()
    return [row["space_id"] for row in rows]


def _deletion(row: Mapping[str, Any]) -> Deletion:
    return Deletion(
        id=row["id"], space_id=row["space_id"], name=row["name"], documents=row["documents"],
        memories=row["memories"], reason=row["reason"], actor=Actor(kind=row["actor_kind"], id=row["actor_id"]),
        deleted_at=row["deleted_at"], restored_at=row["restored_at"],
    )  # fmt: skip
