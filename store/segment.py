"""One space resident in memory: grown by its writer under a lock, read through snapshots without one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.names import links
from memory.passages import asks
from memory.statements import normalised
from store import segment_rows
from store.connection import Reader
from store.fact_columns import FactColumns
from store.growing import GrowingArray
from store.postings import Blocks, block_of, with_block
from store.row_times import RowTimes, times_by_row, times_of_space
from store.segment_rows import SpaceState
from store.snapshots import KINDS, NOBODY, Snapshot, Windows
from store.vector_scan import Scanning, VectorScan

# Columns of `search_row` whose names are kept as numbers.
_NAMED = ("user_id", "agent_id", "session_id")


class Segment:
    """The resident rows of one space. `load`, `apply` and `load_facts` are called under the owner's lock."""

    def __init__(self, state: SpaceState, scanning: Scanning) -> None:
        """Start empty; `load` fills it."""
        self._state = state
        self._numbers = {name: GrowingArray(np.int32) for name in ("group", "position", "length", *_NAMED)}
        self._row_ids, self._text_keys = GrowingArray(np.int64), GrowingArray(np.int64)
        self._kinds = GrowingArray(np.int8)
        self._questions = GrowingArray(np.bool_)
        self._vectors = VectorScan(state.dimension, scanning)
        self._lacking: list[int] = []  # slots of rows that have no vector of the serving generation
        self._windows = _windows((), np.empty(0, dtype=np.int64))
        self._blocks: Blocks = ()
        self._name_blocks: Blocks = ()
        self._reading_order = np.empty(0, dtype=np.int64)
        self._groups: dict[tuple[str, str], int] = {}
        self._names: dict[str, int] = {}
        self._facts: FactColumns | None = None
        self._times: RowTimes | None = None

    @property
    def state(self) -> SpaceState:
        """What the segment has been brought up to."""
        return self._state

    @classmethod
    def load(cls, db: Reader, state: SpaceState, scanning: Scanning) -> Segment:
        """Read a space whole.

        Args:
            db: inside the read transaction that `state` was read in.
            state: of the space.
            scanning: how its vectors are compared.
        """
        loaded = cls(state, scanning)
        for rows in segment_rows.rows_of_space(db, state.space_id):
            vectors = segment_rows.vectors_between(db, rows[0]["id"], rows[-1]["id"], state.generation_id)
            loaded._append(rows, vectors)
        loaded._windows = _windows(segment_rows.windows_of_space(db, state.space_id), loaded._row_ids.view())
        for block in loaded._blocks:
            block.index  # noqa: B018 - made now, so that what it takes meanwhile is given back with the rest
        return loaded

    def apply(self, db: Reader, state: SpaceState) -> bool:
        """Bring the segment up to a later state of its space.

        Args:
            db: inside the read transaction that `state` was read in.
            state: of the space.

        Returns:
            False when that needs a load from the beginning: a row was erased, the model changed, changes were pruned.
        """
        if (state.space_id, state.generation_id) != (self._state.space_id, self._state.generation_id):
            return False
        changed = segment_rows.changes(db, state.space_id, self._state.sequence, state.sequence)
        last = int(self._row_ids.view()[-1]) if len(self._row_ids) else -1
        if not changed.complete or (changed.added and changed.added[0] <= last):
            return False
        vectors = segment_rows.vectors_by_row(db, changed.added, state.generation_id)
        self._append(segment_rows.rows_by_id(db, changed.added), vectors)
        self._replace_windows(db, changed.altered)
        if self._facts is not None:
            self._facts = self._described(self._facts, segment_rows.facts_by_row(db, changed.altered))
        if self._times is not None:
            self._times = self._times.with_rows(self._row_ids.view(), times_by_row(db, changed.altered))
        self._state = state
        return True

    def load_facts(self, db: Reader) -> None:
        """Read what filters may ask of every row, once; `apply` keeps it fresh from then on."""
        if self._facts is None:
            self._facts = self._described(FactColumns.empty(), segment_rows.facts_of_space(db, self._state.space_id))

    def load_times(self, db: Reader) -> None:
        """Read when what each row speaks of was, once; `apply` keeps it fresh from then on."""
        if self._times is None:
            times = times_of_space(db, self._state.space_id)
            self._times = RowTimes.empty().with_rows(self._row_ids.view(), times)

    def snapshot(self) -> Snapshot:
        """Return what a query may read without a lock."""
        numbers = {name: column.view() for name, column in self._numbers.items()}
        self._reading_order = _with_rows(self._reading_order, numbers["group"], numbers["position"])
        return Snapshot(
            space_id=self._state.space_id, sequence=self._state.sequence, generation_id=self._state.generation_id,
            model=self._state.model, row_ids=self._row_ids.view(), kinds=self._kinds.view(),
            compared=self._vectors.view(), groups=numbers["group"],
            users=numbers["user_id"], agents=numbers["agent_id"], sessions=numbers["session_id"],
            lengths=numbers["length"], questions=self._questions.view(),
            reading_order=self._reading_order, text_keys=self._text_keys.view(),
            windows=self._windows, blocks=self._blocks, facts=self._facts, times=self._times,
            names=self._names, name_blocks=self._name_blocks, own_bytes=self._nbytes(), lacking=self._lacking_mask(),
        )  # fmt: skip

    def _lacking_mask(self) -> npt.NDArray[np.bool_] | None:
        if not self._lacking:
            return None
        mask = np.zeros(len(self._row_ids), dtype=np.bool_)
        mask[self._lacking] = True
        return mask

    def _nbytes(self) -> int:
        columns = (
            *self._numbers.values(),
            self._row_ids,
            self._text_keys,
            self._kinds,
            self._questions,
        )
        windows = self._windows.slots.nbytes * 9  # one int32 and four int64
        postings = sum(block.nbytes for block in (*self._blocks, *self._name_blocks))
        arrays = sum(column.nbytes for column in columns) + self._vectors.nbytes + self._reading_order.nbytes
        return arrays + windows + postings + (0 if self._times is None else self._times.nbytes)

    def _append(self, rows: Sequence[Any], vectors: Iterable[tuple[int, bytes]]) -> None:
        if not rows:
            return
        first = len(self._row_ids)
        self._blocks = with_block(self._blocks, block_of([row["shadow"] for row in rows], first))
        self._name_blocks = with_block(
            self._name_blocks, block_of([links(row["names"], row["speaker"]) for row in rows], first)
        )
        self._row_ids.append([row["id"] for row in rows])
        self._kinds.append([KINDS[row["kind"]] for row in rows])
        self._questions.append([row["kind"] == "memory" and asks(row["said"]) for row in rows])
        # Terms have no signs: "5 > 3" and "5 < 3" have the same.
        self._text_keys.append([hash((row["shadow"], normalised(row["said"]))) for row in rows])
        self._append_vectors(first, vectors)
        self._numbers["group"].append(
            [self._groups.setdefault((row["kind"], row["group_key"]), len(self._groups)) for row in rows]
        )
        self._numbers["position"].append([row["position"] for row in rows])
        self._numbers["length"].append([row["terms"] for row in rows])
        for name in _NAMED:
            self._numbers[name].append([self._number(row[name]) for row in rows])

    def _append_vectors(self, first: int, read: Iterable[tuple[int, bytes]]) -> None:
        """Give the rows from a slot on their vectors; those that have none of the serving generation get zeros."""
        slots = {row_id: slot for slot, row_id in enumerate(self._row_ids.view()[first:].tolist())}
        vectors = np.zeros((len(slots), self._state.dimension), dtype=np.float32)
        for row_id, data in read:
            # A row of the vectors that came after the space was read is for the next time.
            if (slot := slots.pop(row_id, None)) is not None:
                vectors[slot] = np.frombuffer(data, dtype="<f4")
        self._lacking += [first + slot for slot in slots.values()]
        self._vectors.append(vectors)

    def _number(self, name: str | None) -> int:
        return NOBODY if name is None else self._names.setdefault(name, len(self._names))

    def _replace_windows(self, db: Reader, row_ids: Sequence[int]) -> None:
        """Read the windows of some rows anew. The old arrays stay as they are for whoever holds them."""
        if not row_ids:
            return
        all_ids = self._row_ids.view()
        old, new = self._windows, _windows(segment_rows.windows_by_row(db, row_ids), all_ids)
        kept = ~np.isin(all_ids, np.array(row_ids, dtype=np.int64))[old.slots]
        self._windows = Windows(
            *(np.concatenate((getattr(old, name)[kept], getattr(new, name))) for name in Windows.__slots__)
        )

    def _described(self, facts: FactColumns, read: Iterable[tuple[int, str, str]]) -> FactColumns:
        """Return facts with those of some rows, by row id; a row that came since the segment was read is left out."""
        rows, row_ids = list(read), self._row_ids.view()
        ids = np.array([row_id for row_id, _, _ in rows], dtype=np.int64)
        places = zip(np.searchsorted(row_ids, ids).tolist(), np.isin(ids, row_ids).tolist(), rows, strict=True)
        return facts.with_rows(len(row_ids), [(slot, own, sent) for slot, known, (_, own, sent) in places if known])


def _with_rows(
    reading_order: npt.NDArray[np.int64], groups: npt.NDArray[np.int32], positions: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Put the rows that came since into the reading order: by group, position and slot.

    Args:
        reading_order: of the first rows; it is not changed.
        groups: (n,), of all rows.
        positions: (n,).
    """
    first = len(reading_order)
    added = first + np.lexsort((positions[first:], groups[first:]))
    if not first or not len(added):
        return added if len(added) else reading_order
    # One number that sorts as both do.
    keys = (groups.astype(np.int64) << 32) + positions
    return np.insert(reading_order, np.searchsorted(keys[reading_order], keys[added], side="right"), added)


def _windows(read: npt.ArrayLike, row_ids: npt.NDArray[np.int64]) -> Windows:
    table = np.asarray(read, dtype=np.int64).reshape(-1, 5)
    slots = np.searchsorted(row_ids, table[:, 0])
    return Windows(slots.astype(np.int32), table[:, 1], table[:, 2], table[:, 3], table[:, 4])
