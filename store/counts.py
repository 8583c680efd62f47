"""Counts for statistics and the lanes view."""

from __future__ import annotations

from typing import Any

from memory.records import Micros, Scope
from store import spaces
from store.connection import Reader


def of_spaces(scope: Scope, db: Reader, *, at: Micros) -> dict[str, Any]:
    """Return counts of what the scope's spaces hold.

    Args:
        scope: whose spaces.
        db: the store.
        at: now; a memory is live when a window holds at this time.
    """
    ids = list(spaces.find(scope, db).values())
    inside = f"space_id IN ({','.join('?' * len(ids))})"
    live = """EXISTS (SELECT 1 FROM validity WHERE row_id = memory.row_id AND retired_at IS NULL
                      AND valid_from <= ? AND valid_to > ?)"""
    one = f"""
        SELECT (SELECT count(*) FROM document WHERE {inside} AND deleted_at IS NULL) AS documents,
               (SELECT count(*) FROM chunk JOIN document ON document.id = document_id AND revision = live_revision
                WHERE {inside} AND deleted_at IS NULL) AS chunks,
               (SELECT count(*) FROM session WHERE {inside}) AS sessions,
               (SELECT count(*) FROM episode JOIN session ON session.id = session_id WHERE {inside}) AS episodes,
               (SELECT coalesce(sum(revision.tokens), 0) FROM revision JOIN document ON document.id = document_id
                AND revision = live_revision WHERE {inside} AND deleted_at IS NULL) AS document_tokens,
               (SELECT coalesce(sum(tokens), 0) FROM episode JOIN session ON session.id = session_id
                WHERE {inside}) AS episode_tokens
    """
    row = dict(db.execute(one, tuple(ids) * 6).fetchone())
    tokens = row.pop("document_tokens") + row.pop("episode_tokens")
    found = db.execute(
        f"""
        SELECT count(*) AS versions, coalesce(sum(forgotten_at IS NOT NULL), 0) AS forgotten,
               coalesce(sum({live}), 0) AS live FROM memory WHERE {inside}
        """,
        (at, at, *ids),
    ).fetchone()
    superseded = found["versions"] - found["live"] - found["forgotten"]
    memories = {"live": found["live"], "superseded": superseded, "forgotten": found["forgotten"]}
    return {
        **row,
        "tokens": tokens,
        "memories": memories,
        "jobs": _by(db, f"SELECT state AS name, count(*) AS n FROM job WHERE {inside} GROUP BY 1", ids),
        "candidates": _by(
            db, f"SELECT coalesce(outcome, 'open') AS name, count(*) AS n FROM candidate WHERE {inside} GROUP BY 1", ids
        ),
    }


def _by(db: Reader, query: str, ids: list[int]) -> dict[str, int]:
    return {row["name"]: row["n"] for row in db.execute(query, ids).fetchall()}


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
