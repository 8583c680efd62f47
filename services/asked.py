"""What an arm of a search is: what it looks at, and what it says of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from memory.lexical import Lexical
from services.question import Meaning, Question
from store.snapshots import Snapshot
from store.views import View

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """What an arm may look at."""

    snapshot: Snapshot
    view: View  # the rows that the scope sees
    question: Question
    meaning: Meaning  # its vectors are comparable with those of the space
    lexical: Lexical  # how the words of the query are met
    named: Floats | None  # float32 (n,), how rows are linked to the names that the query mentions; None when to none


class Arm(Protocol):
    """One way of finding rows, bound to a question and a space."""

    def over(self, pool: Slots) -> Floats:
        """Return what the arm says of each row of a pool.

        Args:
            pool: slots that the scope sees, sorted by group and position.

        Returns:
            float32 (m,), 0..1, aligned to the pool; a row's value does not depend on which others are in the pool.
        """
        ...

    def best(self, eligible: Mask, most: int) -> Slots:
        """Return the eligible rows that the arm favours, for the pool of a large space.

        Args:
            eligible: bool (n,), rows that may be found.
            most: how many at most, 1 or more.

        Returns:
            Different eligible slots with a value above 0, in any order; all of them or the `most` best.
        """
        ...
