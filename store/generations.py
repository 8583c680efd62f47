"""Embedding generations: by which model the vectors were made, which of them are searched, and which rows lack one.

Every vector belongs to the generation of the model that made it, and only those of the serving one are ever compared. A
row that has no vector of the serving generation is owed one; until it has it, it is found by its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memory.errors import NotFound
from memory.records import Micros
from memory.statements import attributed
from store import chunks
from store.connection import Reader, Writer
from store.paging import WHOLE
from store.rows import announce
from store.segment_rows import space_range
from store.vectors import sound

State = Literal["serving", "building", "retired"]

_GENERATION = "SELECT id, model, dimension, state, created_at FROM generation"
_LACKING = "NOT EXISTS (SELECT 1 FROM vector WHERE row_id = search_row.id AND generation_id = ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Vectors of one model."""

    id: int
    model: str
    dimension: int  # numbers in a vector
    state: State
    created_at: Micros

    @property
    def name(self) -> str:
        """What a person reads: the model and the length of its vectors."""
        return f"{self.model} ({self.dimension} numbers)"

    def is_of(self, model: str, dimension: int) -> bool:
        """Tell whether a model makes vectors of this generation."""
        return (self.model, self.dimension) == (model, dimension)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How far a generation is."""

    rows: int  # search rows of the tenant
    vectors: int  # of them, those that have a vector of the generation

    @property
    def missing(self) -> int:
        """Rows that lack one."""
        return self.rows - self.vectors


def serving(db: Reader) -> Generation | None:
    """Return the generation whose vectors are searched; None before the first vector."""
    row = db.execute(f"{_GENERATION} WHERE state = 'serving'").fetchone()
    return None if row is None else _read(row)


def listing(db: Reader) -> list[Generation]:
    """Return every generation, oldest first."""
    return [_read(row) for row in db.execute(f"{_GENERATION} ORDER BY id").fetchall()]


def get(db: Reader, generation_id: int) -> Generation:
    """Return a generation.

    Raises:
        NotFound: there is none of that number.
    """
    # A number that SQLite has no room for names nothing, and is no fault of ours either.
    known = generation_id in WHOLE
    row = db.execute(f"{_GENERATION} WHERE id = ?", (generation_id,)).fetchone() if known else None
    if row is None:
        raise NotFound(f"No embedding generation {generation_id}; `memlane reembed status` lists them.", field="id")
    return _read(row)


def of_model(db: Reader, model: str, dimension: int) -> Generation | None:
    """Return the newest generation of a model; None when it has made no vector yet."""
    row = db.execute(
        f"{_GENERATION} WHERE model = ? AND dimension = ? ORDER BY id DESC LIMIT 1", (model, dimension)
    ).fetchone()
    return None if row is None else _read(row)


def for_vectors(tx: Writer, *, model: str, dimension: int, at: Micros) -> int:
    """Return the generation that vectors of a model belong to; the first of a tenant serves, a later one is building.

    Args:
        tx: the transaction.
        model: that made the vectors.
        dimension: numbers in a vector.
        at: now.

    Returns:
        Its number.
    """
    known = of_model(tx, model, dimension)
    if known is not None:
        return known.id
    state = "serving" if serving(tx) is None else "building"
    done = tx.execute(
        "INSERT INTO generation (model, dimension, state, created_at, configured_at) VALUES (?, ?, ?, ?, ?)",
        (model, dimension, state, at, at),
    )
    return int(done.lastrowid or 0)


def set_state(tx: Writer, generation_id: int, state: State) -> None:
    """Say what a generation is for from now on."""
    tx.execute("UPDATE generation SET state = ? WHERE id = ?", (state, generation_id))


def serve(tx: Writer, generation_id: int) -> int | None:
    """Let a generation serve in the place of the one that does, which is retired with its vectors kept.

    Returns:
        The one that served before.
    """
    before = serving(tx)
    if before is not None:
        set_state(tx, before.id, "retired")
    set_state(tx, generation_id, "serving")
    return before.id if before else None


def drop(tx: Writer, generation_id: int) -> int:
    """Delete a generation with its vectors; returns how many there were."""
    dropped = tx.execute("DELETE FROM vector WHERE generation_id = ?", (generation_id,)).rowcount
    tx.execute("DELETE FROM generation WHERE id = ?", (generation_id,))
    return int(dropped)


def counts(db: Reader) -> Mapping[int, Count]:
    """Return how many rows have a vector of each generation, by its number."""
    (rows,) = db.execute("SELECT count(*) FROM search_row").fetchone()
    found = dict(map(tuple, db.execute("SELECT generation_id, count(*) FROM vector GROUP BY generation_id").fetchall()))
    return {one.id: Count(rows=rows, vectors=found.get(one.id, 0)) for one in listing(db)}


def lacking(db: Reader, generation_id: int) -> Mapping[int, list[int]]:
    """Return the rows that have no vector of a generation, by space, oldest first."""
    by_space: dict[int, list[int]] = {}
    query = f"SELECT id, space_id FROM search_row WHERE {_LACKING} ORDER BY id"
    for row in db.execute(query, (generation_id,)).fetchall():
        by_space.setdefault(row["space_id"], []).append(row["id"])
    return by_space


def lacking_in(db: Reader, space_id: int, generation_id: int) -> list[int]:
    """Return the rows of a space that have no vector of a generation, oldest first."""
    query = f"SELECT id FROM search_row WHERE id BETWEEN ? AND ? AND {_LACKING} ORDER BY id"
    return [row["id"] for row in db.execute(query, (*space_range(space_id), generation_id)).fetchall()]


def texts(db: Reader, row_ids: Sequence[int]) -> dict[int, str]:
    """Return the text that the vector of each row is made of; rows that are gone are left out."""
    marks = ",".join("?" * len(row_ids))
    found = {
        row["id"]: row["shadow"]
        for row in db.execute(f"SELECT id, shadow FROM search_row WHERE id IN ({marks})", tuple(row_ids)).fetchall()
    }
    for row in db.execute(
        f"SELECT row_id, statement, speaker, said_at, said_zone FROM memory WHERE row_id IN ({marks})", tuple(row_ids)
    ).fetchall():
        found[row["row_id"]] = attributed(row["statement"], row["speaker"], row["said_at"], row["said_zone"])
    chunk_ids = {
        row["row_id"]: row["id"]
        for row in db.execute(f"SELECT id, row_id FROM chunk WHERE row_id IN ({marks})", tuple(row_ids)).fetchall()
    }
    texts = {one.id: one.text for one in chunks.by_id(db, list(chunk_ids.values()))}
    return {**found, **{row_id: texts[chunk_id] for row_id, chunk_id in chunk_ids.items()}}


def add_vector(tx: Writer, row_id: int, generation_id: int, vector: bytes, *, at: Micros) -> None:
    """Give a row its vector of a generation; one that has it, or is gone, stays as it is.

    Raises:
        InvalidInput: the vector is not of the generation's length, not finite, or zero.
    """
    added = tx.execute(
        """
        INSERT INTO vector (row_id, generation_id, data) SELECT id, ?, ? FROM search_row WHERE id = ?
        ON CONFLICT DO NOTHING
        """,
        (generation_id, sound(tx, generation_id, vector), row_id),
    )
    if added.rowcount and get(tx, generation_id).state == "serving":
        # Readers hold the row without a vector: an old row that is added again has them read the space anew.
        announce(tx, row_id, "add", at=at)


def _read(row: Mapping[str, Any]) -> Generation:
    return Generation(
        id=row["id"], model=row["model"], dimension=row["dimension"], state=row["state"], created_at=row["created_at"]
    )
