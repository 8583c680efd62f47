"""The rows nearest to a query vector: in a small space each is compared in full, in a large one the candidates are.

Whatever is returned was compared in full; what a mask leaves out is never returned, and as many come back as are asked
for while the mask leaves so many.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from store import native
from store.growing import GrowingArray
from store.native import Kernel
from store.vector_codes import CodeColumn, Codes, code_column

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]

# Up to so many rows of a large space are compared in full without a look at their codes.
EXACT_ELIGIBLE = 4_000
# Candidates that are compared in full: all of the nearest 40 of 100,000 rows were among them for 200 questions; 1,000
# lost one in 2,700 and 400 one in 530.
CANDIDATES = 2_000

# Rows that numpy gathers at a time: 6 MB at 384 numbers.
_GATHERED = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanning:
    """How the vectors of a space are compared."""

    exact_rows: int = 50_000  # up to so many rows a space has no codes: everything is compared in full
    kernel: Kernel | None = field(default_factory=native.kernel)  # None: numpy does everything


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorRows:
    """The vectors of a space as a reader holds them."""

    vectors: Floats  # (n, dimension), rows of length 1 or 0
    codes: Codes | None  # of the same rows; None while there are few
    kernel: Kernel | None
    exact_rows: int  # up to so many rows are compared in full

    def nearest(self, query: Floats, mask: Mask, most: int, *, exact: bool = False) -> tuple[Slots, Floats]:
        """Find the rows nearest to a query.

        Args:
            query: float32 (dimension,), of length 1.
            mask: bool (n,), rows that may be found.
            most: how many, 1 or more.
            exact: compare every row of the mask in full, however many there are.

        Returns:
            int64 slots and float32 cosines, nearest first, equal ones in the order of the slots: `most`, or all of the
            mask.
        """
        if self.codes is None or exact or int(np.count_nonzero(mask)) <= EXACT_ELIGIBLE:
            slots = np.flatnonzero(mask)
        else:
            slots = self.codes.best(query, mask, max(most, CANDIDATES))
        cosines = self.cosines(query, slots)
        if len(slots) > most:
            kept = cosines >= np.partition(cosines, len(slots) - most)[len(slots) - most]
            slots, cosines = slots[kept], cosines[kept]
        order = np.lexsort((slots, -cosines))[:most]
        return slots[order], cosines[order]

    def cosines(self, query: Floats, slots: Slots) -> Floats:
        """Compare some rows with a query in full.

        Args:
            query: float32 (dimension,), of length 1.
            slots: int64 (m,).

        Returns:
            float32 (m,), -1..1; 0 for a row without a vector.
        """
        if 2 * len(slots) > len(self.vectors):
            # Reading everything in order is quicker than half of it by number.
            return np.asarray((self.vectors @ query)[slots], dtype=np.float32)
        if self.kernel is not None:
            return self.kernel.dots(self.vectors, np.ascontiguousarray(slots), np.ascontiguousarray(query))
        gathered = [self.vectors[slots[at : at + _GATHERED]] @ query for at in range(0, len(slots), _GATHERED)]
        return np.concatenate(gathered) if gathered else np.empty(0, dtype=np.float32)


class VectorScan:
    """The vectors of a space as its writer grows them."""

    def __init__(self, dimension: int, scanning: Scanning) -> None:
        """Start empty.

        Args:
            dimension: numbers of a vector; 0 while there is no model.
            scanning: how rows are compared.
        """
        self._scanning = scanning
        self._vectors = GrowingArray(np.float32, dimension)
        self._codes: CodeColumn | None = None

    @property
    def nbytes(self) -> int:
        """Bytes taken."""
        return self._vectors.nbytes + (0 if self._codes is None else self._codes.nbytes)

    def append(self, vectors: Floats) -> None:
        """Add rows behind the last.

        Args:
            vectors: float32 (m, dimension), finite, of length 1 or 0.
        """
        self._vectors.append(vectors)
        every = self._vectors.view()
        if self._codes is not None:
            self._codes.append(every[len(every) - len(vectors) :])
        elif len(every) > self._scanning.exact_rows and every.shape[1]:
            self._codes = code_column(every.shape[1], self._scanning.kernel)
            self._codes.append(every)

    def view(self) -> VectorRows:
        """Return the rows so far; later appends do not change what it says of them."""
        codes = None if self._codes is None else self._codes.view()
        return VectorRows(
            vectors=self._vectors.view(),
            codes=codes,
            kernel=self._scanning.kernel,
            exact_rows=self._scanning.exact_rows,
        )
