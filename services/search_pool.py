"""Which rows of a space are scored for a question: all that the scope sees, or in a large space those that may win.

A row wins by itself, which the arms know, or by what stands around it: so the rows beside each row that an arm brings
are scored with it, and for the best of them what stands further around too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from services.asked import Arm, Asked

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]

# Rows that each arm brings, or ten times as many as are wanted.
OF_EACH_ARM = 500
# Up to so many eligible rows all of them are scored.
FEW = 2_000
# The best of what the arms bring, by their values alone, and how far around these is looked: of the 10 best of 100,000
# rows in sessions of 20, 99 of 100 are then those that would be found if every row was scored; with 100 and 10, 94.
BEST = 200
FAR = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """The rows that are scored."""

    slots: Slots  # (m,), in reading order
    places: Slots | None  # (m,), where each stands among all visible rows; None: it is all of them
    by_row: Slots  # (m,), the places in the pool in the order of the slots


def whole_pool(asked: Asked) -> Pool:
    """Return every row that the scope sees."""
    view = asked.view
    return Pool(slots=view.reading, places=None, by_row=view.places[view.visible].astype(np.int64))


def pool_of(asked: Asked, arms: Mapping[str, Arm], eligible: Mask) -> Pool:
    """Choose the rows that are scored.

    Args:
        asked: the question and the space.
        arms: those that the question is answered by.
        eligible: bool (n,), rows that may be found.
    """
    query, view = asked.question.query, asked.view
    if query.exact or len(view.reading) <= asked.snapshot.compared.exact_rows:
        return whole_pool(asked)
    brought = _brought(asked, arms, eligible)
    near = np.zeros(len(view.reading), dtype=np.bool_)
    _mark_around(asked, view.places[brought], 1, near)
    _mark_around(asked, view.places[_best(arms, brought)], FAR, near)
    places = np.flatnonzero(near)
    slots = view.reading[places]
    return Pool(slots=slots, places=places, by_row=np.argsort(slots))


def _brought(asked: Asked, arms: Mapping[str, Arm], eligible: Mask) -> Slots:
    """Return the eligible rows that an arm favours, and some that none does when those are few."""
    most = max(OF_EACH_ARM, 10 * asked.question.depth)
    if np.count_nonzero(eligible) <= FEW:
        return np.flatnonzero(eligible)
    brought = np.zeros(len(eligible), dtype=np.bool_)
    for arm in arms.values():
        brought[arm.best(eligible, most)] = True
    if np.count_nonzero(brought) < most:
        brought[np.flatnonzero(eligible)[:most]] = True
    return np.flatnonzero(brought)


def _best(arms: Mapping[str, Arm], brought: Slots) -> Slots:
    """Return the rows that have most of all arms together."""
    total = np.zeros(len(brought), dtype=np.float32)
    for arm in arms.values():
        total += arm.over(brought)
    return brought[np.argsort(-total, kind="stable")[:BEST]]


def _mark_around(asked: Asked, places: npt.NDArray[np.int32], far: int, marked: Mask) -> None:
    """Mark the places of rows and of those up to so many before and after each in the same group."""
    reading, groups = asked.view.reading, asked.snapshot.groups
    around = places[:, None] + np.arange(-far, far + 1)
    np.clip(around, 0, len(reading) - 1, out=around)
    same = groups.take(reading.take(around)) == groups.take(reading.take(places))[:, None]
    marked[around[same]] = True
