"""Which candidates of a space may be settled although earlier ones are not: those that touch none of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


@dataclass(slots=True)
class _Waiting:
    """What the unsettled candidates of a space, so far, keep from being settled."""

    vectors: list[Floats] = field(default_factory=list)
    neighbours: set[str] = field(default_factory=set)
    closed: bool = False


class Unsettled:
    """The earlier candidates of one pass that are not settled, by space."""

    def __init__(self, floor: float) -> None:
        """Start with none.

        Args:
            floor: similarity from which on two candidates touch.
        """
        self._floor = floor
        self._spaces: defaultdict[int, _Waiting] = defaultdict(_Waiting)

    def add(self, space_id: int, vector: Floats, neighbours: Collection[str]) -> None:
        """Let a candidate hold back what touches it.

        Args:
            space_id: its space.
            vector: (dimension,), of length 1.
            neighbours: ids of its nearest live memories.
        """
        waiting = self._spaces[space_id]
        waiting.vectors.append(vector)
        waiting.neighbours.update(neighbours)

    def close(self, space_id: int) -> None:
        """Hold back everything of a space: a candidate of it runs alone."""
        self._spaces[space_id].closed = True

    def touches(self, space_id: int, vector: Floats, neighbours: Collection[str]) -> bool:
        """Tell whether a candidate has to wait for an earlier one."""
        waiting = self._spaces[space_id]
        if waiting.closed or not waiting.neighbours.isdisjoint(neighbours):
            return True
        return bool(waiting.vectors) and float(np.max(np.stack(waiting.vectors) @ vector)) >= self._floor
