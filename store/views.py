"""Which rows of a snapshot a scope sees, kept while the clocks pass no bound of a window.

Almost every query asks about now, and between two writes nothing becomes true or stops being so: the mask of the last
query is the mask of the next. Working it out reads every window of the space (0.6 ms of 100,000 rows), with what is
drawn from it 2 ms.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.records import Micros

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]

# Views kept of one snapshot: one for each scope and kinds that are asked in turn. Each takes 17 bytes a row.
_MOST = 4


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one clock, half open."""

    first: Micros
    end: Micros

    def __contains__(self, at: Micros) -> bool:
        return self.first <= at < self.end


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """The rows that a scope sees while both clocks stay where they are between two bounds."""

    visible: Mask  # (n,)
    reading: Slots  # (m,), the visible slots sorted by group, position and slot
    places: npt.NDArray[np.int32]  # (n,), place of each visible slot in `reading`; -1 for the others
    lengths: npt.NDArray[np.float32]  # (n,), terms of each row divided by the average of the visible ones of its kind
    as_of: Span  # the same for every time in here
    known_at: Span

    @property
    def nbytes(self) -> int:
        """Bytes taken."""
        return self.visible.nbytes + self.reading.nbytes + self.places.nbytes + self.lengths.nbytes


def view_of(visible: Mask, reading_order: Slots, lengths: npt.NDArray[np.float32], as_of: Span, known_at: Span) -> View:
    """Draw from a mask what is asked of it again and again.

    Args:
        visible: bool (n,).
        reading_order: (n,), every slot, sorted by group, position and slot.
        lengths: float32 (n,), see `View`.
        as_of: the times for which the mask holds.
        known_at: the same of the other clock.
    """
    reading = reading_order[visible[reading_order]]
    places = np.full(len(visible), -1, dtype=np.int32)
    places[reading] = np.arange(len(reading), dtype=np.int32)
    return View(visible=visible, reading=reading, places=places, lengths=lengths, as_of=as_of, known_at=known_at)


class Views:
    """The last views of one snapshot. Thread safe."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.Lock()
        self._kept: OrderedDict[Any, View] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """Bytes taken by the views that are kept."""
        with self._lock:
            return sum(view.nbytes for view in self._kept.values())

    def get(self, key: Any, *, as_of: Micros, known_at: Micros, make: Callable[[], View]) -> View:
        """Return the view of a key at a time, made if the one kept is of another time.

        Args:
            key: whose view: everything but the clocks that it depends on.
            as_of: when it was true.
            known_at: when it was believed.
            make: makes the view.
        """
        with self._lock:
            view = self._kept.get(key)
            if view is not None and as_of in view.as_of and known_at in view.known_at:
                self._kept.move_to_end(key)
                return view
        view = make()
        with self._lock:
            self._kept[key] = view
            self._kept.move_to_end(key)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return view
