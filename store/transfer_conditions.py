"""Which rows an export tells of, and which of their references: whatever it names it tells of too, in the same space.

So an import can refuse any line that names something else, and what one caller may not see is neither told nor named.
"""

from __future__ import annotations

from typing import Any

from memory.records import Scope
from store import sessions, spaces
from store.connection import Reader
from store.transfer_plan import BUCKET, CANDIDATE, PARTS, ROW_BITS, SPACE, Part, refers

Sql = tuple[str, list[Any]]  # a piece of a query, and its values in the order in which it has them

_PARTS = {part.table: part for part in PARTS}
# Of which space the rows of a table are that has no such column.
_DOCUMENTS = "(SELECT space_id FROM document WHERE document.id = {table}.document_id)"
_MEMORIES = "(SELECT space_id FROM memory WHERE memory.id = {table}.memory_id)"
_SPACE_OF = {
    "chunk": _DOCUMENTS, "revision": _DOCUMENTS, "revision_source": _DOCUMENTS, "belief": _MEMORIES,
    "source": _MEMORIES, "bucket_memory": _MEMORIES,
    "episode": "(SELECT space_id FROM session WHERE session.id = {table}.session_id)",
    "judgement": "(SELECT space_id FROM candidate WHERE candidate.seq = {table}.candidate_seq)",
    "relabelling": "(SELECT space_id FROM decision WHERE decision.id = {table}.decision_id)",
    "validity": f"({{table}}.row_id >> {ROW_BITS:d})",
}  # fmt: skip
# References that are left out when what they name is not told. Where one is needed the whole row is.
_LEFT_OUT: dict[str, tuple[str, ...]] = {
    "revision": ("job_id",), "session": ("job_id",), "memory": ("job_id",), "source": ("job_id", "chunk_id"),
    "candidate": ("job_id", "chunk_id", "memory_id", "written_id"), "review": ("decision_id",),
    "bucket_memory": ("decision_id",),
}  # fmt: skip
_NEEDED: dict[str, tuple[str, ...]] = {
    "job": ("document_id", "session_id"), "source": ("document_id", "episode_id"), "tombstone": ("memory_id",),
    "candidate": ("document_id", "episode_id"), "decision": (CANDIDATE, "memory_id", "other_id"),
    "judgement": (CANDIDATE, "memory_id", "decision_id"), "relabelling": ("decision_id",),
    "review": (CANDIDATE, "memory_id"), "bucket_memory": (BUCKET,),
}  # fmt: skip
# Of what a table must not be empty the empty id stands for no job.
_NO_JOB = frozenset(("revision", "candidate"))


class Conditions:
    """The conditions of one export."""

    def __init__(self, scope: Scope, db: Reader) -> None:
        """Find out what a caller may see.

        Args:
            scope: whose; of a user or agent only what is theirs or nobody's.
            db: the store.
        """
        self._scope, self._db = scope, db
        self.spaces = {number: name for name, number in spaces.find(scope, db).items()}
        # Who sees a part of a space must not learn from the numbers how much else there is.
        self.is_narrow = (scope.user, scope.agent, scope.session) != (None, None, None)

    def of(self, part: Part) -> Sql:
        """Return the condition that holds for the rows of a part."""
        known = {
            "space": spaces.among(list(self.spaces)),
            "docs": _ids("document", spaces.bounded(self._scope, self._db, "document")),
            "sessions": _ids("session", sessions.visible(self._scope, self._db)),
            "memories": _ids("memory", spaces.bounded(self._scope, self._db, "memory")),
            "owned": self._owned(part.table) if "{owned}" in part.where else ("0", []),
            "table": (part.table, []),
        }
        where, values = _filled(part.where + self._narrowed(part), known)
        for column in _NEEDED.get(part.table, ()):
            told, more = self._is_told(part.table, column)
            where += f" AND ({part.table}.{column} IS NULL OR {told})"
            values += more
        return where, values

    def _narrowed(self, part: Part) -> str:
        """Return what of a part who sees a part of a space must not be told besides."""
        if not self.is_narrow:
            return ""
        # What was written directly has neither document nor episode: it is whose the memory is.
        more = {
            "candidate": " AND candidate.memory_id IN ({memories})",
            "job": " AND coalesce(document_id, session_id) IS NOT NULL",
        }
        return more.get(part.name, "")

    def column(self, part: Part, name: str) -> Sql:
        """Return what is told of a column: of a reference nothing where what it names is not told."""
        plain = f"{part.table}.{name}"
        if part.name == "candidate" and name == "vector":
            # Of another model than the header names it would be taken for one of that.
            return f"CASE WHEN generation_id = ({_SERVING}) THEN vector END AS vector", []
        if part.table == "memory" and name in ("root_id", "parent_id") and self.is_narrow:
            return self._version(name)
        if name not in _LEFT_OUT.get(part.table, ()):
            return plain, []
        told, values = self._is_told(part.table, name)
        other = "''" if name == "job_id" and part.table in _NO_JOB else "NULL"
        return f"CASE WHEN {told} THEN {plain} ELSE {other} END AS {name}", values

    def windows(self) -> Sql:
        """Return the query of the windows of a search row, which is its last value."""
        told, values = self._is_told("validity", "job_id")
        rows = self._db.execute("SELECT name FROM pragma_table_info('validity')").fetchall()
        columns = ["id", *(row["name"] for row in rows if row["name"] not in ("id", "job_id"))]
        return (
            f"SELECT {', '.join(columns)}, CASE WHEN {told} THEN job_id END AS job_id FROM validity WHERE row_id = ?"
            " ORDER BY recorded_at, valid_from, valid_to, id",
            values,
        )

    def _version(self, name: str) -> Sql:
        """Return the version before one, or the first one, of those that are told."""
        seen, values = _ids("memory", spaces.bounded(self._scope, self._db, "memory"))
        if name == "parent_id":
            return f"CASE WHEN memory.parent_id IN ({seen}) THEN memory.parent_id END AS parent_id", values
        query = f"""
            (SELECT one.id FROM memory AS one WHERE one.root_id = memory.root_id AND one.id IN ({seen})
             ORDER BY one.version LIMIT 1) AS root_id
        """
        return query, values

    def _is_told(self, table: str, column: str) -> Sql:
        """Return the condition that what a column names is told, in the same space."""
        named = {CANDIDATE: "candidate", BUCKET: "bucket"}.get(column)
        named = named or ("job" if table == "validity" else refers(_PARTS[table])[column])
        key = "seq" if named == "candidate" else "id"
        where, values = self.of(_PARTS[named])
        told = (
            f"EXISTS (SELECT 1 FROM {named} WHERE {named}.{key} = {table}.{column} AND {where}"
            f" AND {_space_of(named)} = {_space_of(table)})"
        )
        # What was asked for directly was done by a request, which is no row of an export.
        return (f"(substr({table}.{column}, 1, 4) = 'req_' OR {told})" if named == "job" else told), values

    def _owned(self, table: str) -> Sql:
        if table != "tombstone":
            return spaces.bounded(self._scope, self._db, table)
        # It has no session.
        scope = Scope(
            tenant=self._scope.tenant, spaces=self._scope.spaces, user=self._scope.user, agent=self._scope.agent
        )
        return spaces.bounded(scope, self._db, table)


_SERVING = "SELECT id FROM generation WHERE state = 'serving'"


def _space_of(table: str) -> str:
    return _SPACE_OF.get(table, f"{{table}}.{SPACE}").replace("{table}", table)


def _ids(table: str, condition: Sql) -> Sql:
    return f"SELECT {table}.id FROM {table} WHERE {condition[0]}", condition[1]


def _filled(where: str, known: dict[str, Sql]) -> Sql:
    """Put pieces in the places that are named for them, and their values in the same order."""
    values: list[Any] = []
    pieces: list[str] = []
    rest = where
    while "{" in rest:
        before, _, after = rest.partition("{")
        name, _, rest = after.partition("}")
        pieces += [before, known[name][0]]
        values += known[name][1]
    return "".join((*pieces, rest)), values
