"""Orders what a search has found with bounded recency, where it was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.recency import aged, freshness, told_at
from memory.records import Hit, Micros, SearchQuery

# Rows that are looked at for each result: one that fits a tenth less may take a place when it is newer.
DEPTH_FACTOR = 3


def asked_at(query: SearchQuery, *, now: Micros) -> Micros:
    """Return what "last spring" and the age of a memory count from.

    Args:
        query: its `now`, else the time whose truth it asks for.
        now: the host's clock, where the query names neither.
    """
    return next(at for at in (query.now, query.as_of, now) if at is not None)


def by_recency(hits: Sequence[Hit], query: SearchQuery, *, now: Micros) -> list[Hit]:
    """Order hits by score and age; as they are, where the query names no half life.

    Args:
        hits: in the order of their score.
        query: what was asked for; ages count from `asked_at`.
        now: the host's clock.

    Returns:
        The hits, memories with `recency` explained; equal scores stay in their order.
    """
    if query.half_life_days is None:
        return list(hits)
    since = asked_at(query, now=now)
    found = [_aged(hit, since, query.half_life_days) for hit in hits]
    return sorted(found, key=lambda hit: -hit.score)


def _aged(hit: Hit, since: Micros, half_life_days: float) -> Hit:
    if hit.memory is None:
        return hit
    fresh = freshness(told_at(hit.memory), now=since, half_life_days=half_life_days)
    return replace(hit, score=aged(hit.score, fresh), explain={**hit.explain, "recency": fresh})
