"""Makes rows of the lines of an export, with the ids they had, in spaces that nobody can name until all are there.

Every function here is called inside the writer's fenced transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.errors import InvalidInput
from memory.records import BEGINNING, FOREVER, Micros
from store.connection import Reader, Writer
from store.erasing_memories import ids_json
from store.transfer_lines import Read
from store.transfer_plan import BUCKET, CANDIDATE, NAMED_BY, ROW, ROW_BITS, ROW_MASK, SPACE, Part
from store.vectors import sound

# Of these the tenant keeps its own where it has one.
_KEPT = ("setting", "calibration")
# Tables whose ids must not be in the store already.
LOOKED_FOR = tuple(table for table in NAMED_BY if table not in (*_KEPT, "space"))
# Their ids say which space they are of, and are the only index for it.
_ITS_ROWS = f"search_row.id BETWEEN space.id << {ROW_BITS:d} AND ((space.id + 1) << {ROW_BITS:d}) - 1"
_IS_EMPTY = " AND ".join(
    (
        *(
            f"NOT EXISTS (SELECT 1 FROM {table} WHERE space_id = space.id)"
            for table in ("document", "session", "memory", "tombstone", "bucket", "review", "job", "candidate")
        ),
        f"NOT EXISTS (SELECT 1 FROM search_row WHERE {_ITS_ROWS})",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where lines go."""

    spaces: Mapping[str, int]  # numbers, by what the lines call them
    vectors: int | None  # generation of the vectors of search rows; None: they are left out
    candidates: int | None  # generation of the vectors of candidates


def occupied(db: Reader, names: Sequence[str]) -> list[str]:
    """Return those spaces of a list that have something in them."""
    rows = db.execute(
        f"SELECT name FROM space WHERE name IN (SELECT value FROM json_each(?)) AND NOT ({_IS_EMPTY}) ORDER BY name",
        (ids_json(names),),
    ).fetchall()
    return [row["name"] for row in rows]


def known(db: Reader, table: str, ids: Sequence[str]) -> list[str]:
    """Return those ids of a list that a table has already."""
    column = NAMED_BY[table]
    query = f"SELECT {column} AS id FROM {table} WHERE {column} IN (SELECT value FROM json_each(?)) LIMIT 5"
    return [row["id"] for row in db.execute(query, (ids_json(ids),)).fetchall()]


def insert(tx: Writer, read: Read, target: Target) -> bool:
    """Make a row of a line.

    Returns:
        Whether one was made; of the tenant's own settings those that are there stay.

    Raises:
        InvalidInput: it refers to nothing, is there already, or breaks a rule of its table.
    """
    try:
        return _insert(tx, read, target)
    except sqlite3.IntegrityError as error:
        raise InvalidInput(f"cannot be kept ({error})", field="line") from error


def _insert(tx: Writer, read: Read, target: Target) -> bool:
    part, values = read.part, dict(read.values)
    space = target.spaces[read.told["space"]] if "space" in read.told else None
    if part.name == "space":
        return _describe(tx, read, target)
    values |= _references(tx, read, space)
    if part.name == "candidate" and "vector" in values:
        values |= _vector(tx, values, target)
    if part.name == "row":
        values["id"] = space << ROW_BITS | read.told["row"] if space is not None else None
    made = _into(tx, part, values)
    if part.name == "row":
        _windows(tx, read, values["id"])
        if read.vector is not None and target.vectors is not None:
            data = sound(tx, target.vectors, read.vector)
            tx.execute("INSERT INTO vector VALUES (?, ?, ?)", (values["id"], target.vectors, data))
    return made


def _into(tx: Writer, part: Part, values: dict[str, Any]) -> bool:
    if not _has_calibration(tx, part, values):
        return False
    again = "ON CONFLICT DO NOTHING" if part.name in _KEPT else ""
    marks = ",".join("?" * len(values))
    columns = ", ".join(f'"{name}"' for name in values)
    made = tx.execute(f"INSERT INTO {part.table} ({columns}) VALUES ({marks}) {again}", tuple(values.values()))
    return made.rowcount > 0


def _has_calibration(tx: Writer, part: Part, values: dict[str, Any]) -> bool:
    """Tell whether the calibration is here that a row rests on; a decision is kept without it.

    Where the tenant has an active one of its own that stays, and so does nothing that came after the one in the file.
    """
    column = "previous_id" if part.name == "calibration" else "calibration_id"
    wanted = values.get(column)
    if wanted is None or tx.execute("SELECT 1 FROM calibration WHERE id = ?", (wanted,)).fetchone():
        return True
    if part.name == "decision":
        del values[column]
        return True
    return False


def _describe(tx: Writer, read: Read, target: Target) -> bool:
    """Give a space that was made for the import what its line says."""
    values = {name: value for name, value in read.values.items() if name != "name"}
    changed = ", ".join(f"{name} = ?" for name in values)
    number = target.spaces[str(read.values["name"])]
    return tx.execute(f"UPDATE space SET {changed} WHERE id = ?", (*values.values(), number)).rowcount > 0


def _references(tx: Writer, read: Read, space: int | None) -> dict[str, Any]:
    """Return the columns that this file numbers for itself."""
    told, found = read.told, {}
    own = read.part.table in ("chunk", "bucket_memory")
    if space is not None and not own:
        found[SPACE] = space
    if "row" in told and read.part.name != "row":
        found[ROW] = (space or 0) << ROW_BITS | told["row"]
    if "candidate" in told:
        found[CANDIDATE] = _one(tx, "SELECT seq FROM candidate WHERE source_key = ?", (told["candidate"],))
    if "bucket" in told:
        found[BUCKET] = _one(tx, "SELECT id FROM bucket WHERE space_id = ? AND key = ?", (space, told["bucket"]))
    return found


def _one(tx: Writer, query: str, values: tuple[Any, ...]) -> int:
    row = tx.execute(query, values).fetchone()
    if row is None:
        raise InvalidInput("refers to something that no line before it tells of", field="line")
    return int(row[0])


def _vector(tx: Writer, values: Mapping[str, Any], target: Target) -> dict[str, Any]:
    if target.candidates is None:
        return {"vector": None}
    return {"vector": sound(tx, target.candidates, values["vector"]), "generation_id": target.candidates}


def _windows(tx: Writer, read: Read, row_id: int) -> None:
    for one in read.windows:
        told = {"valid_from": BEGINNING, "valid_to": FOREVER, **one, "row_id": row_id}
        marks = ",".join("?" * len(told))
        tx.execute(f"INSERT INTO validity ({', '.join(told)}) VALUES ({marks})", tuple(told.values()))


def reveal(tx: Writer, import_id: str, *, hidden: str) -> dict[str, int]:
    """Give the spaces of an import their names, and return their numbers by these.

    Args:
        tx: the transaction.
        import_id: imp_...
        hidden: what an empty space that had one of the names is called from now on.

    Raises:
        InvalidInput: something has come into a space of that name.
    """
    rows = tx.execute("SELECT space_id, name FROM import_space WHERE import_id = ?", (import_id,)).fetchall()
    filled = occupied(tx, [row["name"] for row in rows])
    if filled:
        raise InvalidInput(f"The space {filled[0]!r} is not empty any more.", field="container_tag")
    for number, row in enumerate(rows):
        tx.execute("UPDATE space SET name = ? WHERE name = ?", (f"{hidden}:{number}", row["name"]))
        tx.execute("UPDATE space SET name = ? WHERE id = ?", (row["name"], row["space_id"]))
        # The next row comes after all that are there, whatever the export says.
        tx.execute(
            f"""
            UPDATE space SET next_row = max(next_row, 1 + coalesce(
                (SELECT max(search_row.id) & {ROW_MASK:d} FROM search_row WHERE {_ITS_ROWS}), 0))
            WHERE id = ?
            """,
            (row["space_id"],),
        )
    tx.execute("DELETE FROM import_space WHERE import_id = ?", (import_id,))
    return {row["name"]: row["space_id"] for row in rows}


def cut_off(db: Reader, space_id: int) -> list[Mapping[str, Any]]:
    """Return the jobs of a space that were under way when it was exported, oldest first."""
    query = """
        SELECT * FROM job WHERE space_id = ? AND state IN ('queued', 'running') AND kind IN ('document', 'conversation')
        ORDER BY id
    """
    return db.execute(query, (space_id,)).fetchall()


def requeue(tx: Writer, job_id: str, *, at: Micros) -> None:
    """Let a job that was cut off begin anew."""
    tx.execute("UPDATE job SET state = 'queued', updated_at = ? WHERE id = ?", (at, job_id))


def without_vector(db: Reader, names: Sequence[str]) -> int:
    """Return how many search rows of spaces have no vector of the serving generation."""
    query = f"""
        SELECT count(*) FROM space JOIN search_row ON {_ITS_ROWS}
        WHERE space.name IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
            SELECT 1 FROM vector JOIN generation ON generation.id = generation_id
            WHERE row_id = search_row.id AND generation.state = 'serving')
    """
    return int(db.execute(query, (ids_json(names),)).fetchone()[0])
