"""Arrays that grow at the end and never move what a reader holds.

A view handed out covers the first rows only; appending writes behind them or into a new, larger block. So a reader
keeps a consistent array without a lock, and an append costs a constant amount of copying per row.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt


class GrowingArray:
    """One column of resident rows. One writer at a time; any number of readers of `view`."""

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        """Start empty.

        Args:
            dtype: of the elements.
            width: columns of a matrix; None for a vector.
        """
        self._tail: tuple[int, ...] = () if width is None else (width,)
        self._block: npt.NDArray[Any] = np.empty((0, *self._tail), dtype=dtype)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def nbytes(self) -> int:
        """Bytes taken; spare room that was never written to takes none."""
        return self._used * self._block.itemsize * prod(self._tail)

    def append(self, values: npt.ArrayLike) -> None:
        """Add rows behind the last.

        Args:
            values: shape (m,) or (m, width).
        """
        added = np.asarray(values, dtype=self._block.dtype).reshape(-1, *self._tail)
        needed = self._used + len(added)
        if needed > len(self._block):
            # With room for what comes next: filling it up copies each row five times at most.
            room = needed + needed // 4
            larger = np.empty((room, *self._tail), dtype=self._block.dtype)
            larger[: self._used] = self._block[: self._used]
            self._block = larger
        self._block[self._used : needed] = added
        self._used = needed

    def view(self) -> npt.NDArray[Any]:
        """Return the rows so far, read-only, never changed by later appends."""
        rows = self._block[: self._used]
        rows.flags.writeable = False
        return rows
