"""Reads what a profile may say: memories that hold at a point of both clocks and are not only an assistant's words."""

from __future__ import annotations

import json

from memory.filters import Filter, matches
from memory.records import Clocks, Memory, Micros, Scope
from store import spaces
from store.connection import Reader
from store.hydration import load_memories
from store.segment_rows import MEMORY_FACTS, read_facts

Only = str | None  # JSON list of the search rows that may be returned; None: all

# More than a profile shows are read, because what was believed at an earlier time orders them anew.
POOL = 4
_HELD = """
    EXISTS (SELECT 1 FROM validity WHERE validity.row_id = memory.row_id
            AND valid_from <= {as_of:d} AND valid_to > {as_of:d} AND valid_from >= {since:d}
            AND validity.recorded_at <= {known_at:d} AND (retired_at IS NULL OR retired_at > {known_at:d}))
    AND coalesce(memory.forget_after > {now:d}, 1)
"""
# What an assistant said of itself is no fact of the user; what somebody else says too is.
_SAID = """
    NOT (EXISTS (SELECT 1 FROM source WHERE source.memory_id = memory.id)
         AND NOT EXISTS (SELECT 1 FROM source LEFT JOIN episode ON episode.id = source.episode_id
                         WHERE source.memory_id = memory.id AND coalesce(episode.role, 'user') <> 'assistant'))
"""
_DOUBTFUL = """
    (memory.unjudged OR EXISTS (
        SELECT 1 FROM review WHERE review.memory_id = memory.id AND review.kind = 'contradiction'
        AND opened_at <= {known_at:d} AND (resolved_at IS NULL OR resolved_at > {known_at:d})))
"""
# The order of the index memory_profile: the first ones are found without a look at the rest.
_LASTING = """
    memory.is_static DESC, memory.kind = 'preference' DESC, memory.support DESC, memory.confidence DESC,
    memory.recorded_at DESC
"""
_NEW = """
    (memory.kind = 'episode' OR (memory.parent_id IS NOT NULL AND NOT memory.historic AND memory.model <> 'restored'))
"""


def matching(scope: Scope, db: Reader, filters: Filter | None) -> Only:
    """Return the search rows of the scope's memories that pass a filter, as a JSON list; None when there is no filter.

    Of a filter every memory is looked at, so that a part of a profile is full while enough memories match.
    """
    if filters is None:
        return None
    visible, values = spaces.bounded(scope, db, "memory")
    rows = db.execute(f"{MEMORY_FACTS} WHERE {visible}", values).fetchall()
    return json.dumps([row["row_id"] for row in rows if matches(filters, read_facts(row["own"], row["metadata"]))])


def lasting(scope: Scope, db: Reader, clocks: Clocks, *, now: Micros, limit: int, only: Only = None) -> list[Memory]:
    """Return preferences and facts that held, those that a profile shows first among them."""
    doubtful = _DOUBTFUL.format(known_at=clocks.resolved(now)[1])
    found: list[Memory] = []
    for wanted in (f"NOT {doubtful}", doubtful):
        if len(found) < limit:
            which = f"memory.kind <> 'episode' AND {wanted}"
            found += _load(scope, db, clocks, which, _LASTING, now=now, limit=limit * POOL, only=only)
    return found


def recent(
    scope: Scope, db: Reader, clocks: Clocks, *, since: Micros, now: Micros, limit: int, only: Only = None
) -> list[Memory]:
    """Return episodes and what superseded something, of those that held and began at or after a time."""
    return _load(
        scope, db, clocks, _NEW, "memory.recorded_at DESC", now=now, limit=limit * POOL, since=since, only=only
    )


def of_bucket(
    scope: Scope, db: Reader, clocks: Clocks, bucket_id: int, *, now: Micros, limit: int, only: Only = None
) -> list[Memory]:
    """Return memories that held and were judged to belong into a bucket."""
    belongs = f"""
        EXISTS (SELECT 1 FROM bucket_memory WHERE bucket_memory.memory_id = memory.id
                AND bucket_id = {bucket_id:d} AND belongs)
    """
    order = "memory.is_static DESC, memory.support DESC, memory.recorded_at DESC"
    return _load(scope, db, clocks, belongs, order, now=now, limit=limit * POOL, only=only)


def _load(
    scope: Scope,
    db: Reader,
    clocks: Clocks,
    which: str,
    order: str,
    *,
    now: Micros,
    limit: int,
    since: Micros = -(2**62),
    only: Only = None,
) -> list[Memory]:
    visible, values = spaces.bounded(scope, db, "memory")
    if only is not None:
        visible, values = f"{visible} AND memory.row_id IN (SELECT value FROM json_each(?))", [*values, only]
    as_of, known_at = clocks.resolved(now)
    held = _HELD.format(as_of=as_of, known_at=known_at, since=since, now=min(now, known_at))
    rows = db.execute(
        f"SELECT id FROM memory WHERE {visible} AND {which} AND {held} AND {_SAID} ORDER BY {order} LIMIT ?",
        (*values, limit),
    ).fetchall()
    return list(load_memories(db, [row["id"] for row in rows], known_at=known_at).values())
