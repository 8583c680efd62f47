"""What an erasure is to reach: how its target is found, which rows belong to it, and how many those are.

Erasing alone reaches what was put away; every other read goes from names to spaces and finds nothing there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import Ambiguous, NotFound
from memory.records import Scope
from store import deletions, documents, spaces
from store.connection import Reader
from store.erasure import ErasureKind

# What belongs to a target. The values are bound by name: `target` and `space`.
_NOTHING, _ALL = "0", "1"
# A space, and those of the same name that were put away before it.
SPACES = """
    (SELECT :space UNION SELECT space_id FROM deletion WHERE name = :target AND restored_at IS NULL)
"""
DOCUMENTS: Mapping[ErasureKind, str] = {
    "subject": "document.user_id = :target", "document": "document.id = :target",
    "space": f"document.space_id IN {SPACES}", "tenant": _ALL, "memory": _NOTHING,
}  # fmt: skip
SESSIONS: Mapping[ErasureKind, str] = {
    "subject": "session.user_id = :target", "space": f"session.space_id IN {SPACES}", "tenant": _ALL,
    "document": _NOTHING, "memory": _NOTHING,
}  # fmt: skip
MEMORIES: Mapping[ErasureKind, str] = {
    "subject": "memory.user_id = :target", "memory": "memory.root_id = :target",
    "space": f"memory.space_id IN {SPACES}", "tenant": _ALL, "document": _NOTHING,
}  # fmt: skip
JOBS: Mapping[ErasureKind, str] = {
    "subject": _NOTHING, "document": _NOTHING, "memory": _NOTHING, "space": f"job.space_id IN {SPACES}", "tenant": _ALL,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is erased."""

    kind: ErasureKind
    id: str  # a user, a document, the first version of a memory, a space's name, or the tenant
    space_id: int | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """The values of the conditions."""
        return {"target": self.id, "space": self.space_id}


def from_target(kind: ErasureKind, table: str) -> str:
    """Return the condition that a source, under this name in a query, is of a document or conversation that goes."""
    return f"""
        ({table}.document_id IN (SELECT id FROM document WHERE {DOCUMENTS[kind]})
         OR {table}.episode_id IN (SELECT episode.id FROM episode JOIN session ON session.id = session_id
                                   WHERE {SESSIONS[kind]}))
    """


def memories_that_go(kind: ErasureKind) -> str:
    """Return the condition of memories that belong to a target, or rest on nothing else."""
    return f"""
        ({MEMORIES[kind]} OR (
            memory.id IN (SELECT source.memory_id FROM source WHERE {from_target(kind, "source")})
            AND NOT EXISTS (SELECT 1 FROM source AS other WHERE other.memory_id = memory.id
                            AND other.retired_at IS NULL AND NOT coalesce({from_target(kind, "other")}, 0))))
    """


def find_document(scope: Scope, db: Reader, ref: str, *, every: bool) -> str:
    """Return the id of a document named by id or customId, or by the id of one that was deleted.

    Args:
        scope: whose; live documents of its spaces come first, then those of spaces that were put away.
        db: the store.
        ref: id or customId.
        every: whether the scope stands for every name, those that no space has now too.

    Raises:
        NotFound: there is none.
        Ambiguous: several spaces of the scope use the customId.
    """
    found = documents.find(scope, db, ref)
    if found is not None:
        return found.id
    reached, values = _reached(scope, db, "document", every=every)
    rows = db.execute(
        f"""
        SELECT id FROM document WHERE {reached} AND (id = ? OR (custom_id = ? AND deleted_at IS NULL))
        ORDER BY id = ? DESC LIMIT 2
        """,
        (*values, ref, ref, ref),
    ).fetchall()
    if not rows:
        raise NotFound(f"No document {ref!r} in this space.", field="id")
    if len(rows) > 1 and rows[0]["id"] != ref:
        raise Ambiguous(f"Several deleted container tags have a document {ref!r}; use the id.", field="id")
    return str(rows[0]["id"])


def find_chain(scope: Scope, db: Reader, memory_id: str, *, every: bool) -> str:
    """Return the first version of the chain that a memory is of.

    Args:
        scope: whose; its spaces, and those of their names that were put away.
        db: the store.
        memory_id: of any version.
        every: as in `find_document`.

    Raises:
        NotFound: there is none.
    """
    reached, values = _reached(scope, db, "memory", every=every)
    row = db.execute(f"SELECT root_id FROM memory WHERE id = ? AND {reached}", (memory_id, *values)).fetchone()
    if row is None:
        raise NotFound(f"No memory {memory_id!r} in this space.", field="id")
    return str(row["root_id"])


def _reached(scope: Scope, db: Reader, table: str, *, every: bool) -> tuple[str, list[Any]]:
    ids = (*spaces.find(scope, db).values(), *deletions.put_away_spaces(scope, db, every=every))
    return spaces.within(scope, ids, table)


def preview(db: Reader, target: Target) -> dict[str, int]:
    """Count what an erasure would reach; nothing is written."""
    kind = target.kind
    of_documents, of_sessions = DOCUMENTS[kind], SESSIONS[kind]
    queries = {
        "documents": f"SELECT count(*) FROM document WHERE {of_documents}",
        "conversations": f"SELECT count(*) FROM session WHERE {of_sessions}",
        "messages": f"SELECT count(*) FROM episode JOIN session ON session.id = session_id WHERE {of_sessions}",
        "memories": f"SELECT count(*) FROM memory WHERE {memories_that_go(kind)}",
        "memories_kept": f"""
            SELECT count(DISTINCT memory.id) FROM source JOIN memory ON memory.id = memory_id
            WHERE {from_target(kind, "source")} AND NOT {memories_that_go(kind)}
        """,
    }
    return {name: db.execute(query, target.values).fetchone()[0] for name, query in queries.items()}
