"""Erases the rows of a target in the order in which they can go, a batch at a time.

Each step looks for what is left, so a run that was cut off goes on where it stopped. `store.erasure_plan` says of every
column that can hold text how it is reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.records import Micros
from store import attribution, sources, wording
from store import erasing_memories as of_memories
from store.connection import Writer
from store.erasing_memories import ids_json, note_metadata
from store.erasing_targets import DOCUMENTS, JOBS, SESSIONS, Target, from_target, memories_that_go

# Rows of a transaction, about: 500 memories with their windows and terms are some 50 ms.
BATCH = 500
# A job, document or conversation brings its own rows along, so fewer go together.
_WHOLES = 20


@dataclass(slots=True, kw_only=True)
class Pass:
    """One transaction of an erasure."""

    tx: Writer
    target: Target
    at: Micros
    bury: Callable[..., None]  # remembers (kind, *parts) as erased
    note: Callable[[str], None]  # is told every text that goes
    counts: Counter[str] = field(default_factory=Counter)
    open_jobs: set[str] = field(default_factory=set)  # jobs that go on without what was erased
    reworded: list[str] = field(default_factory=list)  # memories that say it in other words, which are owed a vector

    def rows(self, query: str, **more: Any) -> list[Any]:
        """Run a query with the target's values."""
        return self.tx.execute(query, {**self.target.values, **more}).fetchall()

    def drop(self, table: str, column: str, values: Sequence[Any]) -> int:
        """Delete the rows whose column has one of these values."""
        gone = self.tx.execute(
            f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (ids_json(values),)
        )
        return gone.rowcount


def erase_some(p: Pass, *, most: int = BATCH) -> bool:
    """Erase a batch of what belongs to a target.

    Args:
        p: the transaction; its counts say what went.
        most: rows, about.

    Returns:
        True when nothing is left; `sweep` comes last, in the same transaction.
    """
    left = most
    for step in _STEPS:
        while left > 0 and (done := step(p, left)):
            left -= done
        if left <= 0:
            return False
    return True


def _jobs(p: Pass, most: int) -> int:
    """Erase jobs with their items, questions and candidates: what is still under way finds nothing to settle."""
    kind = p.target.kind
    found = p.rows(
        f"""
        SELECT id FROM job WHERE {JOBS[kind]} OR document_id IN (SELECT id FROM document WHERE {DOCUMENTS[kind]})
        OR session_id IN (SELECT id FROM session WHERE {SESSIONS[kind]}) LIMIT :most
        """,
        most=min(most, _WHOLES),
    )
    jobs = [row["id"] for row in found]
    if jobs:
        rows = p.tx.execute(
            "SELECT seq FROM candidate WHERE job_id IN (SELECT value FROM json_each(?))", (ids_json(jobs),)
        ).fetchall()
        p.counts["candidates"] += of_memories.drop_candidates(p.tx, [row["seq"] for row in rows], p.note)
        for table in ("work_item", "tally"):
            p.drop(table, "job_id", jobs)
        p.tx.execute(
            "DELETE FROM request WHERE actor_kind = 'pipeline' AND actor_id IN (SELECT value FROM json_each(?))",
            (ids_json(jobs),),
        )
        p.counts["jobs"] += p.drop("job", "id", jobs)
    return len(jobs)


def _memories(p: Pass, most: int) -> int:
    found = p.rows(f"SELECT memory.id FROM memory WHERE {memories_that_go(p.target.kind)} LIMIT :most", most=most)
    ids = [row["id"] for row in found]
    if ids:
        if p.target.kind == "memory":
            of_memories.bury_statements(p.tx, ids, p.bury)
        _drop_memories(p, ids)
    return len(ids)


def _drop_memories(p: Pass, ids: Sequence[str]) -> None:
    for root in of_memories.roots(p.tx, ids):
        p.bury("memory", root)
    gone = of_memories.drop_memories(p.tx, ids, equal=p.target.kind == "memory", at=p.at, note=p.note)
    p.counts["memories"] += len(ids)
    p.counts["decisions"] += gone.decisions
    p.counts["candidates"] += gone.candidates
    p.open_jobs |= gone.open_jobs


def _sources(p: Pass, most: int) -> int:
    """Take the erased sources from memories that others support too."""
    found = p.rows(
        f"SELECT id, memory_id, quote FROM source WHERE {from_target(p.target.kind, 'source')} LIMIT :most", most=most
    )
    if found:
        for row in found:
            p.note(row["quote"] or "")
        p.drop("source", "id", [row["id"] for row in found])
        kept = {row["memory_id"] for row in found}
        of_memories.recount(p.tx, sorted(kept), at=p.at)
        renewed = {memory_id: wording.renew(p.tx, memory_id, at=p.at, note=p.note) for memory_id in sorted(kept)}
        unsaid = [memory_id for memory_id, said in renewed.items() if said is None]
        if unsaid:
            _drop_memories(p, unsaid)
        p.reworded += [memory_id for memory_id, said in renewed.items() if said]
        _attribute(p, sorted(kept.difference(unsaid)))
    return len(found)


def _attribute(p: Pass, kept: Sequence[str]) -> None:
    kind = p.target.kind
    theirs = attribution.erased_metadata(p.tx, DOCUMENTS[kind], SESSIONS[kind], p.target.values)
    for memory_id in kept:
        attribution.renew(p.tx, memory_id, erased_metadata=theirs, at=p.at)
    p.counts["memories_kept"] += len(kept)


def _chunks(p: Pass, most: int) -> int:
    condition = DOCUMENTS[p.target.kind]
    found = p.rows(
        f"""
        SELECT chunk.id, row_id FROM chunk JOIN document ON document.id = document_id WHERE {condition} LIMIT :most
        """,
        most=most,
    )
    if found:
        p.counts["chunks"] += p.drop("chunk", "id", [row["id"] for row in found])
        shared = {row["row_id"] for row in found if row["row_id"] is not None}
        rows = p.tx.execute(
            """
            SELECT value AS row_id FROM json_each(?)
            WHERE NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.row_id = value)
            """,
            (ids_json(sorted(shared)),),
        ).fetchall()
        of_memories.drop_rows(p.tx, [row["row_id"] for row in rows], at=p.at)
    return len(found)


def _documents(p: Pass, most: int) -> int:
    condition = DOCUMENTS[p.target.kind]
    found = p.rows(
        f"SELECT id, title, custom_id, metadata, entity_context FROM document WHERE {condition} LIMIT :most",
        most=min(most, _WHOLES),
    )
    ids = [row["id"] for row in found]
    if not ids:
        return 0
    for row in found:
        p.note(row["title"] or "")
        p.note(row["entity_context"] or "")
        note_metadata(row["metadata"], p.note)
        p.bury("document", row["id"])
    contents = p.tx.execute(
        "SELECT content FROM revision WHERE document_id IN (SELECT value FROM json_each(?))", (ids_json(ids),)
    )
    for row in contents:
        p.note(row["content"])
    for said in sources.texts_of(p.tx, ids):
        p.note(said)
    p.counts["files"] += p.drop("revision_source", "document_id", ids)
    p.counts["revisions"] += p.drop("revision", "document_id", ids)
    of_memories.drop_unknown(p.tx, "document_id", ids)
    p.counts["documents"] += p.drop("document", "id", ids)
    return len(ids)


def _sessions(p: Pass, most: int) -> int:
    """Erase conversations: of a subject the texts, names and salts, so that the ledger's chain stays whole."""
    found = p.rows(
        f"""
        SELECT session.id, conversation_id, session.metadata, space.name AS space FROM session
        JOIN space ON space.id = space_id WHERE {SESSIONS[p.target.kind]} LIMIT :most
        """,
        most=min(most, _WHOLES),
    )
    ids = [row["id"] for row in found]
    for row in found:
        note_metadata(row["metadata"], p.note)
        if row["conversation_id"] is not None:
            p.bury("conversation", row["space"], row["conversation_id"])
    said = p.tx.execute(
        "SELECT content, metadata FROM episode WHERE session_id IN (SELECT value FROM json_each(?))", (ids_json(ids),)
    ).fetchall()
    for row in said:
        p.note(row["content"])
        note_metadata(row["metadata"], p.note)
    p.counts["messages"] += len(said)
    p.counts["conversations"] += len(ids)
    (_blank_sessions if p.target.kind == "subject" else _drop_sessions)(p, ids)
    return len(ids)


def _blank_sessions(p: Pass, ids: Sequence[str]) -> None:
    named = (ids_json(ids),)
    p.tx.execute(
        """
        UPDATE episode SET content = '', name = NULL, metadata = '{}', salt = x'', occurred_at = NULL, zone = NULL
        WHERE session_id IN (SELECT value FROM json_each(?))
        """,
        named,
    )
    p.tx.execute(
        """
        UPDATE session SET conversation_id = NULL, metadata = '{}', user_id = NULL, agent_id = NULL, job_id = NULL
        WHERE id IN (SELECT value FROM json_each(?))
        """,
        named,
    )


def _drop_sessions(p: Pass, ids: Sequence[str]) -> None:
    p.drop("episode", "session_id", ids)
    p.drop("session", "id", ids)


_STEPS: tuple[Callable[[Pass, int], int], ...] = (_jobs, _memories, _sources, _chunks, _documents, _sessions)
