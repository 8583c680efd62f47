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
from store import documents
from store.connection import Reader, Writer
from store.rows import announce
from store.segment_rows import space_range

State = Literal["serving", "building", "retired"]

# The parameters of one statement; SQLite allows 32,766.
_MANY = 10_000

_GENERATION = "SELECT id, model, dimension, state, created_at FROM generation"
_LACKING = "NOT EXISTS (SELECT 1 FROM vector WHERE row_id = search_row.id AND generation_id = ?)"
# Candidates whose vector may still become a memory's.
_KEPT = "state <> 'settled' AND vector IS NOT NULL"


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
    row = db.execute(f"{_GENERATION} WHERE id = ?", (generation_id,)).fetchone()
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
    chunks = {one.id: one.text for one in documents.chunks_by_id(db, list(chunk_ids.values()))}
    return {**found, **{row_id: chunks[chunk_id] for row_id, chunk_id in chunk_ids.items()}}


def add_vector(tx: Writer, row_id: int, generation_id: int, vector: bytes, *, at: Micros) -> None:
    """Give a row its vector of a generation; one that has it, or is gone, stays as it is."""
    added = tx.execute(
        """
        INSERT INTO vector (row_id, generation_id, data) SELECT id, ?, ? FROM search_row WHERE id = ?
        ON CONFLICT DO NOTHING
        """,
        (generation_id, vector, row_id),
    )
    if added.rowcount and get(tx, generation_id).state == "serving":
        # Readers hold the row without a vector: an old row that is added again has them read the space anew.
        announce(tx, row_id, "add", at=at)


def strange_candidates(db: Reader, generation_id: int) -> list[Mapping[str, Any]]:
    """Return the candidates whose kept vector is not of a generation: `seq`, `job_id`, `space_id` and `state`."""
    query = """
        SELECT seq, job_id, space_id, state FROM candidate
        WHERE vector IS NOT NULL AND generation_id IS NOT ? ORDER BY seq
    """
    return db.execute(query, (generation_id,)).fetchall()


def holders(db: Reader, generation_id: int) -> int:
    """Return how many candidates keep a vector of a generation."""
    query = "SELECT count(*) FROM candidate WHERE vector IS NOT NULL AND generation_id = ?"
    return int(db.execute(query, (generation_id,)).fetchone()[0])


def ready_of_others(db: Reader) -> int:
    """Return how many candidates wait because their vector is not of the serving generation."""
    query = f"""
        SELECT count(*) FROM candidate WHERE {_KEPT} AND state = 'ready'
        AND generation_id IS NOT (SELECT id FROM generation WHERE state = 'serving')
    """
    return int(db.execute(query).fetchone()[0])


def await_vectors(tx: Writer, seqs: Sequence[int]) -> None:
    """Let ready candidates wait for a vector again."""
    for start in range(0, len(seqs), _MANY):
        some = tuple(seqs[start : start + _MANY])
        marks = ",".join("?" * len(some))
        tx.execute(
            f"UPDATE candidate SET state = 'waiting', vector = NULL, generation_id = NULL"
            f" WHERE state = 'ready' AND seq IN ({marks})",
            some,
        )


def configure(tx: Writer, generation_id: int | None, *, at: Micros) -> bool:
    """Note which generation the configured model makes vectors of.

    Args:
        tx: the transaction.
        generation_id: of that model; None when it has none yet.
        at: now.

    Returns:
        Whether another model was configured before.
    """
    row = tx.execute(
        "SELECT id FROM generation WHERE configured_at IS NOT NULL ORDER BY configured_at DESC, id DESC LIMIT 1"
    ).fetchone()
    before = row["id"] if row is not None else None
    if generation_id is not None and generation_id != before:
        tx.execute("UPDATE generation SET configured_at = ? WHERE id = ?", (at, generation_id))
    return before is not None and before != generation_id


def forget_leases(tx: Writer, *, at: Micros) -> int:
    """Make the embedding items that are out ready again: what comes of them is another model's. Returns how many."""
    again = tx.execute(
        "UPDATE work_item SET state = 'ready', lease_until = NULL, updated_at = ?"
        " WHERE state IN ('ready', 'leased') AND state = 'leased' AND task = 'embed.texts'",
        (at,),
    )
    return int(again.rowcount)


def open_job(db: Reader, space_id: int, generation_id: int) -> str | None:
    """Return the open job that embeds the rows of a space for a generation."""
    row = db.execute(
        """
        SELECT job.id FROM job JOIN tally ON tally.job_id = job.id
        WHERE job.state IN ('queued', 'running') AND kind = 'reembedding' AND space_id = ?
        AND json_extract(tally.payload, '$.generation') = ? LIMIT 1
        """,
        (space_id, generation_id),
    ).fetchone()
    return None if row is None else str(row["id"])


def jobs_of(db: Reader) -> Mapping[str, int]:
    """Return the open jobs that embed rows anew, each with the generation that it is for."""
    query = """
        SELECT job.id, max(json_extract(tally.payload, '$.generation')) AS generation
        FROM job JOIN tally ON tally.job_id = job.id
        WHERE job.state IN ('queued', 'running') AND kind = 'reembedding'
        GROUP BY job.id HAVING generation IS NOT NULL
    """
    return {row["id"]: row["generation"] for row in db.execute(query).fetchall()}


def open_jobs(db: Reader) -> list[str]:
    """Return the ids of the open jobs that embed anew, oldest first."""
    query = "SELECT id FROM job WHERE state IN ('queued', 'running') AND kind = 'reembedding' ORDER BY created_at, id"
    return [row["id"] for row in db.execute(query).fetchall()]


def _read(row: Mapping[str, Any]) -> Generation:
    return Generation(
        id=row["id"], model=row["model"], dimension=row["dimension"], state=row["state"], created_at=row["created_at"]
    )
