"""Finds the terms of a block that contain a string: every four characters in a row lead to the terms that have them.

A scan of half a million terms takes milliseconds for each term of a query; this takes microseconds. The fours are put
into buckets by a hash, so what comes out of a bucket is checked against the term itself. Threes would do for shorter
strings, but half a million terms put thousands under each. Terms are numbered by their length, so whoever wants the
shortest need not look at the others.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int32]

# Stands before every term, so that what a term begins with can be looked up too. No term has a control character.
_START = "\x02"
_MOST_BUCKETS = 1 << 16
# Odd numbers of 32 bits that mix the characters of a four.
_MIX = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F)
# How many terms of a bucket are looked at in one go: mostly the first ones are enough.
_BATCH = 64
# More candidates than this are first cut down to those of a second bucket: their strings are all over the memory.
_CHECKED = 32


@dataclass(frozen=True, slots=True)
class Needle:
    """A string to look for, with the hashes of its fours: made once for the indexes of all blocks."""

    text: str
    hashes: tuple[int, ...]

    @classmethod
    def part(cls, text: str) -> Needle:
        """Make one that stands anywhere in a term: four characters or more."""
        return cls(text, _hashes_of(text))

    @classmethod
    def prefix(cls, text: str) -> Needle:
        """Make one that a term begins with: three characters or more."""
        return cls(text, _hashes_of(_START + text))


class TermIndex:
    """The terms of a block by the fours of characters in them. Never changes."""

    def __init__(self, terms: Collection[str]) -> None:
        """Index terms.

        Args:
            terms: different ones without control characters.
        """
        self._terms = sorted(terms, key=len)
        sizes = np.bincount(np.fromiter(map(len, self._terms), dtype=np.int64, count=len(self._terms)))
        # Where the terms of each length begin.
        self._lengths: array[int] = array("q", [0, *np.cumsum(sizes).tolist()])
        self._mask = min(_MOST_BUCKETS, 1 << len(self._terms).bit_length()) - 1
        self._starts, self._numbers = self._filed()

    def containing(self, part: Needle) -> Iterator[str]:
        """Yield the terms that contain a string of four characters or more, the shortest first."""
        numbers = self._candidates(part, 0, len(self._lengths))
        for start in range(0, len(numbers), _BATCH):
            yield from (term for term in self._of(numbers[start : start + _BATCH]) if part.text in term)

    def starting(self, prefix: Needle, shortest: int, longest: int) -> list[str]:
        """Return the terms that begin with a string, the shortest first.

        Args:
            prefix: three characters or more, made by `Needle.prefix`.
            shortest: length of the terms in characters, at least.
            longest: and at most.
        """
        numbers = self._candidates(prefix, shortest, longest + 1)
        return [term for term in self._of(numbers) if term.startswith(prefix.text)]

    def _first_of(self, size: int) -> int:
        return self._lengths[min(size, len(self._lengths) - 1)]

    def _of(self, numbers: Integers) -> Iterator[str]:
        return map(self._terms.__getitem__, numbers.tolist())

    def _candidates(self, needle: Needle, shortest: int, longer: int) -> Integers:
        """Return the numbers of terms of a length, `longer` excluded, that may have a string, ascending."""
        starts, mask = self._starts, self._mask
        sizes = sorted((starts[(at := one & mask) + 1] - starts[at], at) for one in needle.hashes)
        bounds = self._first_of(shortest), self._first_of(longer)
        numbers = self._filed_in(sizes[0][1], *bounds)
        if len(numbers) <= _CHECKED or len(sizes) == 1:
            return numbers
        others = self._filed_in(sizes[1][1], *bounds)
        if not len(others):
            return others
        places = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
        return np.asarray(numbers[others[places] == numbers], dtype=np.int32)

    def _filed_in(self, bucket: int, first: int, end: int) -> Integers:
        """Return what is in a bucket of the terms from one number up to another."""
        start, stop = self._starts[bucket], self._starts[bucket + 1]
        return self._numbers[
            bisect_left(self._numbers, first, start, stop) : bisect_left(self._numbers, end, start, stop)
        ]

    def _filed(self) -> tuple[array[int], Integers]:
        """Return where each bucket begins, and the term numbers of all buckets, ascending in each."""
        codes = _codes("".join(_START + term for term in self._terms) + _START * 3)
        begins = codes == ord(_START)
        # A four that reaches into the next term is none.
        whole = ~(begins[1:-2] | begins[2:-1] | begins[3:])
        owners = (np.cumsum(begins[:-3])[whole] - 1).astype(np.int32)
        buckets = (_hashes(codes)[whole] & np.uint32(self._mask)).astype(np.uint16)
        order = np.argsort(buckets, kind="stable")
        buckets, owners = buckets[order], owners[order]
        # A term that has a four twice is filed under it once.
        again = np.zeros(len(order), dtype=np.bool_)
        again[1:] = (buckets[1:] == buckets[:-1]) & (owners[1:] == owners[:-1])
        ends = np.cumsum(np.bincount(buckets[~again], minlength=self._mask + 1))
        return array("q", [0, *ends.tolist()]), owners[~again]


def _hashes_of(text: str) -> tuple[int, ...]:
    """Return what `_hashes` does, for a short string."""
    codes = [ord(char) for char in text]
    mixed = [
        (first * _MIX[0] ^ second * _MIX[1] ^ third * _MIX[2] ^ fourth * _MIX[3]) & 0xFFFFFFFF
        for first, second, third, fourth in zip(codes, codes[1:], codes[2:], codes[3:], strict=False)
    ]
    return tuple(one ^ one >> 15 for one in mixed)


def _codes(text: str) -> npt.NDArray[np.uint32]:
    # Lone surrogates can stand in a term: JSON can carry half a pair.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _hashes(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return the hash of each four characters in a row, as a `Needle` has it."""
    first, second, third, fourth = (codes[at : len(codes) - 3 + at] * np.uint32(_MIX[at]) for at in range(4))
    mixed = first ^ second ^ third ^ fourth
    return np.asarray(mixed ^ mixed >> np.uint32(15), dtype=np.uint32)
