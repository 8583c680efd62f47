"""What the surroundings of a row say about it: the words said beside it, and the best of its session or document.

A turn alone rarely says what it is about: the question stands one turn before the answer, the subject ten turns before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32] | npt.NDArray[np.int64]

# A word said so many rows before or after still counts, each row further for this much less. Reach 1 finds 1.2 points
# less of the evidence among the first 15 of a conversation benchmark, 4 as much; 0.5 and 0.8 are within half a point.
REACH = 2
FADING = 0.7

# A group is judged by so many of its rows: one alone may be chance, and a mean over all would punish long sessions.
BEST_OF_GROUP = 3

STEPS = tuple(step for step in range(-REACH, REACH + 1) if step)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """Where the rows of a pool stand among all rows that a scope sees, which are sorted by group and position."""

    total: int  # of all visible rows
    places: Slots  # (m,), ascending
    beside: Mask  # (steps, m), whether the row that many places away is there and in the same group; see STEPS

    @classmethod
    def of(cls, places: Slots, reading: Slots, groups: Integers) -> Neighbourhood:
        """Look who stands beside each row of a pool.

        Args:
            places: (m,), ascending, of the pool's rows in `reading`.
            reading: (n,), every visible slot, sorted by group and position.
            groups: group of each slot.
        """
        beside = np.zeros((len(STEPS), len(places)), dtype=np.bool_)
        own = groups.take(reading.take(places))
        for number, step in enumerate(STEPS):
            if len(places) == len(reading):
                here, there = (
                    slice(max(0, -step), max(0, len(own) - step)),
                    slice(max(0, step), max(0, len(own) + step)),
                )
                beside[number, here] = own[here] == own[there]
            else:
                near = np.clip(places + step, 0, len(reading) - 1)
                beside[number] = (near == places + step) & (groups.take(reading.take(near)) == own)
        return cls(total=len(reading), places=places, beside=beside)

    @property
    def is_whole(self) -> bool:
        """Whether the pool is all visible rows."""
        return len(self.places) == self.total

    @property
    def sizes(self) -> Slots:
        """Rows in the group of each, as far as the reach goes: (m,), 1 to 2 * REACH + 1."""
        return np.asarray(1 + self.beside.sum(axis=0), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Saying:
    """Where one term of a query is said."""

    places: Places  # (k,), of the visible rows that say it
    shares: Floats  # float32 (k,), how much of the whole query each meets by it; saying it often meets more than `most`
    most: float  # how much of the whole query the term is


def coverage_nearby(said: Sequence[Saying], around: Neighbourhood) -> Floats:
    """Tell how much of a query's words each row and the rows around it say: of each word, the nearest saying counts.

    Args:
        said: the terms of the query.
        around: the rows of a pool and where they stand.

    Returns:
        float32 (m,), 0..1: the sum over the terms of the greatest of a row's own share and those of the rows up to
        REACH away in its group, each step of which costs FADING. However often a neighbour says a term, it is the term
        once that is heard: no neighbour comes level with the row that says it.
    """
    spread = _spread_by_word if around.is_whole else _spread_into_pool
    covered = np.zeros(len(around.places), dtype=np.float32)
    for best in spread([one for one in said if len(one.places)], around):
        covered += best
    return np.minimum(covered, np.float32(1.0))


def _spread_by_word(said: Sequence[Saying], around: Neighbourhood) -> Iterator[Floats]:
    """Yield what the nearest saying of each term is worth to every row: quick where most rows say nothing of it."""
    for one in said:
        places, heard = one.places, np.minimum(one.shares, np.float32(one.most))
        best = np.zeros(around.total, dtype=np.float32)
        best[places] = one.shares
        for step, beside in zip(STEPS, around.beside, strict=True):
            there = beside[places]
            # Each row has at most one at a distance, so none is met twice in a step.
            reached = places[there] + step
            best[reached] = np.maximum(best[reached], heard[there] * np.float32(FADING ** abs(step)))
        yield best


def _spread_into_pool(said: Sequence[Saying], around: Neighbourhood) -> Iterator[Floats]:
    """Yield the same for the rows of a small pool of many rows: only what is said near one of them is looked at."""
    # Where each row stands in the pool, with room at both ends; behind its end for those that are in none.
    outside = len(around.places)
    own = np.full(around.total + 2 * REACH, outside, dtype=np.int32)
    own[around.places + REACH] = np.arange(outside, dtype=np.int32)
    near = np.zeros(around.total, dtype=np.bool_)
    for step in (0, *STEPS):
        reached = around.places - step
        near[reached[(reached >= 0) & (reached < around.total)]] = True
    # All terms in one go, each with a row of its own.
    kept = [
        Saying(one.places.take(found), one.shares.take(found), one.most)
        for one in said
        for found in (np.flatnonzero(near.take(one.places)),)
    ]
    if not kept:
        return
    told = np.concatenate([one.places for one in kept]) + REACH
    shares = np.concatenate([one.shares for one in kept])
    once = np.concatenate([np.minimum(one.shares, np.float32(one.most)) for one in kept])
    rows = np.repeat(np.arange(len(kept)) * (outside + 1), [len(one.places) for one in kept])
    best = np.zeros(len(kept) * (outside + 1), dtype=np.float32)
    best[rows + own.take(told)] = shares
    beside = np.concatenate((around.beside, np.zeros((len(STEPS), 1), dtype=np.bool_)), axis=1)
    for step, there in zip(STEPS, beside, strict=True):
        # The row so many places before it hears it, if it is in the pool and of the same group.
        hearing = own.take(told - step)
        heard = np.flatnonzero(there.take(hearing))
        reached = rows.take(heard) + hearing.take(heard)
        best[reached] = np.maximum(best.take(reached), once.take(heard) * np.float32(FADING ** abs(step)))
    yield from best.reshape(len(kept), outside + 1)[:, :outside]


def best_of_group(own: Floats, groups: Integers, sizes: Slots | None = None) -> Floats:
    """Average the best rows of the group of each row.

    Args:
        own: float32 (m,), 0..1, what each row is worth by itself, sorted by group.
        groups: int32 (m,), the group of each, equal ones side by side.
        sizes: (m,), rows in the group of each, the same for all of a group or less at its ends; None: those there are.

    Returns:
        float32 (m,), 0..1: the mean of the three best of the group, or of all when it has fewer. A row that stands
        alone is its own group and neither gains nor loses.
    """
    if not len(own):
        return own.copy()
    starts = np.concatenate(([0], np.flatnonzero(groups[1:] != groups[:-1]) + 1))
    counts = np.diff(np.concatenate((starts, [len(own)])))
    known = counts if sizes is None else np.maximum(np.maximum.reduceat(sizes, starts), counts)
    return np.repeat(_sum_of_best(own, starts, counts) / np.minimum(known, BEST_OF_GROUP).astype(np.float32), counts)


def _sum_of_best(own: Floats, starts: Slots, counts: Slots) -> Floats:
    """Add up the best rows of each group; missing ones count as 0."""
    left = own.copy()
    total = np.zeros(len(starts), dtype=np.float32)
    for _ in range(BEST_OF_GROUP):
        best = np.maximum.reduceat(left, starts)
        total += np.maximum(best, 0)
        hits = np.flatnonzero(left == np.repeat(best, counts))
        of_group = np.searchsorted(starts, hits, side="right")
        first = np.concatenate(([True], of_group[1:] != of_group[:-1]))
        left[hits[first]] = -1.0
    return total
