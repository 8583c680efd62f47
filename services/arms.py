"""The arms of a search: ways of finding rows, each with a value for every row of a pool.

To add one: write a factory that looks at what was asked and returns the arm, or None when the question has nothing for
it, and name it in `FACTORIES`. `memory.retrieval.score` says what each is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from memory.ports import Vectors
from memory.records.answers import Arm as ArmName
from services.asked import Arm, Asked
from services.time_arm import by_time

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]


class ByVector:
    """Cosine with the query's vector."""

    def __init__(self, asked: Asked, vector: Vectors) -> None:
        """Bind to a question."""
        self._rows, self._vector = asked.snapshot.compared, vector
        # What was compared once; NaN where nothing was.
        self._known = np.full(len(asked.snapshot), np.nan, dtype=np.float32)

    @classmethod
    def of(cls, asked: Asked) -> ByVector | None:
        """Return the arm when the query has a vector to compare."""
        vector = asked.meaning.vector
        return None if vector is None else cls(asked, vector)

    def over(self, pool: Slots) -> Floats:
        """Return the cosine of each row, 0 where it is negative; see `Arm`."""
        new = pool[np.isnan(self._known[pool])]
        self._known[new] = self._rows.cosines(self._vector, new)
        return np.clip(self._known[pool], 0.0, 1.0)

    def best(self, eligible: Mask, most: int) -> Slots:
        """Return the nearest eligible rows; see `Arm`."""
        slots, cosines = self._rows.nearest(self._vector, eligible, most)
        self._known[slots] = cosines
        return slots[cosines > 0]


class ByRow:
    """An arm that has a value for every row of the space at hand."""

    def __init__(self, values: Floats) -> None:
        """Take the values.

        Args:
            values: float32 (n,), 0..1.
        """
        self._values = values

    def over(self, pool: Slots) -> Floats:
        """Return the values of a pool; see `Arm`."""
        return self._values.take(pool)

    def best(self, eligible: Mask, most: int) -> Slots:
        """Return the eligible rows of the greatest values; see `Arm`."""
        return strongest(self._values, eligible, most)


def by_words(asked: Asked) -> Arm | None:
    """Return the arm of full text.

    A query of punctuation says nothing to full text: its arm is left out instead of halving every score, unless it is
    the only one.
    """
    return ByRow(asked.lexical.coverage) if asked.lexical.weights or asked.meaning.vector is None else None


def by_names(asked: Asked) -> Arm | None:
    """Return the arm of the names that the query mentions, if visible rows are linked to them."""
    return None if asked.named is None else ByRow(asked.named)


FACTORIES: Mapping[ArmName, Callable[[Asked], Arm | None]] = {
    "vectors": ByVector.of,
    "lexical": by_words,
    "entities": by_names,
    "time": by_time,
}


def arms_of(asked: Asked) -> dict[str, Arm]:
    """Return the arms that the query uses and that have something to say, by name."""
    wanted = {name: make(asked) for name, make in FACTORIES.items() if name in asked.question.query.arms}
    return {name: arm for name, arm in wanted.items() if arm is not None}


def strongest(values: Floats, eligible: Mask, most: int) -> Slots:
    """Return the eligible slots with the greatest values above 0.

    Args:
        values: float32 (n,).
        eligible: bool (n,).
        most: how many at most; among equals of the last the earlier slots.

    Returns:
        Slots, in no order.
    """
    slots = np.flatnonzero(eligible & (values > 0))
    if len(slots) <= most:
        return slots
    found = values[slots]
    least = np.partition(found, len(found) - most)[len(found) - most]
    better, equal = slots[found > least], slots[found == least]
    return np.concatenate((better, equal[: most - len(better)]))
