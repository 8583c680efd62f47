"""The arm "time": how close the times of rows lie to those that a question names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memory.question_time import TimeRange
from memory.records import Micros

Floats = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]

# The begin of a time that a row does not have.
NEVER: Micros = 2**62
# Of a time right outside of what was named.
BESIDE = 0.5
# So many lengths of what was named further out nothing is close any more.
REACH = 2.0


def closeness(first: Longs, after: Longs, ranges: Sequence[TimeRange]) -> Floats:
    """Say how close each of some stretches of time lies to the ranges of a question.

    A stretch inside a range is 1 and one that reaches out of it the share that lies inside, as its event may have been
    at any time of it. Right outside is 0.5, since people tell of things a little later and name times a little
    off; that falls evenly to 0 at two lengths of what was named: a day and a half behind "yesterday" is 0.125.

    Args:
        first: int64 (m,), microseconds; `NEVER` where there is no time.
        after: int64 (m,), exclusive, later than `first`.
        ranges: what the question names.

    Returns:
        float32 (m,), 0..1: of the range that it is closest to, times that one's worth; 0 without a time.
    """
    found = np.zeros(len(first), dtype=np.float32)
    for one in ranges:
        reach = round(REACH * one.scale)
        inside = (first >= one.first) & (after <= one.after) & (first != NEVER)
        np.maximum(found, np.where(inside, np.float32(one.worth), np.float32(0.0)), out=found)
        reached = (first < one.after + reach) & (after > one.first - reach) & ~inside & (first != NEVER)
        near = np.flatnonzero(reached)
        found[near] = np.maximum(found[near], one.worth * _at_edge(first[near], after[near], one, reach))
    return found


def _at_edge(first: Longs, after: Longs, one: TimeRange, reach: Micros) -> Floats:
    """Return how close stretches are that lie over an end of a range, or outside; float32 (m,)."""
    shared = np.minimum(after, one.after) - np.maximum(first, one.first)
    share = np.maximum(shared, 0) / (after - first)
    return np.asarray(np.maximum(share, BESIDE * (1.0 + np.minimum(shared, 0) / reach)), dtype=np.float32)
