"""Resident postings: which rows of a space say a term, and how often.

They are made from the stored shadows of the rows, all of a space at its first search, and from the shadow of each row
that comes later. The durable index is FTS5. Reading a term from it when it is first asked for was measured against
this: 8 query terms of 10,000 rows took 2 to 7 ms, everything at once 53 ms; of 100,000 rows 60 to 100 ms and 0.8 s.
Loading everything won in spite of the first search: FTS5 counts and returns the rows of every space of the file (42 ms
for one common word of 100,000 rows, however small the space that asks), and a term read later than the rows it belongs
to needs a merge of two states.

New rows make a block of their own (`store/blocks.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import merge

import numpy as np
import numpy.typing as npt

from memory.lexical import Posting
from memory.term_expansion import MOST, kin, strongest
from store.blocks import owners_of
from store.blocks import with_block as blocks_with
from store.term_index import Needle, TermIndex

Integers = npt.NDArray[np.int32]
Counts = npt.NDArray[np.uint16]
Mask = npt.NDArray[np.bool_]

# What a term costs beside its postings: the string, its entry and its number, and its place in the index of terms.
_TERM_BYTES = 160

# Terms that a block keeps as the kin of those of queries: finding it takes 0.1 ms, and most words of a query were asked
# before. All take some two megabytes.
_KIN_KEPT = 16_384
# How many times more terms are looked at when others than the rows of the query say most of those at hand.
_WIDER = 8

_NOTHING = np.empty(0, dtype=np.int32)
_NO_COUNTS = np.empty(0, dtype=np.uint16)
# Counting further changes no score that anybody could see: weights are saturated from a dozen on.
_MOST_COUNTED = np.iinfo(np.uint16).max


class _KeptKin:
    """The kin of terms that were asked for; all are forgotten when they are too many. Thread safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[tuple[str, int], Mapping[str, float]] = {}
        self._terms = 0  # counting them anew at every addition would take longer the more there are

    def get(self, key: tuple[str, int]) -> Mapping[str, float] | None:
        return self._found.get(key)

    def keep(self, key: tuple[str, int], found: Mapping[str, float]) -> None:
        with self._lock:
            if self._terms + 1 + len(found) > _KIN_KEPT:
                self._found.clear()
                self._terms = 0
            if key not in self._found:
                self._found[key] = found
                self._terms += 1 + len(found)


@dataclass(frozen=True, eq=False)
class PostingBlock:
    """The postings of some consecutive rows, by term."""

    terms: Mapping[str, int]  # number of each term
    starts: Integers  # (terms + 1,): where the postings of a term number begin
    slots: Integers  # (postings,), ascending within a term
    counts: Counts  # (postings,), how often; a text that says a term more often says it 65,535 times
    _kin: _KeptKin = field(default_factory=_KeptKin, init=False, repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes taken, about."""
        return self.slots.nbytes + self.counts.nbytes + self.starts.nbytes + _TERM_BYTES * len(self.terms)

    @cached_property
    def index(self) -> TermIndex:
        """The terms by what they contain, made when the first query needs it."""
        return TermIndex(self.terms)

    def kin(self, term: str, most: int) -> Mapping[str, float]:
        """Return the nearest terms of the block that a term may also mean, kept for the queries to come."""
        found = self._kin.get((term, most))
        if found is None:
            found = kin(term, BlockTerms((self,)), most)
            self._kin.keep((term, most), found)
        return found


Blocks = tuple[PostingBlock, ...]


def block_of(shadows: Sequence[str], first_slot: int) -> PostingBlock:
    """Count the terms of consecutive rows.

    Args:
        shadows: segmented text of each row, terms separated by spaces.
        first_slot: slot of the first row; the others follow.
    """
    terms: dict[str, int] = {}
    numbers: list[int] = []
    sizes: list[int] = []
    for shadow in shadows:
        words = shadow.split()
        sizes.append(len(words))
        numbers += [terms.setdefault(word, len(terms)) for word in words]
    rows = np.repeat(np.arange(len(shadows), dtype=np.int64), sizes)
    width = max(1, len(shadows))
    pairs, counts = np.unique(np.array(numbers, dtype=np.int64) * width + rows, return_counts=True)
    starts = np.searchsorted(pairs // width, np.arange(len(terms) + 1)).astype(np.int32)
    slots = (pairs % width + first_slot).astype(np.int32)
    return PostingBlock(
        terms=terms, starts=starts, slots=slots, counts=np.minimum(counts, _MOST_COUNTED).astype(np.uint16)
    )


def with_block(blocks: Blocks, added: PostingBlock) -> Blocks:
    """Return the blocks with one more behind them, small ones merged."""
    return blocks_with(blocks, added, _merged)


def posting(blocks: Blocks, term: str) -> Posting:
    """Look a term up.

    Args:
        blocks: of one space.
        term: as segmented.

    Returns:
        Its rows in every block, ascending; empty when nobody says it.
    """
    found = _found(blocks, term)
    if not found:
        return Posting(_NOTHING, _NO_COUNTS)
    if len(found) == 1:
        return Posting(*found[0])
    return Posting(np.concatenate([slots for slots, _ in found]), np.concatenate([counts for _, counts in found]))


def _found(blocks: Blocks, term: str) -> list[tuple[Integers, Counts]]:
    """Return slots and counts of a term in each block that has it."""
    found = []
    for block in blocks:
        number = block.terms.get(term)
        if number is not None:
            start, end = block.starts[number], block.starts[number + 1]
            found.append((block.slots[start:end], block.counts[start:end]))
    return found


@dataclass(frozen=True, slots=True)
class BlockTerms:
    """The terms of some blocks, as `memory.term_expansion` asks for them."""

    blocks: Blocks

    def __contains__(self, term: str) -> bool:
        """Say whether a row has this term."""
        for block in self.blocks:  # noqa: SIM110 - asked often; a generator takes twice as long
            if term in block.terms:
                return True
        return False

    def containing(self, part: str) -> Iterator[str]:
        """Yield terms that contain a string of four characters or more, the shortest first; of each block its own."""
        needle = Needle.part(part)
        return merge(*(block.index.containing(needle) for block in self.blocks), key=len)

    def starting(self, prefix: str, shortest: int, longest: int) -> Iterator[str]:
        """Yield the terms of a length that begin with a string of three characters or more, block by block."""
        needle = Needle.prefix(prefix)
        return (term for block in self.blocks for term in block.index.starting(needle, shortest, longest))


def expanded(blocks: Blocks, term: str, visible: Mask, joined: Collection[str] = ()) -> Posting:
    """Look a term up together with those that it may also mean.

    Args:
        blocks: of one space.
        term: as segmented.
        visible: bool (n,), the rows that are looked at; what others say has no part in what a term may mean.
        joined: what it makes with its neighbours in the query.

    Returns:
        Every visible row that says the term or one of the `MOST` nearest akin to it, once, with the count and the
        strength of the nearest that it says: 1 for the term itself. Those that say the term come first.
    """
    known = BlockTerms(blocks)
    joined, most = [one for one in joined if one in known], MOST
    while True:
        others = strongest(term, [block.kin(term, most) for block in blocks], joined, most)
        slots, counts, ranks = _seen(blocks, (term, *others), visible)
        said = np.flatnonzero(np.bincount(ranks, minlength=1)[1:])
        if len(said) >= MOST or len(others) < most:
            break
        most *= _WIDER
    if not len(said):
        return Posting(slots, counts)
    # Nearest first: of what a row says, the first counts.
    first = _are_first(slots)
    if len(said) > MOST:
        first &= ranks <= said[MOST - 1] + 1
    strengths = np.array([1.0, *others.values()], dtype=np.float32)
    return Posting(slots[first], counts[first], strengths.take(ranks[first]))


def _seen(blocks: Blocks, terms: Iterable[str], visible: Mask) -> tuple[Integers, Counts, Integers]:
    """Return the visible slots of some terms, one term after the other, the counts, and the number of the term."""
    found = [(*one, number) for number, term in enumerate(terms) for one in _found(blocks, term)]
    if not found:
        return _NOTHING, _NO_COUNTS, _NOTHING
    slots = np.concatenate([slots for slots, _, _ in found])
    counts = np.concatenate([counts for _, counts, _ in found])
    numbers = np.repeat(
        np.array([number for _, _, number in found], dtype=np.int32), [len(slots) for slots, _, _ in found]
    )
    seen = visible.take(slots)
    return (slots, counts, numbers) if seen.all() else (slots[seen], counts[seen], numbers[seen])


def _are_first(slots: Integers) -> npt.NDArray[np.bool_]:
    """Mark where each slot stands for the first time. Sorting takes ten times as long where there are thousands."""
    places = np.arange(len(slots), dtype=np.int32)
    first = np.empty(int(slots.max(initial=-1)) + 1, dtype=np.int32)
    first[slots[::-1]] = places[::-1]  # of those that are given for one slot, the last stays
    return np.asarray(first[slots] == places, dtype=np.bool_)


def _merged(first: PostingBlock, second: PostingBlock) -> PostingBlock:
    """Join two blocks; every slot of the second is behind those of the first."""
    terms = dict(first.terms)
    renumbered = np.array([terms.setdefault(term, len(terms)) for term in second.terms], dtype=np.int64)
    owners = np.concatenate((owners_of(first.starts), renumbered[owners_of(second.starts)]))
    order = np.argsort(owners, kind="stable")
    return PostingBlock(
        terms=terms,
        starts=np.searchsorted(owners[order], np.arange(len(terms) + 1)).astype(np.int32),
        slots=np.concatenate((first.slots, second.slots))[order],
        counts=np.concatenate((first.counts, second.counts))[order],
    )
