"""Spaces: the named partitions of a tenant, and which rows of them a scope may see."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memory.records import FOREVER, Micros, Owner, Scope
from store.connection import Reader, Writer

# A space that was put away or merged is called this and the id of what did it: no name that a door lets in begins with
# a control character, so no scope can name it.
PUT_AWAY = "\x01"
_IN_USE = "name >= char(2)"
_FEW = 100


def ensure(scope: Scope, tx: Writer, *, at: Micros) -> int:
    """Return the id of the one space of a write, making it when it is new.

    Raises:
        OneSpace: the scope names none or several.
    """
    tx.execute("INSERT INTO space (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", (scope.space, at))
    return int(tx.execute("SELECT id FROM space WHERE name = ?", (scope.space,)).fetchone()["id"])


def among(wanted: Sequence[str | int]) -> tuple[str, list[Any]]:
    """Return what stands between the brackets of `IN`, with its values, for names or ids of spaces."""
    # A statement has room for 32,766 values and may need several for each space. Of few the plan is better with each.
    if len(wanted) <= _FEW:
        return ",".join("?" * len(wanted)), list(wanted)
    return "SELECT value FROM json_each(?)", [json.dumps(list(wanted), ensure_ascii=False)]


def find(scope: Scope, db: Reader) -> dict[str, int]:
    """Return name and id of those spaces of a read that exist."""
    named, values = among(scope.spaces)
    rows = db.execute(f"SELECT name, id FROM space WHERE name IN ({named})", values).fetchall()
    return {row["name"]: row["id"] for row in rows}


def bounded(scope: Scope, db: Reader, table: str) -> tuple[str, list[Any]]:
    """Return the condition, with its values, that holds for those rows of a table that a scope may see.

    Trust boundary between the users, agents and sessions of a space: a row that has one is seen by requests that name
    it, or name none. Every read of a table with these columns goes through here, a look-up by id too.

    Args:
        scope: who asks.
        db: the store.
        table: its name, or what it is called in the query.
    """
    return within(scope, list(find(scope, db).values()), table)


def within(scope: Scope, space_ids: Sequence[int], table: str) -> tuple[str, list[Any]]:
    """Return what `bounded` does, for spaces that were found another way; only an erasure reaches those put away."""
    named_, values = among(space_ids)
    conditions = [f"{table}.space_id IN ({named_})"]
    for column, named in (("user_id", scope.user), ("agent_id", scope.agent), ("session_id", scope.session)):
        if named is not None:
            conditions.append(f"({table}.{column} IS NULL OR {table}.{column} = ?)")
            values.append(named)
    return " AND ".join(conditions), values


def name_of(db: Reader, space_id: int) -> str:
    """Return the name of a space that is known to exist; of one that was put away, the name that it had."""
    row = db.execute(
        """
        SELECT coalesce(
            (SELECT deletion.name FROM deletion WHERE deletion.space_id = space.id AND restored_at IS NULL),
            (SELECT merge_source.name FROM merge_source
             WHERE merge_source.space_id = space.id AND emptied_at IS NOT NULL),
            space.name) AS name
        FROM space WHERE id = ?
        """,
        (space_id,),
    ).fetchone()
    return str(row["name"])


# Names that a space had, and until when it was called so. What is erased in a space that is put away is remembered
# under what it is called then, which no other space ever is.
_HAD = f"""
    SELECT space_id, name, deleted_at AS until FROM deletion
    UNION ALL SELECT space_id, char(1) || id, {FOREVER:d} FROM deletion
"""


def names_of(db: Reader, space_id: int) -> dict[str, Micros]:
    """Return every name that a space has or had before it was put away, and until when it was called so."""
    rows = db.execute(
        f"""
        SELECT name, max(until) AS until FROM (
            SELECT name, {FOREVER:d} AS until FROM space WHERE id = ?1
            UNION ALL SELECT name, until FROM ({_HAD}) WHERE space_id = ?1) GROUP BY name
        """,
        (space_id,),
    ).fetchall()
    return {row["name"]: row["until"] for row in rows}


def names_within(db: Reader, space_id: int) -> dict[str, Micros]:
    """Return the names of a space, and of those that were merged into it or into one of these, as `names_of` does."""
    rows = db.execute(
        f"""
        WITH RECURSIVE came(id) AS (
            VALUES (?1)
            UNION SELECT merge_source.space_id FROM came
            JOIN merge ON merge.space_id = came.id JOIN merge_source ON merge_id = merge.id)
        SELECT name, max(until) AS until FROM (
            SELECT space.id AS space_id, name, {FOREVER:d} AS until FROM space
            UNION ALL SELECT space_id, name, coalesce(emptied_at, {FOREVER:d}) FROM merge_source
            UNION ALL {_HAD}) WHERE space_id IN (SELECT id FROM came) GROUP BY name
        """,
        (space_id,),
    ).fetchall()
    return {row["name"]: row["until"] for row in rows}


def owner_of(row: Any) -> Owner:
    """Return whom a row with the columns user_id, agent_id and session_id is bound to."""
    return Owner(user=row["user_id"], agent=row["agent_id"], session=row["session_id"])


def listing(scope: Scope, db: Reader) -> tuple[dict[str, Any], ...]:
    """Return name, live documents, memories and retention (days or None) of the scope's spaces, by name.

    What is bound to another user, agent or session than the scope names is not counted.
    """
    documents, in_documents = bounded(scope, db, "document")
    memories, in_memories = bounded(scope, db, "memory")
    named, values = among(scope.spaces)
    rows = db.execute(
        f"""
        SELECT name, retention_days,
               (SELECT count(*) FROM document WHERE {documents} AND document.space_id = space.id
                AND deleted_at IS NULL) AS documents,
               (SELECT count(*) FROM memory WHERE {memories} AND memory.space_id = space.id
                AND forgotten_at IS NULL) AS memories
        FROM space WHERE name IN ({named}) ORDER BY name
        """,
        (*in_documents, *in_memories, *values),
    ).fetchall()
    return tuple(dict(row) for row in rows)


def names(db: Reader) -> tuple[str, ...]:
    """Return the names of the tenant's spaces, in order; those that were put away or merged have none."""
    rows = db.execute(f"SELECT name FROM space WHERE {_IN_USE} ORDER BY name").fetchall()
    return tuple(row["name"] for row in rows)
