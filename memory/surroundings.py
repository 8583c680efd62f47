"""What the surroundings of a row say about it: the rows beside it and the best of its session or document.

A turn alone rarely says what it is about: the question stands one turn before the answer, the subject ten turns before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Slots = npt.NDArray[np.int64]

# A group is judged by so many of its rows: one alone may be chance, and a mean over all would punish long sessions.
BEST_OF_GROUP = 3


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Relevance around each row; 0 where there is nothing."""

    before: Floats  # float32 (m,), of the row before in the same group
    after: Floats  # float32 (m,), of the row after
    group: Floats  # float32 (m,), mean of the three best of the group


def look_around(own: Floats, groups: npt.NDArray[np.int32]) -> Surroundings:
    """Gather the relevance around each row.

    Args:
        own: float32 (m,), relevance of each row by itself, 0..1, sorted by group and position.
        groups: int32 (m,), the group of each, equal ones side by side.

    Returns:
        Arrays in the order of the arguments.
    """
    before, after = np.zeros_like(own), np.zeros_like(own)
    if not len(own):
        return Surroundings(before=before, after=after, group=before)
    same = groups[1:] == groups[:-1]
    before[1:][same] = own[:-1][same]
    after[:-1][same] = own[1:][same]
    starts = np.concatenate(([0], np.flatnonzero(~same) + 1))
    sizes = np.diff(np.concatenate((starts, [len(own)])))
    return Surroundings(before=before, after=after, group=np.repeat(_mean_of_best(own, starts, sizes), sizes))


def _mean_of_best(own: Floats, starts: Slots, sizes: Slots) -> Floats:
    """Average the best rows of each group; missing ones count as 0."""
    left = own.copy()
    total = np.zeros(len(starts), dtype=np.float32)
    for _ in range(BEST_OF_GROUP):
        best = np.maximum.reduceat(left, starts)
        total += np.maximum(best, 0)
        hits = np.flatnonzero(left == np.repeat(best, sizes))
        of_group = np.searchsorted(starts, hits, side="right")
        first = np.concatenate(([True], of_group[1:] != of_group[:-1]))
        left[hits[first]] = -1.0
    return total / np.float32(BEST_OF_GROUP)
