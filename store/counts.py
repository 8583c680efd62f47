"""Counts for statistics and the lanes view."""

from __future__ import annotations

from typing import Any

from memory.records import Micros, Scope
from store import job_bounds, sessions, spaces
from store.connection import Reader


def of_spaces(scope: Scope, db: Reader, *, at: Micros) -> dict[str, Any]:
    """Return counts of what a scope may see in its spaces.

    Args:
        scope: whose spaces; what is bound to another user, agent or session than it names is not counted.
        db: the store.
        at: now; a memory is live when a window holds at this time.
    """
    in_documents, documents = spaces.bounded(scope, db, "document")
    in_sessions, told = sessions.visible(scope, db)
    one = f"""
        SELECT (SELECT count(*) FROM document WHERE {in_documents} AND deleted_at IS NULL) AS documents,
               (SELECT count(*) FROM chunk JOIN document ON document.id = document_id AND revision = live_revision
                WHERE {in_documents} AND deleted_at IS NULL) AS chunks,
               (SELECT coalesce(sum(revision.tokens), 0) FROM revision JOIN document ON document.id = document_id
                AND revision = live_revision WHERE {in_documents} AND deleted_at IS NULL) AS document_tokens,
               (SELECT count(*) FROM session WHERE {in_sessions}) AS sessions,
               (SELECT count(*) FROM episode JOIN session ON session.id = session_id WHERE {in_sessions}) AS episodes,
               (SELECT coalesce(sum(tokens), 0) FROM episode JOIN session ON session.id = session_id
                WHERE {in_sessions}) AS episode_tokens
    """
    row = dict(db.execute(one, (*documents * 3, *told * 3)).fetchone())
    tokens = row.pop("document_tokens") + row.pop("episode_tokens")
    in_jobs, jobs = job_bounds.visible(scope, db)
    return {
        **row,
        "tokens": tokens,
        "memories": _memories(scope, db, at=at),
        "jobs": _by(db, f"SELECT job.state AS name, count(*) AS n FROM job WHERE {in_jobs} GROUP BY 1", jobs),
        "candidates": _candidates(scope, db, in_jobs, jobs),
    }


def _candidates(scope: Scope, db: Reader, in_jobs: str, jobs: list[Any]) -> dict[str, int]:
    """Count candidates: one belongs to whom its job is about, one that was written directly to whom its memory does."""
    in_memories, memories = spaces.bounded(scope, db, "memory")
    among, ids = spaces.among(list(spaces.find(scope, db).values()))
    query = f"""
        SELECT coalesce(outcome, 'open') AS name, count(*) AS n
        FROM candidate AS found LEFT JOIN job ON job.id = found.job_id
        WHERE found.space_id IN ({among}) AND iif(job.id IS NOT NULL, {in_jobs}, ? OR EXISTS (
            SELECT 1 FROM memory WHERE memory.id IN (found.memory_id, found.written_id) AND {in_memories}))
        GROUP BY 1
    """
    unbound = (scope.user, scope.agent, scope.session) == (None, None, None)
    return _by(db, query, [*ids, *jobs, unbound, *memories])


def _memories(scope: Scope, db: Reader, *, at: Micros) -> dict[str, int]:
    inside, values = spaces.bounded(scope, db, "memory")
    live = """EXISTS (SELECT 1 FROM validity WHERE row_id = memory.row_id AND retired_at IS NULL
                      AND valid_from <= ? AND valid_to > ?)"""
    found = db.execute(
        f"""
        SELECT count(*) AS versions, coalesce(sum(forgotten_at IS NOT NULL), 0) AS forgotten,
               coalesce(sum({live}), 0) AS live FROM memory WHERE {inside}
        """,
        (at, at, *values),
    ).fetchone()
    superseded = found["versions"] - found["live"] - found["forgotten"]
    return {"live": found["live"], "superseded": superseded, "forgotten": found["forgotten"]}


def _by(db: Reader, query: str, values: list[Any]) -> dict[str, int]:
    return {row["name"]: row["n"] for row in db.execute(query, values).fetchall()}


def open_work(db: Reader) -> dict[str, dict[str, Any]]:
    """Return, by queue, how many work items are ready and out and when the oldest was made."""
    # Counted in the partial index alone, which a long queue makes long; the oldest has the lowest id.
    rows = db.execute(
        """
        SELECT queue, state, number, created_at FROM work_item JOIN (
            SELECT min(id) AS first, count(*) AS number FROM work_item WHERE state IN ('ready', 'leased')
            GROUP BY queue, state) ON work_item.id = first
        """
    ).fetchall()
    waiting = db.execute(
        """
        SELECT count(*) AS ready, min(recorded_at) AS oldest FROM (
            SELECT recorded_at FROM candidate WHERE state = 'ready'
            UNION ALL SELECT recorded_at FROM request WHERE state = 'waiting')
        """
    ).fetchone()
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        one = found.setdefault(row["queue"], {"ready": 0, "leased": 0, "oldest": row["created_at"]})
        one[row["state"]], one["oldest"] = row["number"], min(one["oldest"], row["created_at"])
    if waiting["ready"]:
        found["reconcile"] = {"ready": waiting["ready"], "leased": 0, "oldest": waiting["oldest"]}
    return found
