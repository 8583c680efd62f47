"""The native part of search, when it is installed and this processor can run it; everything works without.

It is a distribution of its own (`native/`): two functions in C, called without the interpreter's lock.
"""

from __future__ import annotations

import ctypes
import logging
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

log = logging.getLogger(__name__)

# What the functions are expected to take; a library that was built for another is not used.
INTERFACE = 1

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64


class Kernel:
    """The functions of the library. Thread safe."""

    def __init__(self, library: ctypes.CDLL) -> None:
        """Declare the functions of a loaded library."""
        self._scan, self._dots = library.memlane_scan, library.memlane_dots
        self._scan.argtypes = (_POINTER, _LONG, _LONG, _POINTER, _POINTER, _LONG, _POINTER)
        self._scan.restype = _LONG
        self._dots.argtypes = (_POINTER, _LONG, _POINTER, _LONG, _POINTER, _POINTER)
        self._dots.restype = None

    def scan(
        self,
        blocks: npt.NDArray[np.uint8],
        table: npt.NDArray[np.uint8],
        mask: npt.NDArray[np.bool_],
        most: int,
    ) -> npt.NDArray[np.int64]:
        """Return the slots whose codes gain most, of equal ones the first.

        Args:
            blocks: uint8 (blocks, bytes, 32), the codes of 32 rows side by side; contiguous.
            table: uint8 (2 * bytes, 16), each 0..127: what four bits gain; all that a code can gain is at most 65,535.
            mask: bool (n,), contiguous, the rows that are wanted; n is at most 32 * blocks.
            most: how many, 1 or more.

        Returns:
            int64, ascending: `most` slots, or all that are wanted.

        Raises:
            MemoryError: there was none for the best rows.
        """
        found = np.empty(most, dtype=np.int64)
        count = self._scan(
            *(_at(blocks), len(mask), blocks.shape[1], _at(table), _at(mask), most, _at(found)),
        )
        if count < 0:
            raise MemoryError("no memory for the best rows of a scan")
        return found[:count]

    def dots(
        self, vectors: npt.NDArray[np.float32], slots: npt.NDArray[np.int64], query: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """Multiply rows of a matrix with a query.

        Args:
            vectors: float32 (n, dimension), contiguous.
            slots: int64 (m,), contiguous, each a row of the matrix.
            query: float32 (dimension,), contiguous.

        Returns:
            float32 (m,).
        """
        products = np.empty(len(slots), dtype=np.float32)
        self._dots(_at(vectors), vectors.shape[1], _at(slots), len(slots), _at(query), _at(products))
        return products


@cache
def kernel() -> Kernel | None:
    """Return the native part, None when it is not installed or not for this processor."""
    try:
        import memlane_native
    except ImportError:
        return None
    return load(memlane_native.LIBRARY)


def load(path: Path) -> Kernel | None:
    """Load a library; None, with a warning, when it is of no use here.

    Args:
        path: the file.
    """
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        log.warning("search goes on without its native part, which cannot be loaded: %s", error)
        return None
    try:
        if library.memlane_interface() == INTERFACE:
            return Kernel(library) if library.memlane_supported() else None
    except AttributeError as error:
        log.warning("search goes on without its native part, which lacks a function: %s; run: make setup", error)
        return None
    log.warning("search goes on without its native part, which is of another version; run: make setup")
    return None


def _at(array: npt.NDArray[Any]) -> int:
    return int(array.ctypes.data)
