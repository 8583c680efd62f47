"""One-bit codes of vectors: a thirty-second of their size, good enough to say which rows are worth comparing in full.

A code says of each number of a vector whether it is above 0. A query keeps four bits of the size of each of its
numbers; a row gains that size wherever its bit agrees with the sign of the query, and the rows that gain most are the
candidates. No index has to be built, trained or repaired for it, and a row that may not be found is not looked at. The
numbers behind it are in docs/decisions/0019-search-core.md.

Source: J. Gao, C. Long, "RaBitQ", SIGMOD 2024, without its rotation.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from store.native import Kernel

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

# Bits kept of the size of each number of the query: 5 find no more, and what 3 save is not worth a worse order.
QUERY_BITS = 4

# Rows of a block that the native part looks at together.
_BLOCK = 32
# What a row gains is added up in 16 bits there: longer vectors are read by numpy.
_NATIVE_NUMBERS = (2**16 - 1) // (2**QUERY_BITS - 1)
# Rows that numpy adds up at a time: what is in between stays in the processor's cache.
_CHUNK = 32_768


class Codes(Protocol):
    """The codes of the rows of a space, as a reader holds them."""

    def best(self, query: Floats, mask: Mask, most: int) -> Slots:
        """Return the rows that gain most by a query.

        Args:
            query: float32 (dimension,), finite.
            mask: bool (n,), the rows that may be found; n is not more than there are codes.
            most: how many, 1 or more.

        Returns:
            Different slots inside the mask, in no order: `most`, or all there are; of equal ones the first.
        """
        ...


class CodeColumn(Protocol):
    """The codes of a space as its writer grows them."""

    @property
    def nbytes(self) -> int:
        """Bytes taken."""
        ...

    def append(self, vectors: Floats) -> None:
        """Add rows behind the last; float32 (m, dimension)."""
        ...

    def view(self) -> Codes:
        """Return the rows so far; later appends do not change what it says of them."""
        ...


def code_column(dimension: int, kernel: Kernel | None) -> CodeColumn:
    """Return an empty column of codes, laid out for whoever is to read it.

    Args:
        dimension: numbers of a vector, 1 or more.
        kernel: the native part; None: numpy reads them, as it does those of more than 4,369 numbers.
    """
    if kernel is None or dimension > _NATIVE_NUMBERS:
        return _Words(dimension)
    return _Blocks(dimension, kernel)


def sizes_of(query: Floats) -> Bytes:
    """Return what a code gains by agreeing with each number of a query; uint8 (dimension,), 0..15."""
    sizes = np.abs(query)
    largest = float(sizes.max(initial=0.0))
    if not largest:
        return np.zeros(len(query), dtype=np.uint8)
    return np.asarray(np.rint(sizes * ((2**QUERY_BITS - 1) / largest)), dtype=np.uint8)


def packed(vectors: Floats) -> Bytes:
    """Return the codes of vectors: uint8 (m, ceil(dimension / 8)), the first number in the lowest bit."""
    return _packed_bits(vectors > 0)


def _packed_bits(bits: npt.NDArray[np.bool_]) -> Bytes:
    return np.packbits(bits, axis=1, bitorder="little")


class _Blocks:
    """Codes as the native part reads them, and their reader."""

    def __init__(self, dimension: int, kernel: Kernel) -> None:
        self._kernel = kernel
        self._used = 0
        self._blocks: Bytes = np.zeros((0, -(-dimension // 8), _BLOCK), dtype=np.uint8)

    @property
    def nbytes(self) -> int:
        width: int = self._blocks.shape[1]
        return self._used * width

    def append(self, vectors: Floats) -> None:
        first, self._used = self._used, self._used + len(vectors)
        needed = -(-self._used // _BLOCK)
        if needed > len(self._blocks):
            larger = np.zeros((needed + needed // 4, *self._blocks.shape[1:]), dtype=np.uint8)
            larger[: len(self._blocks)] = self._blocks
            self._blocks = larger
        slots = np.arange(first, self._used)
        self._blocks[slots // _BLOCK, :, slots % _BLOCK] = packed(vectors)

    def view(self) -> Codes:
        return _BlocksView(self._blocks, self._kernel)


class _BlocksView:
    def __init__(self, blocks: Bytes, kernel: Kernel) -> None:
        self._blocks, self._kernel = blocks, kernel

    def best(self, query: Floats, mask: Mask, most: int) -> Slots:
        return self._kernel.scan(self._blocks, table_of(query), np.ascontiguousarray(mask), most)


def table_of(query: Floats) -> Bytes:
    """Return what a query gains by each four bits of a code; uint8 (2 * ceil(dimension / 8), 16), 0..60."""
    width = 8 * -(-len(query) // 8)
    sizes, signs = np.zeros(width, dtype=np.float32), np.zeros(width, dtype=np.bool_)
    sizes[: len(query)], signs[: len(query)] = sizes_of(query), query > 0
    # A bit that is set gains the size where the sign is positive and forgoes it where it is not.
    signed = np.where(signs, sizes, -sizes).reshape(-1, 4)
    forgone = np.minimum(signed, 0.0).sum(axis=1, keepdims=True)
    return np.asarray(signed @ _NIBBLES - forgone, dtype=np.uint8)


# float32 (4, 16): the bits of each number of four bits, the lowest first.
_NIBBLES = (np.arange(16) >> np.arange(4)[:, None] & 1).astype(np.float32)


class _Words:
    """Codes as numpy reads them: the 64-bit words of all rows one after the other, and their reader."""

    def __init__(self, dimension: int) -> None:
        self._used = 0
        self._words: Words = np.zeros((-(-dimension // 64), 0), dtype=np.uint64)

    @property
    def nbytes(self) -> int:
        return 8 * self._used * len(self._words)

    def append(self, vectors: Floats) -> None:
        first, self._used = self._used, self._used + len(vectors)
        if self._used > self._words.shape[1]:
            larger = np.zeros((len(self._words), self._used + self._used // 4), dtype=np.uint64)
            larger[:, :first] = self._words[:, :first]
            self._words = larger
        self._words[:, first : self._used] = _as_words(packed(vectors))

    def view(self) -> Codes:
        return _WordsView(self._words)


class _WordsView:
    def __init__(self, words: Words) -> None:
        self._words = words

    def best(self, query: Floats, mask: Mask, most: int) -> Slots:
        slots = np.flatnonzero(mask)
        if len(slots) <= most:
            return slots
        words = self._words[:, : len(mask)]
        if len(slots) < len(mask) // 2:
            return slots[_greatest(_gains(words[:, slots], query), most)]
        return _greatest(np.where(mask, _gains(words, query) + 1, 0), most)


def _gains(words: Words, query: Floats) -> npt.NDArray[np.int64]:
    """Add up what each row gains; int64 (rows,)."""
    sizes, signs = sizes_of(query), _as_words(packed(query[None, :]))[:, 0]
    planes = [_as_words(_packed_bits((sizes >> bit & 1)[None, :] > 0))[:, 0] for bit in range(QUERY_BITS)]
    gains = np.empty(words.shape[1], dtype=np.int64)
    for first in range(0, len(gains), _CHUNK):
        chunk = words[:, first : first + _CHUNK]
        counts = np.zeros((QUERY_BITS, chunk.shape[1]), dtype=np.uint16)
        for number, (word, sign) in enumerate(zip(chunk, signs, strict=True)):
            agree = word ^ ~sign
            for count, plane in zip(counts, planes, strict=True):
                count += np.bitwise_count(agree & plane[number])
        gains[first : first + _CHUNK] = (2 ** np.arange(QUERY_BITS)) @ counts
    return gains


def _greatest(gains: npt.NDArray[np.int64], most: int) -> Slots:
    """Return where the greatest gains are, of equal ones the first."""
    above = np.cumsum(np.bincount(gains)[::-1])[::-1]  # how many have so much or more
    least = int(np.flatnonzero(above >= most)[-1])
    better = np.flatnonzero(gains > least)
    return np.concatenate((better, np.flatnonzero(gains == least)[: most - len(better)]))


def _as_words(codes: Bytes) -> Words:
    """Return codes as words; uint64 (ceil(bytes / 8), rows)."""
    rows, width = codes.shape
    whole = np.zeros((rows, 8 * -(-width // 8)), dtype=np.uint8)
    whole[:, :width] = codes
    return whole.view("<u8").T
