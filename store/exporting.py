"""Reads a tenant or some of its spaces as lines, table by table, from one snapshot and row by row."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from memory.records import BEGINNING, FOREVER, Scope
from store import generations
from store.connection import Reader
from store.transfer_conditions import Conditions, Sql
from store.transfer_plan import BUCKET, CANDIDATE, PARTS, ROW, ROW_BITS, ROW_MASK, SPACE, Part

Line = dict[str, Any]


def lines(scope: Scope, db: Reader, *, vectors: bool, whole: bool) -> Iterator[Line]:
    """Yield the lines of an export, in an order in which each can be inserted after those before it.

    Args:
        scope: whose; of a user or agent only what is theirs or nobody's.
        db: the store; one snapshot for all lines.
        vectors: whether search rows have their vectors with them.
        whole: whether what belongs to the tenant and to no space is told too.
    """
    reading = _Reading(scope, db, vectors=vectors)
    for part in PARTS:
        if whole or not part.whole:
            yield from reading.lines(part)


def model(db: Reader) -> Mapping[str, Any] | None:
    """Return which model made the vectors that are searched: `model` and `dimension`; None when there are none."""
    serving = generations.serving(db)
    return None if serving is None else {"model": serving.model, "dimension": serving.dimension}


def open_jobs(scope: Scope, db: Reader) -> int:
    """Return how many of the jobs that an export tells of are under way."""
    condition, values = Conditions(scope, db).of(next(part for part in PARTS if part.name == "job"))
    query = f"SELECT count(*) FROM job WHERE {condition} AND state IN ('queued', 'running')"
    return int(db.execute(query, values).fetchone()[0])


class _Reading:
    """The rows and names of one export."""

    def __init__(self, scope: Scope, db: Reader, *, vectors: bool) -> None:
        self._scope, self._db, self._vectors = scope, db, vectors
        self._conditions = Conditions(scope, db)
        self._spaces = self._conditions.spaces
        self._windows: Sql = ("", [])  # of the search rows that are being read
        serving = generations.serving(db)
        self._generation = serving.id if serving else None
        self._renumbered: dict[int, int] = {}

    def lines(self, part: Part) -> Iterator[Line]:
        chosen, values = self._chosen(part)
        for condition, more in self._runs(part):
            query = f"SELECT {', '.join(chosen)} FROM {part.table} WHERE {condition} ORDER BY {part.order}"
            for row in self._db.execute(query, values + more):
                yield {"line": part.name, **self._values(part, row)}

    def _runs(self, part: Part) -> Iterator[Sql]:
        """Yield the conditions by which a table is read: search rows space by space, as their numbers are."""
        if part.name != "row":
            yield self._conditions.of(part)
            return
        for number, name in sorted(self._spaces.items(), key=lambda pair: pair[1]):
            one = Conditions(replace(self._scope, spaces=(name,)), self._db)
            self._windows = one.windows()
            condition, values = one.of(part)
            bounds = f"id BETWEEN {number << ROW_BITS:d} AND {(number + 1 << ROW_BITS) - 1:d}"
            yield f"{bounds} AND {condition}", values

    def _chosen(self, part: Part) -> tuple[list[str], list[Any]]:
        """Return what is read of each row, with the values in it."""
        columns = self._columns(part)
        read = [self._conditions.column(part, name) for name in columns]
        chosen, values = [sql for sql, _ in read], [value for _, more in read for value in more]
        chosen += [f"{sql} AS {name}" for name, sql in part.added.items()]
        if CANDIDATE in columns:
            chosen.append(f"(SELECT source_key FROM candidate WHERE seq = {part.table}.{CANDIDATE}) AS candidate")
        if BUCKET in columns:
            chosen.append(f"(SELECT key FROM bucket WHERE id = {part.table}.{BUCKET}) AS bucket")
        if part.name == "row":
            chosen.append("id AS own_id")
        return chosen, values

    def _columns(self, part: Part) -> list[str]:
        known = self._db.execute(f"SELECT name FROM pragma_table_info('{part.table}')").fetchall()
        return [row["name"] for row in known if row["name"] not in part.left_out]

    def _number(self, row_id: int) -> int:
        if not self._conditions.is_narrow:
            return row_id & ROW_MASK
        return self._renumbered.setdefault(row_id, len(self._renumbered) + 1)

    def _values(self, part: Part, row: Mapping[str, Any]) -> Line:
        told: Line = {}
        for name in row.keys():  # noqa: SIM118 (a row of SQLite is no mapping)
            value = row[name]
            if value is None or name in (CANDIDATE, BUCKET):
                continue
            if name == "own_id":
                told.update(self._search_row(value))
            elif name == SPACE:
                told["space"] = self._spaces[value]
            elif name == ROW:
                told["row"], told["space"] = self._number(value), self._spaces[value >> ROW_BITS]
            elif name in part.json:
                told[name] = json.loads(value)
            else:
                told[name] = base64.b64encode(value).decode() if isinstance(value, bytes) else value
        return told

    def _search_row(self, row_id: int) -> Line:
        query, values = self._windows
        windows = self._db.execute(query, (*values, row_id)).fetchall()
        told: Line = {"row": self._number(row_id), "windows": [_window(one) for one in windows]}
        if self._vectors:
            query = "SELECT data FROM vector WHERE row_id = ? AND generation_id = ?"
            found = self._db.execute(query, (row_id, self._generation)).fetchone()
            if found is not None:
                told["vector"] = base64.b64encode(found["data"]).decode()
        return told


def _window(row: Mapping[str, Any]) -> Line:
    """Return a window; an end that is open is left out."""
    told = {name: row[name] for name in row.keys() if name not in ("id", "row_id")}  # noqa: SIM118
    return {name: value for name, value in told.items() if value not in (None, BEGINNING, FOREVER)}
