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
        own = groups[reading[places]]
        for number, step in enumerate(STEPS):
            if len(places) == len(reading):
                here, there = (
                    slice(max(0, -step), max(0, len(own) - step)),
                    slice(max(0, step), max(0, len(own) + step)),
                )
                beside[number, here] = own[here] == own[there]
            else:
                near = np.clip(places + step, 0, len(reading) - 1)
                beside[number] = (near == places + step) & (groups[reading[near]] == own)
        return cls(total=len(reading), places=places, beside=beside)

    @property
    def is_whole(self) -> bool:
        """Whether the pool is all visible rows."""
        return len(self.places) == self.total

    @property
    def sizes(self) -> Slots:
        """Rows in the group of each, as far as the reach goes: (m,), 1 to 2 * REACH + 1."""
        return np.asarray(1 + self.beside.sum(axis=0), dtype=np.int64)


def coverage_nearby(said: Sequence[tuple[Slots, Floats]], around: Neighbourhood) -> Floats:
    """Tell how much of a query's words each row and the rows around it say: of each word, the nearest saying counts.

    Args:
        said: for each term of the query, the places of the visible rows that say it, and the share of the whole query
            that each meets by it, float32.
        around: the rows of a pool and where they stand.

    Returns:
        float32 (m,), 0..1: the sum over the terms of the greatest of a row's own share and those of the rows up to
        REACH away in its group, each step of which costs FADING.
    """
    spread = _spread_by_word if around.is_whole else _looked_up_by_row
    covered = np.zeros(len(around.places), dtype=np.float32)
    for best in spread([one for one in said if len(one[0])], around):
        covered += best
    return np.minimum(covered, np.float32(1.0))


def _spread_by_word(said: Sequence[tuple[Slots, Floats]], around: Neighbourhood) -> Iterator[Floats]:
    """Yield what the nearest saying of each term is worth to every row: quick where most rows say nothing of it."""
    for places, values in said:
        best = np.zeros(around.total, dtype=np.float32)
        best[places] = values
        for step, beside in zip(STEPS, around.beside, strict=True):
            there = beside[places]
            # Each row has at most one at a distance, so none is met twice in a step.
            reached = places[there] + step
            best[reached] = np.maximum(best[reached], values[there] * np.float32(FADING ** abs(step)))
        yield best


def _looked_up_by_row(said: Sequence[tuple[Slots, Floats]], around: Neighbourhood) -> Iterator[Floats]:
    """Yield the same for the rows of a small pool of many rows."""
    # With room at both ends every step is a plain look-up.
    shares = np.zeros(around.total + 2 * REACH, dtype=np.float32)
    own = around.places + REACH
    for places, values in said:
        shares[places + REACH] = values
        best = shares[own]
        for step, beside in zip(STEPS, around.beside, strict=True):
            np.maximum(best, shares[own + step] * (np.float32(FADING ** abs(step)) * beside), out=best)
        yield best
        shares[places + REACH] = 0


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
