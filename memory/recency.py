"""Bounded recency: of memories that fit about equally well, the newer one first.

    order score = score * (1 - SHARE * (1 - 2 ** (-age / half life)))

A new memory keeps its score, an old one loses `SHARE` of it at most, and half of that at the half life. So a memory
whose score is more than that share below another's never overtakes it, however old the other is: recency decides
between near equals and never outranks relevance. Only the order changes; what is shown as similarity stays.

It is for memories. A chunk has no age that says whether it still holds: its document may be old and the live revision.
"""

from __future__ import annotations

from memory.profile import begins
from memory.records import BEGINNING, Memory, Micros

# The most that age takes from a score. A tenth is what the weakest signal of retrieval adds (`memory.retrieval`), so
# age weighs as little as the least of them.
SHARE = 0.1
_DAY: Micros = 24 * 3600 * 1_000_000


def told_at(memory: Memory) -> Micros:
    """Return when a memory's age counts from: when it was said; else when it became true; else when it was recorded."""
    if memory.said_at is not None:
        return memory.said_at
    begun = begins(memory)
    return memory.recorded_at if begun == BEGINNING else begun


def freshness(at: Micros, *, now: Micros, half_life_days: float) -> float:
    """Return how fresh something is.

    Args:
        at: when its age counts from; what lies ahead of `now` is new.
        now: the time of the question.
        half_life_days: days after which the freshness is a half, more than 0.

    Returns:
        1 for new, halved with every half life, towards 0.
    """
    days = max(0, now - at) / _DAY
    return float(2.0 ** -(days / half_life_days))


def aged(score: float, fresh: float) -> float:
    """Return the score that orders a memory.

    Args:
        score: what it was ordered by, 0 or more.
        fresh: of `freshness`, 0..1.

    Returns:
        Between `(1 - SHARE) * score` and `score`.
    """
    return score * (1.0 - SHARE * (1.0 - fresh))
