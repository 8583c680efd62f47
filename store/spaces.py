"""Spaces: the named partitions of a tenant, and which rows of them a scope may see."""

from __future__ import annotations

from typing import Any

from memory.records import Micros, Owner, Scope
from store.connection import Reader, Writer


def ensure(scope: Scope, tx: Writer, *, at: Micros) -> int:
    """Return the id of the one space of a write, making it when it is new.

    Raises:
        OneSpace: the scope names none or several.
    """
    tx.execute("INSERT INTO space (name, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING", (scope.space, at))
    return int(tx.execute("SELECT id FROM space WHERE name = ?", (scope.space,)).fetchone()["id"])


def find(scope: Scope, db: Reader) -> dict[str, int]:
    """Return name and id of those spaces of a read that exist."""
    marks = ",".join("?" * len(scope.spaces))
    rows = db.execute(f"SELECT name, id FROM space WHERE name IN ({marks})", scope.spaces).fetchall()
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
    ids = list(find(scope, db).values())
    conditions = [f"{table}.space_id IN ({','.join('?' * len(ids))})"]
    values: list[Any] = [*ids]
    for column, named in (("user_id", scope.user), ("agent_id", scope.agent), ("session_id", scope.session)):
        if named is not None:
            conditions.append(f"({table}.{column} IS NULL OR {table}.{column} = ?)")
            values.append(named)
    return " AND ".join(conditions), values


def name_of(db: Reader, space_id: int) -> str:
    """Return the name of a space that is known to exist."""
    return str(db.execute("SELECT name FROM space WHERE id = ?", (space_id,)).fetchone()["name"])


def owner_of(row: Any) -> Owner:
    """Return whom a row with the columns user_id, agent_id and session_id is bound to."""
    return Owner(user=row["user_id"], agent=row["agent_id"], session=row["session_id"])


def listing(scope: Scope, db: Reader) -> tuple[dict[str, Any], ...]:
    """Return name, live documents, memories and retention (days or None) of the scope's spaces, by name."""
    marks = ",".join("?" * len(scope.spaces))
    rows = db.execute(
        f"""
        SELECT name, retention_days,
               (SELECT count(*) FROM document WHERE space_id = space.id AND deleted_at IS NULL) AS documents,
               (SELECT count(*) FROM memory WHERE space_id = space.id AND forgotten_at IS NULL) AS memories
        FROM space WHERE name IN ({marks}) ORDER BY name
        """,
        scope.spaces,
    ).fetchall()
    return tuple(
        {
            "name": row["name"], "documents": row["documents"], "memories": row["memories"],
            "retention_days": row["retention_days"],
        }
        for row in rows
    )  # fmt: skip


def names(db: Reader) -> tuple[str, ...]:
    """Return the names of the tenant's spaces, in order."""
    return tuple(row["name"] for row in db.execute("SELECT name FROM space ORDER BY name").fetchall())
