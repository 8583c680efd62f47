"""Reads a tenant or some of its spaces as lines, table by table, from one snapshot and row by row."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from memory.records import BEGINNING, FOREVER, Scope
from store import generations, sessions, spaces
from store.connection import Reader
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
    condition, values = _Reading(scope, db, vectors=False).condition(next(part for part in PARTS if part.name == "job"))
    query = f"SELECT count(*) FROM job WHERE {condition} AND state IN ('queued', 'running')"
    return int(db.execute(query, values).fetchone()[0])


class _Reading:
    """The conditions and names of one export."""

    def __init__(self, scope: Scope, db: Reader, *, vectors: bool) -> None:
        self._scope, self._db, self._vectors = scope, db, vectors
        self._spaces = {number: name for name, number in spaces.find(scope, db).items()}
        serving = generations.serving(db)
        self._generation = serving.id if serving else None
        # Who sees a part of a space must not learn from the numbers how much else there is.
        self._narrow = (scope.user, scope.agent, scope.session) != (None, None, None)
        self._renumbered: dict[int, int] = {}

    def lines(self, part: Part) -> Iterator[Line]:
        columns = self._columns(part)
        condition, values = self.condition(part)
        chosen = [f"{part.table}.{name}" for name in columns]
        chosen += [f"{sql} AS {name}" for name, sql in part.added.items()]
        if CANDIDATE in columns:
            chosen.append(f"(SELECT source_key FROM candidate WHERE seq = {part.table}.{CANDIDATE}) AS candidate")
        if BUCKET in columns:
            chosen.append(f"(SELECT key FROM bucket WHERE id = {part.table}.{BUCKET}) AS bucket")
        if part.name == "candidate":
            # Of another model than the header names it would be taken for one of that.
            own = f"CASE WHEN generation_id IS {self._generation or 'NULL'} THEN vector END AS vector"
            chosen = [own if name == "candidate.vector" else name for name in chosen]
        if part.name == "row":
            chosen.append("id AS own_id")
        query = f"SELECT {', '.join(chosen)} FROM {part.table} WHERE {condition}"
        for within in self._runs(part):
            for row in self._db.execute(f"{query} {within} ORDER BY {part.order}", values):
                yield {"line": part.name, **self._values(part, row)}

    def _runs(self, part: Part) -> list[str]:
        """Return the runs in which a table is read: search rows by the names of spaces, numbered by each file."""
        if part.name != "row":
            return [""]
        return [
            f"AND id BETWEEN {number << ROW_BITS:d} AND {(number + 1 << ROW_BITS) - 1:d}"
            for number, _ in sorted(self._spaces.items(), key=lambda pair: pair[1])
        ]

    def _columns(self, part: Part) -> list[str]:
        known = self._db.execute(f"SELECT name FROM pragma_table_info('{part.table}')").fetchall()
        left_out = {*part.left_out, *(("next_row",) if self._narrow else ())}
        return [row["name"] for row in known if row["name"] not in left_out]

    def _number(self, row_id: int) -> int:
        if not self._narrow:
            return row_id & ROW_MASK
        return self._renumbered.setdefault(row_id, len(self._renumbered) + 1)

    def condition(self, part: Part) -> tuple[str, list[Any]]:
        """Return the condition of a part with its values, in the order in which it names them."""
        numbers = ",".join(map(str, self._spaces)) or "NULL"
        docs = _ids("document", *spaces.bounded(self._scope, self._db, "document"))
        seen = _ids("session", *sessions.visible(self._scope, self._db))
        facts = _ids("memory", *spaces.bounded(self._scope, self._db, "memory"))
        owned = ("0", []) if "{owned}" not in part.where else self._owned(part.table)
        said = (f"SELECT episode.id FROM episode WHERE session_id IN ({seen[0]})", seen[1])
        candidates = (
            f"candidate.space_id IN ({numbers}) AND (candidate.state = 'settled')"
            f" AND (candidate.document_id IS NULL OR candidate.document_id IN ({docs[0]}))"
            f" AND (candidate.episode_id IS NULL OR candidate.episode_id IN ({said[0]}))",
            [*docs[1], *said[1]],
        )
        if self._narrow:
            # What was written directly has neither document nor episode: it is whose the memory is.
            candidates = (f"{candidates[0]} AND candidate.memory_id IN ({facts[0]})", [*candidates[1], *facts[1]])
        known = {"docs": docs, "sessions": seen, "memories": facts, "owned": owned, "candidates": candidates}
        where = part.where
        if self._narrow and part.name == "job":
            where += " AND coalesce(document_id, session_id) IS NOT NULL"
        return _filled(where.replace("{table}", part.table).replace("{space}", numbers), known)

    def _owned(self, table: str) -> tuple[str, list[Any]]:
        if table != "tombstone":
            return spaces.bounded(self._scope, self._db, table)
        # It has no session.
        scope = Scope(
            tenant=self._scope.tenant, spaces=self._scope.spaces, user=self._scope.user, agent=self._scope.agent
        )
        return spaces.bounded(scope, self._db, table)

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
        windows = self._db.execute(
            "SELECT * FROM validity WHERE row_id = ? ORDER BY recorded_at, valid_from, valid_to, id", (row_id,)
        ).fetchall()
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


def _ids(table: str, condition: str, values: list[Any]) -> tuple[str, list[Any]]:
    return f"SELECT {table}.id FROM {table} WHERE {condition}", values


def _filled(where: str, known: Mapping[str, tuple[str, list[Any]]]) -> tuple[str, list[Any]]:
    """Put conditions in the places that are named for them, and their values in the same order."""
    values: list[Any] = []
    pieces: list[str] = []
    rest = where
    while "{" in rest:
        before, _, after = rest.partition("{")
        name, _, rest = after.partition("}")
        pieces += [before, known[name][0]]
        values += known[name][1]
    return "".join((*pieces, rest)), values
