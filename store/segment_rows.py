"""The SQL behind resident segments: what a space looks like, what changed since, and the rows themselves."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.records import FOREVER, Micros
from store.connection import Reader

# Rows are read so many at a time, and ids go so many into a statement, of which SQLite allows 32,766: what is read lies
# between the terms that stay and keeps their memory from the system. With 10,000 rows that was 100 bytes of each.
_BATCH = 2_500
# Vectors are read so many at a time.
_FETCHED = 1_000

# `said` is the text as shown but for a day in front, which is among the terms; revisions that share a row say the same.
ROWS = """
    SELECT search_row.id, kind, group_key, position, user_id, agent_id, session_id, speaker, shadow, terms, names,
           coalesce(CASE kind
               WHEN 'memory' THEN (SELECT coalesce(speaker || ': ', '') || statement FROM memory
                                   WHERE row_id = search_row.id)
               ELSE (SELECT coalesce((SELECT group_concat(value, ' > ') FROM json_each(heading)) || char(10), '')
                            || body FROM chunk WHERE row_id = search_row.id)
           END, '') AS said
    FROM search_row
"""
VECTORS = "SELECT row_id, data FROM vector WHERE generation_id = ?"
# A memory that is to be forgotten by itself is not believed any more from then on, whether or not it has been retired.
WINDOWS = f"""
    SELECT row_id, valid_from, valid_to, recorded_at, min(coalesce(retired_at, ?), coalesce(
        (SELECT forget_after FROM memory WHERE memory.row_id = validity.row_id), {FOREVER:d})) AS retired_at
    FROM validity
"""
MEMORY_FACTS = """
    SELECT row_id, json_object('kind', kind, 'confidence', confidence, 'support', support, 'isStatic',
                               json(CASE is_static WHEN 0 THEN 'false' ELSE 'true' END),
                               'speaker', speaker, 'version', version) AS own, metadata
    FROM memory
"""
CHUNK_FACTS = """
    SELECT row_id, json_object('kind', 'chunk', 'type', type, 'title', title, 'filepath', filepath,
                               'customId', custom_id) AS own, metadata
    FROM chunk JOIN document ON document.id = chunk.document_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceState:
    """Where a space stands."""

    space_id: int
    sequence: int  # newest change of the tenant
    generation_id: int | None  # serving
    model: str
    dimension: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What happened to a space since a sequence number."""

    complete: bool  # False: some were pruned or a row was erased; load anew
    added: list[int]  # row ids, ascending
    altered: list[int]  # of the added rows too: read their windows, facts and times anew


def space_state(db: Reader, name: str) -> SpaceState | None:
    """Return the state of a space in one statement (4 microseconds), None when there is no such space."""
    row = db.execute(
        """
        SELECT space.id, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change'), 0) AS sequence,
               generation.id AS generation_id, coalesce(model, '') AS model, coalesce(dimension, 0) AS dimension
        FROM space LEFT JOIN generation ON state = 'serving' WHERE space.name = ?
        """,
        (name,),
    ).fetchone()
    if row is None:
        return None
    return SpaceState(
        space_id=row["id"], sequence=row["sequence"], generation_id=row["generation_id"], model=row["model"],
        dimension=row["dimension"],
    )  # fmt: skip


def changes(db: Reader, space_id: int, since: int, until: int) -> Changes:
    """Return what happened to a space after `since`, up to and including `until`."""
    rows = db.execute("SELECT seq, space_id, row_id, op FROM change WHERE seq > ?", (since,)).fetchall()
    by_op: dict[str, set[int]] = {"add": set(), "window": set(), "metadata": set(), "erase": set()}
    for row in rows:
        if row["space_id"] == space_id:
            by_op[row["op"]].add(row["row_id"])
    # Numbers of rolled back transactions are not used up, so a gap means that changes were pruned.
    complete = len(rows) == until - since and not by_op["erase"]
    # A window that opens may show facts that changed while the row had none, so no kind of change is read by itself.
    altered = by_op["add"] | by_op["window"] | by_op["metadata"]
    return Changes(complete=complete, added=sorted(by_op["add"]), altered=sorted(altered))


def space_range(space_id: int) -> tuple[int, int]:
    """Return the first and last row id a space can have."""
    return space_id << 32, (space_id + 1 << 32) - 1


def rows_of_space(db: Reader, space_id: int) -> Iterator[list[Any]]:
    """Yield every search row of a space, by id, some thousand at a time: all at once would take twice the memory."""
    where = "WHERE search_row.id BETWEEN ? AND ? ORDER BY search_row.id"
    read = db.execute(f"{ROWS} {where}", space_range(space_id))
    while batch := read.fetchmany(_BATCH):
        yield batch


def rows_by_id(db: Reader, ids: Sequence[int]) -> list[Any]:
    """Return the search rows of these ids that exist, by id."""
    return [
        row
        for batch in _batches(ids)
        for row in db.execute(
            f"{ROWS} WHERE search_row.id IN ({_marks(batch)}) ORDER BY search_row.id", batch
        ).fetchall()
    ]


def vectors_between(db: Reader, first: int, last: int, generation_id: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield (row id, little-endian float32) of the rows between two ids that have a vector of a generation."""
    read = db.execute(f"{VECTORS} AND row_id BETWEEN ? AND ?", (generation_id, first, last))
    while batch := read.fetchmany(_FETCHED):
        yield from map(tuple, batch)


def vectors_by_row(db: Reader, ids: Sequence[int], generation_id: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield the same for these rows."""
    for batch in _batches(ids):
        read = db.execute(f"{VECTORS} AND row_id IN ({_marks(batch)})", (generation_id, *batch))
        yield from map(tuple, read.fetchall())


def windows_of_space(db: Reader, space_id: int) -> npt.NDArray[np.int64]:
    """Return (row id, valid_from, valid_to, recorded_at, retired_at) of every window of a space; int64 (w, 5)."""
    read = db.execute(f"{WINDOWS} WHERE row_id BETWEEN ? AND ?", (FOREVER, *space_range(space_id)))
    parts = [np.empty((0, 5), dtype=np.int64)]
    while batch := read.fetchmany(_BATCH):
        parts.append(np.array([tuple(row) for row in batch], dtype=np.int64))
    return np.concatenate(parts)


def windows_by_row(db: Reader, ids: Sequence[int]) -> list[tuple[int, int, int, int, int]]:
    """Return the windows of these rows."""
    return [
        tuple(row)
        for batch in _batches(ids)
        for row in db.execute(f"{WINDOWS} WHERE row_id IN ({_marks(batch)})", (FOREVER, *batch)).fetchall()
    ]


def facts_of_space(db: Reader, space_id: int) -> Iterator[tuple[int, str, str]]:
    """Yield (row id, own facts, metadata), both JSON, of every row of a space that a filter can ask about."""
    for select in (MEMORY_FACTS, CHUNK_FACTS):
        yield from map(tuple, db.execute(f"{select} WHERE row_id BETWEEN ? AND ?", space_range(space_id)).fetchall())


def facts_by_row(db: Reader, ids: Sequence[int]) -> Iterator[tuple[int, str, str]]:
    """Yield the same for these rows."""
    for batch in _batches(ids):
        for select in (MEMORY_FACTS, CHUNK_FACTS):
            yield from map(tuple, db.execute(f"{select} WHERE row_id IN ({_marks(batch)})", batch).fetchall())


def read_facts(own: str, metadata: str) -> dict[str, Any]:
    """Join what a row says of itself with its metadata; a metadata key wins, as it is what the caller wrote."""
    return {**json.loads(own), **json.loads(metadata)}


def rows_of_document(db: Reader, document_id: str, known_at: Micros) -> list[int]:
    """Return the search rows of a document: its chunks, of any revision, and the memories that rested on it.

    Args:
        db: the store.
        document_id: the document.
        known_at: memories whose source there was believed at this time.
    """
    rows = db.execute(
        """
        SELECT row_id FROM chunk WHERE document_id = ?1 AND row_id IS NOT NULL
        UNION
        SELECT row_id FROM source JOIN memory ON memory.id = memory_id
        WHERE document_id = ?1 AND source.recorded_at <= ?2 AND coalesce(source.retired_at, ?3) > ?2
        """,
        (document_id, known_at, FOREVER),
    ).fetchall()
    return [row["row_id"] for row in rows]


def rows_at_path(db: Reader, space_id: int, filepath: str, known_at: Micros) -> list[int]:
    """Return the search rows of the documents of a space at a path, as `rows_of_document` does of one.

    Args:
        db: the store.
        space_id: the space.
        filepath: this path, or everything below it when it ends in a slash.
        known_at: memories whose source there was believed at this time.
    """
    rows = db.execute(
        """
        WITH there (id) AS (
            SELECT id FROM document WHERE space_id = ?1
            AND (filepath = ?2 OR (?2 LIKE '%/' AND instr(filepath, ?2) = 1))
        )
        SELECT row_id FROM chunk WHERE document_id IN (SELECT id FROM there) AND row_id IS NOT NULL
        UNION
        SELECT row_id FROM source JOIN memory ON memory.id = memory_id
        WHERE document_id IN (SELECT id FROM there)
        AND source.recorded_at <= ?3 AND coalesce(source.retired_at, ?4) > ?3
        """,
        (space_id, filepath, known_at, FOREVER),
    ).fetchall()
    return [row["row_id"] for row in rows]


def forgotten_rows(db: Reader, space_id: int, known_at: Micros) -> list[int]:
    """Return the search rows of the memories of a space that were forgotten, and have no version after them.

    Args:
        db: the store.
        space_id: the space.
        known_at: forgotten by then, and no later version known by then.
    """
    rows = db.execute(
        """
        SELECT row_id FROM memory WHERE space_id = ?1 AND NOT historic
        AND (forgotten_at <= ?2 OR (forget_after <= ?2 AND forgotten_at IS NULL))
        AND NOT EXISTS (SELECT 1 FROM memory AS next WHERE next.root_id = memory.root_id
                        AND next.version > memory.version AND next.recorded_at <= ?2)
        """,
        (space_id, known_at),
    ).fetchall()
    return [row["row_id"] for row in rows]


def rows_of_session(db: Reader, space_id: int, session: str, known_at: Micros) -> list[int]:
    """Return the search rows of the memories that rested on what was said in a session of a space.

    Args:
        db: the store.
        space_id: the space.
        session: its id, or the id of its conversation.
        known_at: memories whose source there was believed at this time.
    """
    rows = db.execute(
        """
        SELECT DISTINCT memory.row_id
        FROM session JOIN episode ON episode.session_id = session.id JOIN source ON source.episode_id = episode.id
        JOIN memory ON memory.id = source.memory_id
        WHERE session.space_id = ?1 AND (session.id = ?2 OR session.conversation_id = ?2)
        AND source.recorded_at <= ?3 AND coalesce(source.retired_at, ?4) > ?3
        """,
        (space_id, session, known_at, FOREVER),
    ).fetchall()
    return [row["row_id"] for row in rows]


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]


def _marks(ids: Collection[int]) -> str:
    return ",".join("?" * len(ids))
