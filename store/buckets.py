"""Buckets of a space, and which memory was judged to belong into which."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.buckets import Bucket
from memory.records import Micros, Scope
from store import spaces
from store.connection import Reader, Writer

# A memory gets its vector long before this is over.
_MARGIN: Micros = 3600 * 1_000_000
# A memory without a vector of the serving generation is judged once it has one.
_UNJUDGED = f"""
    FROM bucket JOIN memory ON memory.space_id = bucket.space_id
    JOIN generation ON generation.state = 'serving'
    JOIN vector ON vector.row_id = memory.row_id AND vector.generation_id = generation.id
    WHERE bucket.retired_at IS NULL AND memory.forgotten_at IS NULL
      AND memory.recorded_at > bucket.swept_at - {_MARGIN:d}
      AND NOT EXISTS (SELECT 1 FROM bucket_memory
                      WHERE bucket_memory.memory_id = memory.id AND bucket_memory.bucket_id = bucket.id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """A memory that no judge was asked about for a bucket yet."""

    bucket_id: int
    memory_id: str
    statement: str
    vector: bytes  # little-endian float32


def listing(scope: Scope, db: Reader) -> list[tuple[str, Bucket]]:
    """Return the buckets of the scope's spaces with the name of their space, by key."""
    named, values = spaces.among(scope.spaces)
    rows = db.execute(
        f"""
        SELECT space.name AS space, bucket.* FROM bucket JOIN space ON space.id = bucket.space_id
        WHERE retired_at IS NULL AND space.name IN ({named}) ORDER BY key, space.name
        """,
        values,
    ).fetchall()
    return [(row["space"], Bucket(id=row["id"], key=row["key"], description=row["description"])) for row in rows]


def get(db: Reader, bucket_id: int) -> Bucket | None:
    """Return a bucket; None when it was taken away."""
    row = db.execute("SELECT * FROM bucket WHERE id = ? AND retired_at IS NULL", (bucket_id,)).fetchone()
    return Bucket(id=row["id"], key=row["key"], description=row["description"]) if row else None


def put(scope: Scope, tx: Writer, *, key: str, description: str, at: Micros) -> int:
    """Add a bucket or describe it anew; what was judged by another description is judged again.

    Returns:
        Its id.
    """
    return put_into(tx, spaces.ensure(scope, tx, at=at), key=key, description=description, at=at)


def put_into(tx: Writer, space_id: int, *, key: str, description: str, at: Micros, shared: bool = False) -> int:
    """Do the same in a space by its number.

    Args:
        tx: the fenced transaction.
        space_id: the space.
        key: of the bucket.
        description: what belongs into it.
        at: now.
        shared: whether it is one of the tenant's settings; one of the space's own is then left as it is.

    Returns:
        Its id.
    """
    known = tx.execute("SELECT * FROM bucket WHERE space_id = ? AND key = ?", (space_id, key)).fetchone()
    if known is not None and shared and not known["shared"] and known["retired_at"] is None:
        return int(known["id"])
    if known is not None and (known["description"] != description or known["retired_at"] is not None):
        tx.execute("DELETE FROM bucket_memory WHERE bucket_id = ?", (known["id"],))
    tx.execute(
        """
        INSERT INTO bucket (space_id, key, description, created_at, shared) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (space_id, key) DO UPDATE SET
            description = excluded.description, retired_at = NULL, swept_at = 0, shared = excluded.shared
        """,
        (space_id, key, description, at, shared),
    )
    found = tx.execute("SELECT id FROM bucket WHERE space_id = ? AND key = ?", (space_id, key)).fetchone()
    return int(found["id"])


def own_keys(scope: Scope, db: Reader) -> list[str]:
    """Return the keys of the buckets of a space that are not of the tenant's settings."""
    space_id = spaces.find(scope, db).get(scope.space)
    query = "SELECT key FROM bucket WHERE space_id = ? AND retired_at IS NULL AND NOT shared ORDER BY key"
    return [row["key"] for row in db.execute(query, (space_id,)).fetchall()]


def retire(scope: Scope, tx: Writer, *, key: str, at: Micros) -> bool:
    """Take a bucket of a space away; False when there is none."""
    space_id = spaces.find(scope, tx).get(scope.space)
    gone = tx.execute(
        "UPDATE bucket SET retired_at = ? WHERE space_id = ? AND key = ? AND retired_at IS NULL", (at, space_id, key)
    )
    return gone.rowcount > 0


def share(tx: Writer, definitions: Mapping[str, str], *, at: Micros) -> int:
    """Let every space have the buckets of the tenant's settings, and no shared one beside them.

    Args:
        tx: the fenced transaction.
        definitions: description by key.
        at: now.

    Returns:
        How many buckets were added, described anew or taken away.
    """
    changed = 0
    for lacking in _lacking(tx, definitions):
        put_into(tx, lacking[0], key=lacking[1], description=definitions[lacking[1]], at=at, shared=True)
        changed += 1
    gone = tx.execute(
        """
        UPDATE bucket SET retired_at = ? WHERE shared AND retired_at IS NULL
        AND key NOT IN (SELECT value FROM json_each(?))
        """,
        (at, json.dumps(list(definitions))),
    )
    return changed + gone.rowcount


def lacks(db: Reader, definitions: Mapping[str, str]) -> bool:
    """Tell whether a space lacks one of the buckets of the tenant's settings."""
    return bool(_lacking(db, definitions, most=1))


def _lacking(db: Reader, definitions: Mapping[str, str], *, most: int = -1) -> list[tuple[int, str]]:
    """Return the number of each space with the key of each bucket that it lacks or has in other words."""
    rows = db.execute(
        """
        SELECT space.id, wanted.key FROM space CROSS JOIN json_each(?) AS wanted
        WHERE space.name >= char(2)
        AND NOT EXISTS (SELECT 1 FROM bucket WHERE bucket.space_id = space.id AND bucket.key = wanted.key
                          AND retired_at IS NULL AND (NOT shared OR description = wanted.value)) LIMIT ?
        """,
        (json.dumps(dict(definitions)), most),
    ).fetchall()
    return [(row["id"], row["key"]) for row in rows]


def unjudged(db: Reader, bucket_ids: Sequence[int], *, most: int) -> list[Unjudged]:
    """Return what has to be judged for some buckets, oldest memories first."""
    rows = db.execute(
        f"""
        SELECT bucket.id AS bucket_id, memory.id AS memory_id, memory.statement, vector.data {_UNJUDGED}
        AND bucket.id IN ({",".join("?" * len(bucket_ids))}) ORDER BY memory.recorded_at, memory.id, bucket.id LIMIT ?
        """,
        (*bucket_ids, most),
    ).fetchall()
    return [
        Unjudged(
            bucket_id=row["bucket_id"], memory_id=row["memory_id"], statement=row["statement"], vector=row["data"]
        )
        for row in rows
    ]  # fmt: skip


def newest(scope: Scope, db: Reader, *, most: int) -> list[tuple[str, bytes]]:
    """Return statement and vector (little-endian float32) of the newest memories of a scope that were not forgotten."""
    visible, values = spaces.bounded(scope, db, "memory")
    rows = db.execute(
        f"""
        SELECT memory.statement, vector.data FROM memory JOIN generation ON generation.state = 'serving'
        JOIN vector ON vector.row_id = memory.row_id AND vector.generation_id = generation.id
        WHERE {visible} AND memory.forgotten_at IS NULL AND EXISTS (
            SELECT 1 FROM validity WHERE validity.row_id = memory.row_id AND retired_at IS NULL)
        ORDER BY memory.recorded_at DESC LIMIT ?
        """,
        (*values, most),
    ).fetchall()
    return [(row["statement"], bytes(row["data"])) for row in rows]


def waiting(db: Reader) -> list[Bucket]:
    """Return the buckets for which something has to be judged, when nobody has asked for it yet."""
    if db.execute("SELECT 1 FROM request WHERE state = 'waiting' AND kind = 'bucket.fill' LIMIT 1").fetchone():
        return []
    rows = db.execute(
        f"SELECT * FROM bucket AS wanted WHERE EXISTS (SELECT 1 {_UNJUDGED} AND bucket.id = wanted.id)"
    ).fetchall()
    return [Bucket(id=row["id"], key=row["key"], description=row["description"]) for row in rows]


def sweep(tx: Writer, bucket_ids: Sequence[int], *, at: Micros) -> None:
    """Note that nothing is left to judge for some buckets."""
    tx.executemany("UPDATE bucket SET swept_at = ? WHERE id = ?", [(at, one) for one in bucket_ids])


def space_of(db: Reader, bucket_id: int) -> int:
    """Return the number of the space of a bucket."""
    return int(db.execute("SELECT space_id FROM bucket WHERE id = ?", (bucket_id,)).fetchone()["space_id"])


def recount(tx: Writer, memory_id: str, decision_id: str, *, belongs: bool) -> None:
    """Let a memory be in a bucket, or not, as the decision about it counts now."""
    tx.execute(
        "UPDATE bucket_memory SET belongs = ? WHERE memory_id = ? AND decision_id = ?",
        (int(belongs), memory_id, decision_id),
    )


def keep(tx: Writer, bucket_id: int, memory_id: str, *, belongs: bool, decision_id: str | None, at: Micros) -> None:
    """Keep whether a memory belongs into a bucket; a later answer takes the place of an earlier one."""
    tx.execute(
        """
        INSERT INTO bucket_memory (memory_id, bucket_id, belongs, decision_id, at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (memory_id, bucket_id) DO UPDATE SET
            belongs = excluded.belongs, decision_id = excluded.decision_id, at = excluded.at
        """,
        (memory_id, bucket_id, int(belongs), decision_id, at),
    )
