"""What changed between two times of the recorded clock, read from the truth itself and not from the pruned feed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memory.records import Actor, Micros, Page, Scope
from memory.records.walks import Change, ChangeKind
from memory.statements import attributed
from store import spaces
from store.connection import Reader
from store.paging import decode_cursor, encode_cursor

# What the cursor of this listing is sorted by.
SORTED_BY = "changes.at"
# How a retirement names what took a memory's place.
SUPERSEDED_BY = re.compile(r"superseded by (mem_\w+)")
CORRECTED = "corrected"

# A version that continues a chain is told as what became of the one before; only what begins one, or makes a forgotten
# or retired one live again, is told by itself. The successor of a retired version was recorded in the same commit. A
# window that had ended already is only retired to be dated anew.
_EVENTS = """
    SELECT memory.recorded_at AS at, CASE memory.model WHEN 'restored' THEN 'restored' ELSE 'learned' END AS kind,
           memory.id, memory.space_id, memory.id AS memory_id, NULL AS candidate_seq, memory.parent_id AS other_id,
           memory.version_reason AS reason, memory.actor_kind, memory.actor_id
    FROM memory LEFT JOIN memory AS parent ON parent.id = memory.parent_id
    WHERE {memory} AND memory.recorded_at >= ? AND memory.recorded_at < ?
      AND (parent.id IS NULL OR memory.historic OR memory.model = 'restored' OR NOT EXISTS (
          SELECT 1 FROM validity WHERE row_id = parent.row_id AND retired_at = memory.recorded_at))
    UNION ALL
    SELECT validity.retired_at, CASE WHEN memory.forgotten_at = validity.retired_at THEN 'forgotten' ELSE 'retired' END,
           memory.id, memory.space_id, memory.id, NULL,
           (SELECT next.id FROM memory AS next WHERE next.root_id = memory.root_id AND next.version > memory.version
            AND next.recorded_at = validity.retired_at AND NOT next.historic ORDER BY next.version LIMIT 1),
           max(validity.reason), max(validity.retired_kind), max(validity.retired_id)
    FROM validity JOIN memory ON memory.row_id = validity.row_id
    WHERE {memory} AND validity.retired_at >= ? AND validity.retired_at < ?
    GROUP BY memory.id, validity.retired_at HAVING max(validity.valid_to) > validity.retired_at
    UNION ALL
    SELECT review.opened_at, 'conflict_opened', review.id, review.space_id, review.memory_id, review.candidate_seq,
           NULL, review.kind, NULL, NULL
    FROM (SELECT *, NULL AS session_id FROM review) AS review
    WHERE {review} AND review.opened_at >= ? AND review.opened_at < ?
    UNION ALL
    SELECT review.resolved_at, 'conflict_resolved', review.id, review.space_id, review.memory_id, review.candidate_seq,
           NULL, coalesce(review.resolution || coalesce(': ' || review.reason, ''), review.reason), review.actor_kind,
           review.actor_id
    FROM (SELECT *, NULL AS session_id FROM review) AS review
    WHERE {review} AND review.resolved_at >= ? AND review.resolved_at < ?
"""
_SHOWN = """
    SELECT event.*, space.name AS space, memory.root_id, memory.version,
           coalesce(memory.statement, candidate.statement) AS statement,
           CASE WHEN memory.id IS NULL THEN candidate.speaker ELSE memory.speaker END AS speaker,
           CASE WHEN memory.id IS NULL THEN candidate.said_at ELSE memory.said_at END AS said_at,
           CASE WHEN memory.id IS NULL THEN candidate.said_zone ELSE memory.said_zone END AS said_zone
    FROM ({events}) AS event JOIN space ON space.id = event.space_id
    LEFT JOIN memory ON memory.id = event.memory_id LEFT JOIN candidate ON candidate.seq = event.candidate_seq
"""
_KEY = "event.kind || ':' || event.id"


def changes(
    scope: Scope, db: Reader, *, since: Micros, until: Micros, limit: int, cursor: str | None = None
) -> Page[Change]:
    """Return a page of what changed in the scope's spaces, in the order in which it was recorded.

    Args:
        scope: whose spaces.
        db: the store.
        since: the first time, inclusive.
        until: the last time, exclusive.
        limit: changes a page.
        cursor: where the page before ended; stable under inserts.

    Raises:
        InvalidInput: the cursor is not one of this listing.
    """
    parts, values = [], []
    for table in ("memory", "memory", "review", "review"):
        visible, arguments = spaces.bounded(scope, db, table)
        parts.append(visible)
        values += [*arguments, since, until]
    events = _EVENTS.format(memory=parts[0], review=parts[2])
    (total,) = db.execute(f"SELECT count(*) FROM ({events})", values).fetchone()
    after = ""
    if cursor is not None:
        after = f"WHERE (event.at, {_KEY}) > (?, ?)"
        values += decode_cursor(SORTED_BY, cursor)
    rows = db.execute(
        f"{_SHOWN.format(events=events)} {after} ORDER BY event.at, {_KEY} LIMIT ?", (*values, limit + 1)
    ).fetchall()
    shown = rows[:limit]
    last = shown[-1] if len(rows) > limit else None
    return Page(
        rows=tuple(map(_change, shown)),
        total=total,
        limit=limit,
        next_cursor=encode_cursor(SORTED_BY, last["at"], f"{last['kind']}:{last['id']}") if last else None,
    )


def _change(row: Mapping[str, Any]) -> Change:
    kind, other = _named(row)
    told = row["statement"] is not None
    return Change(
        at=row["at"], kind=kind, id=row["id"], space=row["space"], root_id=row["root_id"], version=row["version"],
        memory=attributed(row["statement"], row["speaker"], row["said_at"], row["said_zone"]) if told else None,
        other_id=other, reason=row["reason"],
        actor=Actor(kind=row["actor_kind"], id=row["actor_id"]) if row["actor_kind"] else None,
    )  # fmt: skip


def _named(row: Mapping[str, Any]) -> tuple[ChangeKind, str | None]:
    """Return what a retirement was, by its reason and whether something took its place."""
    if row["kind"] != "retired":
        return row["kind"], row["other_id"]
    named = SUPERSEDED_BY.match(row["reason"])
    other = named[1] if named else row["other_id"]
    if other is None:
        return "retired", None
    return ("corrected" if row["reason"] == CORRECTED else "superseded"), other
