"""Blocks of resident facts: which rows have which value of which key.

A fact is a key with a value, of a row. What a filter can compare of a value is a text, a number or the items of a list,
so that is what is kept: every different value of a key once, with its text, its number and the slots of the rows that
have it. Nothing else of the JSON stays in memory.

What is said of rows later, new rows and new facts of old rows alike, makes a block of its own (`store/blocks.py`), and
the newest block that describes a row is right about it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from memory.filters import as_number, as_text
from store.blocks import owners_of
from store.blocks import with_block as blocks_with
from store.texts import Texts, spans, starts_of

Integers = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# What filters ask of a row: its slot, what it says of itself, and its metadata, both as JSON.
Described = tuple[int, str, str]
# A key, and whether the items of its lists are meant.
Column = tuple[str, bool]

One = TypeVar("One")

# What a column costs beside its values: the key, its entry and its number.
_COLUMN_BYTES = 200
# Objects parsed in one call; bounds what is in memory as dictionaries.
_READ_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FactBlock:
    """The facts of some rows. Values are numbered by column, so those of a column are consecutive."""

    described: Integers  # slots whose facts are here, ascending
    columns: Mapping[Column, int]
    value_starts: Longs  # (columns + 1,): the first value of each column
    slot_starts: Longs  # (values + 1,): where the slots of each value begin
    slots: Integers  # rows that have a value, by value
    numbers: npt.NDArray[np.float64]  # (values,): of a number or of a text that writes one; NaN of others
    numeric: Mask  # (values,): numbers, not texts that write one
    texts: Texts  # of each value
    _columns: dict[Column, Texts] = field(default_factory=dict, init=False, repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes taken, about."""
        arrays = (
            self.described, self.value_starts, self.slot_starts, self.slots, self.numbers, self.numeric,
            self.texts.starts, self.texts.data,
        )  # fmt: skip
        folded = sum(column.folded_bytes for column in list(self._columns.values()))
        return sum(one.nbytes for one in arrays) + folded + _COLUMN_BYTES * len(self.columns)

    def values_of(self, key: str, *, items: bool) -> tuple[int, int]:
        """Return the first value of a key, or of the items of its lists, and the one behind its last."""
        number = self.columns.get((key, items))
        return (0, 0) if number is None else (int(self.value_starts[number]), int(self.value_starts[number + 1]))

    def texts_of(self, key: str, *, items: bool) -> Texts:
        """Return the texts of what `values_of` says; the same object each time, so that what it folds is kept."""
        found = self._columns.get((key, items))
        if found is None:
            first, end = self.values_of(key, items=items)
            found = Texts(self.texts.starts[first : end + 1], self.texts.data)
            if (key, items) in self.columns:  # other keys are as many as callers think of
                self._columns[key, items] = found
        return found

    def slots_of(self, values: Longs) -> Integers:
        """Return the rows that have one of some values, in any order; a row may be there twice."""
        starts = self.slot_starts[values]
        return self.slots[spans(starts, self.slot_starts[values + 1] - starts)]


Blocks = tuple[FactBlock, ...]


def with_block(blocks: Blocks, added: FactBlock) -> Blocks:
    """Return the blocks with a newer one behind them, small ones merged."""
    return blocks_with(blocks, added, _merged)


class _Values:
    """Different values by column, numbered in the order they come."""

    def __init__(self) -> None:
        self.columns: dict[Column, int] = {}
        self.texts: list[str] = []
        self.numeric: list[bool] = []
        self.column_of: list[int] = []
        self.flat: list[int] = []  # values of one set of facts after the other
        self.lengths: list[int] = []  # values of each set
        self._known = _Known(self)

    def add(self, facts: Mapping[str, Any]) -> None:
        """Add a set of facts; what filters cannot compare is left out."""
        found, before = self.flat, len(self.flat)
        for key, value in facts.items():
            listed = isinstance(value, list)
            for item in value if listed else (value,):
                if type(item) is str:  # almost always
                    found.append(self._known[key, listed, False][item])
                elif (text := as_text(item)) is not None:
                    found.append(self._known[key, listed, not isinstance(item, bool)][text])
        self.lengths.append(len(found) - before)


class _Known(dict[tuple[str, bool, bool], "_Numbers"]):
    """Values by key, by whether they are items of a list, and by whether they are numbers."""

    def __init__(self, values: _Values) -> None:
        super().__init__()
        self._values = values

    def __missing__(self, named: tuple[str, bool, bool]) -> _Numbers:
        column = self._values.columns.setdefault(named[:2], len(self._values.columns))
        made = self[named] = _Numbers(self._values, column, named[2])
        return made


class _Numbers(dict[str, int]):
    """The numbers of the values of a column by their text."""

    def __init__(self, values: _Values, column: int, numeric: bool) -> None:
        super().__init__()
        self._values, self._column, self._numeric = values, column, numeric

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self._values.texts)
        self._values.texts.append(text)
        self._values.numeric.append(self._numeric)
        self._values.column_of.append(self._column)
        return number


def block_of(rows: Sequence[Described]) -> FactBlock:
    """Read the facts of rows.

    Args:
        rows: ascending by slot. A key of the metadata wins over what the row says of itself under the same name, even
            where its value is none that can be compared.
    """
    values = _Values()
    own_sets, metadata_sets = _numbered(own for _, own, _ in rows), _numbered(metadata for _, _, metadata in rows)
    owns = list(_read(own_sets.different))
    own_names = frozenset(name for own in owns for name in own)
    hidden = []  # by number of the metadata: what of the row's own it hides
    for metadata in _read(metadata_sets.different):
        values.add(metadata)
        hidden.append(() if own_names.isdisjoint(metadata) else tuple(sorted(own_names.intersection(metadata))))
    pairs = _numbered((own, hidden[number]) for own, number in zip(own_sets.of, metadata_sets.of, strict=True))
    for own, names in pairs.different:
        values.add({key: value for key, value in owns[own].items() if key not in names})
    slots = np.array([slot for slot, _, _ in rows], dtype=np.int32)
    of_set = np.array([*metadata_sets.of, *(number + len(hidden) for number in pairs.of)], dtype=np.int64)
    lengths = np.array(values.lengths, dtype=np.int64)
    starts = starts_of(lengths)[:-1]
    return _sorted(
        described=slots,
        columns=values.columns,
        texts=Texts.of(values.texts),
        numbers=np.array([_number(text) for text in values.texts], dtype=np.float64),
        numeric=np.array(values.numeric, dtype=np.bool_),
        column_of=np.array(values.column_of, dtype=np.int64),
        slots=np.repeat(np.concatenate((slots, slots)), lengths[of_set]),
        value_of=np.array(values.flat, dtype=np.int64)[spans(starts[of_set], lengths[of_set])],
    )


@dataclass(frozen=True, slots=True)
class _Numbered(Generic[One]):
    """Things of which many are equal."""

    different: list[One]
    of: list[int]  # number of each thing among the different ones


def _numbered(things: Iterable[One]) -> _Numbered[One]:
    numbers: dict[One, int] = {}
    of = [numbers.setdefault(one, len(numbers)) for one in things]
    return _Numbered(list(numbers), of)


def _read(texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Parse JSON objects, many in one call: each by itself takes twice the time."""
    for start in range(0, len(texts), _READ_AT_ONCE):
        yield from json.loads(f"[{','.join(texts[start : start + _READ_AT_ONCE])}]")


def _number(text: str) -> float:
    number = as_number(text)
    return np.nan if number is None else number


def _sorted(
    *,
    described: Integers,
    columns: Mapping[Column, int],
    texts: Texts,
    numbers: npt.NDArray[np.float64],
    numeric: Mask,
    column_of: Longs,
    slots: Integers,
    value_of: Longs,
) -> FactBlock:
    """Make a block of values in any order: those that no row has are dropped, and so are their columns.

    Args:
        described: as in the block.
        columns: number of each column.
        texts: of each value.
        numbers: as in the block.
        numeric: as in the block.
        column_of: column of each value.
        slots: row of each fact.
        value_of: value of each fact.
    """
    facts_of = np.bincount(value_of, minlength=len(column_of))
    used = np.flatnonzero(facts_of)
    used = used[np.argsort(column_of[used], kind="stable")]
    values_of = np.bincount(column_of[used], minlength=len(columns))
    kept = np.flatnonzero(values_of)
    names = list(columns)
    renumbered = np.empty(len(column_of), dtype=np.int64)
    renumbered[used] = np.arange(len(used))
    order = np.argsort(renumbered[value_of], kind="stable")
    return FactBlock(
        described=described,
        columns={names[column]: number for number, column in enumerate(kept.tolist())},
        value_starts=starts_of(values_of[kept]),
        slot_starts=starts_of(facts_of[used]),
        slots=slots[order],
        numbers=numbers[used],
        numeric=numeric[used],
        texts=texts.take(used),
    )


def _merged(old: FactBlock, new: FactBlock) -> FactBlock:
    """Join two blocks; a row that the newer one describes has nothing of the older one's."""
    columns = dict(old.columns)
    renumbered = np.array([columns.setdefault(name, len(columns)) for name in new.columns], dtype=np.int64)
    old_values, new_values = owners_of(old.slot_starts), owners_of(new.slot_starts) + len(old.numbers)
    kept = ~np.isin(old.slots, new.described)
    old_columns, new_columns = owners_of(old.value_starts), renumbered[owners_of(new.value_starts)]
    return _sorted(
        described=np.union1d(old.described, new.described),
        columns=columns,
        texts=old.texts.then(new.texts),
        numbers=np.concatenate((old.numbers, new.numbers)),
        numeric=np.concatenate((old.numeric, new.numeric)),
        column_of=np.concatenate((old_columns, new_columns)),
        slots=np.concatenate((old.slots[kept], new.slots)),
        value_of=np.concatenate((old_values[kept], new_values)),
    )
