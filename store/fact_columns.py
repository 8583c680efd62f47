"""Filters over resident rows: a parsed filter becomes a mask without a look at any row's JSON.

`memory.filters.matches` says what a filter means; this says the same of all rows at once, and a property test compares
them. A condition reads the different values of one key, not the rows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import get_args

import numpy as np
import numpy.typing as npt

from memory.filters import OPERATORS, Condition, Filter, as_number
from memory.records import MemoryKind
from store.fact_blocks import Blocks, Described, FactBlock, block_of, with_block
from store.texts import containing, equal

Mask = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]

_KINDS: dict[str, int] = {kind: number for number, kind in enumerate(get_args(MemoryKind))}
# What stands for the kind of a chunk, and of a row of which nothing has been read.
_CHUNK, _UNKNOWN = -1, -2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FactColumns:
    """What filters ask of the n rows of a space, as of one change."""

    blocks: Blocks = ()
    kinds: npt.NDArray[np.int8]  # (n,): the kind of a memory, whatever its metadata says
    confidences: npt.NDArray[np.float64]  # (n,): of a memory, 0..1; NaN of a chunk

    @classmethod
    def empty(cls) -> FactColumns:
        """Return the columns of no rows."""
        return cls(kinds=np.empty(0, dtype=np.int8), confidences=np.empty(0))

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def nbytes(self) -> int:
        """Bytes taken, about."""
        return sum(block.nbytes for block in self.blocks) + self.kinds.nbytes + self.confidences.nbytes

    def with_rows(self, count: int, described: Iterable[Described]) -> FactColumns:
        """Return the columns after a change; these stay as they are for whoever holds them.

        Args:
            count: rows there are now.
            described: of the rows that are new or have other facts now, in any order; the last one of a slot counts.
        """
        latest = {row[0]: row for row in described}
        rows = [latest[slot] for slot in sorted(latest)]
        if not rows and count == len(self.kinds):
            return self
        kinds, confidences = np.full(count, _UNKNOWN, dtype=np.int8), np.full(count, np.nan)
        kinds[: len(self.kinds)], confidences[: len(self.kinds)] = self.kinds, self.confidences
        slots = np.array([slot for slot, _, _ in rows], dtype=np.int64)
        read = {own: _believed(own) for own in {own for _, own, _ in rows}}
        kinds[slots] = [read[own][0] for _, own, _ in rows]
        confidences[slots] = [read[own][1] for _, own, _ in rows]
        blocks = with_block(self.blocks, block_of(rows)) if rows else self.blocks
        return FactColumns(blocks=blocks, kinds=kinds, confidences=confidences)

    def passing(self, filter: Filter) -> Mask:
        """Mark the rows whose facts pass a filter; bool (n,). A row of which nothing is known passes none."""
        return np.asarray(self._passing(filter) & (self.kinds != _UNKNOWN))

    def of_kinds(self, kinds: Collection[str]) -> Mask:
        """Mark the memories of some kinds; bool (n,). A chunk is of none."""
        return np.isin(self.kinds, [_KINDS[kind] for kind in kinds])

    def at_least(self, confidence: float) -> Mask:
        """Mark the memories that are at least so sure, and every chunk, which has no confidence; bool (n,)."""
        return np.asarray((self.confidences >= confidence) | (self.kinds == _CHUNK))

    def _passing(self, filter: Filter) -> Mask:
        if isinstance(filter, Condition):
            return self._holding(filter)
        joined = np.logical_and if filter.all else np.logical_or
        start = np.full(len(self.kinds), filter.all)
        return reduce(lambda mask, member: joined(mask, self._passing(member)), filter.members, start)

    def _holding(self, condition: Condition) -> Mask:
        mask = np.zeros(len(self.kinds), dtype=np.bool_)
        for number, block in enumerate(self.blocks):
            if number:
                mask[block.described] = False
            mask[block.slots_of(_holding_values(block, condition))] = True
        return ~mask if condition.negate else mask


def _believed(own: str) -> tuple[int, float]:
    """Return the number of the kind and the confidence of what a row says of itself."""
    facts = json.loads(own)
    return _KINDS.get(facts["kind"], _CHUNK), facts.get("confidence", np.nan)


def _holding_values(block: FactBlock, condition: Condition) -> Longs:
    """Return the numbers of the values for which a condition holds, before it is negated."""
    items = condition.type == "array_contains"
    first, end = block.values_of(condition.key, items=items)
    wanted = as_number(condition.value)
    numbers = block.numbers[first:end]
    if condition.type == "numeric":
        compare = OPERATORS[condition.numeric_operator]
        return first + np.flatnonzero(compare(numbers, np.nan if wanted is None else wanted))
    texts = block.texts_of(condition.key, items=items)
    if condition.type == "string_contains":
        return first + containing(texts, condition.value, ignore_case=condition.ignore_case)
    found = equal(texts, condition.value, ignore_case=condition.ignore_case)
    if wanted is not None:
        found = np.union1d(found, np.flatnonzero(block.numeric[first:end] & (numbers == wanted)))
    return first + found
