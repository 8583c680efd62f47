"""Spaces: the named partitions of a tenant."""

from __future__ import annotations

from memory.records import Micros, Scope
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


def listing(scope: Scope, db: Reader) -> list[tuple[str, int, int]]:
    """Return (name, live documents, memories) of the tenant's spaces, by name.

    A scope with spaces sees those alone; an empty tuple means every space of the tenant.
    """
    rows = db.execute(
        """
        SELECT name,
               (SELECT count(*) FROM document WHERE space_id = space.id AND deleted_at IS NULL) AS documents,
               (SELECT count(*) FROM memory WHERE space_id = space.id AND forgotten_at IS NULL) AS memories
        FROM space ORDER BY name
        """
    ).fetchall()
    wanted = set(scope.spaces)
    return [(row["name"], row["documents"], row["memories"]) for row in rows if not wanted or row["name"] in wanted]


def names(db: Reader) -> tuple[str, ...]:
    """Return the names of the tenant's spaces, in order."""
    return tuple(row["name"] for row in db.execute("SELECT name FROM space ORDER BY name").fetchall())
