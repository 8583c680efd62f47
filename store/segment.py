"""One space resident in memory: grown by its writer under a lock, read through snapshots without one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.segmentation import segment
from store import segment_rows
from store.connection import Reader
from store.growing import GrowingArray
from store.postings import Blocks, block_of, with_block
from store.segment_rows import SpaceState
from store.snapshots import KINDS, NOBODY, Snapshot, Windows

# Columns of `search_row` whose names are kept as numbers.
_NAMED = ("user_id", "agent_id", "session_id", "speaker")

# What one different set of facts costs, about.
_FACT_BYTES = 500


class Segment:
    """The resident rows of one space. `load`, `apply` and `load_facts` are called under the owner's lock."""

    def __init__(self, state: SpaceState) -> None:
        """Start empty; `load` fills it."""
        self._state = state
        self._numbers = {name: GrowingArray(np.int32) for name in ("group", "position", "length", *_NAMED)}
        self._row_ids, self._text_keys = GrowingArray(np.int64), GrowingArray(np.int64)
        self._kinds = GrowingArray(np.int8)
        self._vectors = GrowingArray(np.float32, state.dimension)
        self._lacking: list[int] = []  # slots of rows that have no vector of the serving generation
        self._windows = _windows((), np.empty(0, dtype=np.int64))
        self._blocks: Blocks = ()
        self._reading_order = np.empty(0, dtype=np.int64)
        self._groups: dict[tuple[str, str], int] = {}
        self._names: dict[str, int] = {}
        self._speaker_terms: dict[int, frozenset[str]] = {}
        self._facts: npt.NDArray[np.int32] | None = None
        self._fact_numbers: dict[tuple[str, str], int] = {}
        self._fact_values: list[dict[str, Any]] = []

    @property
    def state(self) -> SpaceState:
        """What the segment has been brought up to."""
        return self._state

    @classmethod
    def load(cls, db: Reader, state: SpaceState) -> Segment:
        """Read a space whole.

        Args:
            db: inside the read transaction that `state` was read in.
            state: of the space.
        """
        loaded = cls(state)
        loaded._append(segment_rows.rows_of_space(db, state.space_id, state.generation_id))
        loaded._windows = _windows(segment_rows.windows_of_space(db, state.space_id), loaded._row_ids.view())
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
        self._append(segment_rows.rows_by_id(db, changed.added, state.generation_id))
        self._replace_windows(db, changed.windows)
        if self._facts is not None:
            self._set_facts(segment_rows.facts_by_row(db, changed.metadata))
        self._state = state
        return True

    def load_facts(self, db: Reader) -> None:
        """Read what filters may ask of every row, once; `apply` keeps it fresh from then on."""
        if self._facts is None:
            self._facts = np.full(0, NOBODY, dtype=np.int32)
            self._set_facts(segment_rows.facts_of_space(db, self._state.space_id))

    def snapshot(self) -> Snapshot:
        """Return what a query may read without a lock."""
        numbers = {name: column.view() for name, column in self._numbers.items()}
        if len(self._reading_order) != len(self._row_ids):
            self._reading_order = np.lexsort((numbers["position"], numbers["group"]))
        return Snapshot(
            space_id=self._state.space_id, sequence=self._state.sequence, generation_id=self._state.generation_id,
            model=self._state.model, row_ids=self._row_ids.view(), kinds=self._kinds.view(),
            vectors=self._vectors.view(), groups=numbers["group"],
            users=numbers["user_id"], agents=numbers["agent_id"], sessions=numbers["session_id"],
            speakers=numbers["speaker"], lengths=numbers["length"],
            reading_order=self._reading_order, text_keys=self._text_keys.view(),
            windows=self._windows, blocks=self._blocks, facts=self._facts, fact_values=self._fact_values,
            names=self._names, speaker_terms=self._speaker_terms, nbytes=self._nbytes(), lacking=self._lacking_mask(),
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
            self._vectors,
        )
        windows = self._windows.slots.nbytes * 9  # one int32 and four int64
        postings = sum(block.nbytes for block in self._blocks)
        arrays = sum(column.nbytes for column in columns) + self._reading_order.nbytes
        return arrays + windows + postings + _FACT_BYTES * len(self._fact_values)

    def _append(self, rows: Sequence[Any]) -> None:
        if not rows:
            return
        first = len(self._row_ids)
        self._blocks = with_block(self._blocks, block_of([row["shadow"] for row in rows], first))
        self._row_ids.append([row["id"] for row in rows])
        self._kinds.append([KINDS[row["kind"]] for row in rows])
        self._text_keys.append([hash(row["shadow"]) for row in rows])
        missing = bytes(4 * self._state.dimension)
        self._lacking += [first + place for place, row in enumerate(rows) if row["data"] is None]
        self._vectors.append(np.frombuffer(b"".join(row["data"] or missing for row in rows), dtype="<f4"))
        self._numbers["group"].append(
            [self._groups.setdefault((row["kind"], row["group_key"]), len(self._groups)) for row in rows]
        )
        self._numbers["position"].append([row["position"] for row in rows])
        self._numbers["length"].append([row["terms"] for row in rows])
        for name in _NAMED:
            self._numbers[name].append([self._number(row[name]) for row in rows])
        for speaker in {row["speaker"] for row in rows} - {None}:
            self._speaker_terms.setdefault(self._number(speaker), frozenset(segment(speaker)))

    def _number(self, name: str | None) -> int:
        return NOBODY if name is None else self._names.setdefault(name, len(self._names))

    def _replace_windows(self, db: Reader, row_ids: Sequence[int]) -> None:
        """Read the windows of some rows anew. The old arrays stay as they are for whoever holds them."""
        if not row_ids:
            return
        all_ids = self._row_ids.view()
        old, new = self._windows, _windows(segment_rows.windows_by_row(db, row_ids), all_ids)
        kept = ~np.isin(all_ids[old.slots], np.array(row_ids, dtype=np.int64))
        self._windows = Windows(
            *(np.concatenate((getattr(old, name)[kept], getattr(new, name))) for name in Windows.__slots__)
        )

    def _set_facts(self, read: Iterable[tuple[int, str, str]]) -> None:
        """Give rows their facts in a new array; equal facts are kept once."""
        row_ids = self._row_ids.view()
        facts = np.full(len(row_ids), NOBODY, dtype=np.int32)
        if self._facts is not None:
            facts[: len(self._facts)] = self._facts
        for row_id, own, metadata in read:
            slot = int(np.searchsorted(row_ids, row_id))
            if slot < len(row_ids) and row_ids[slot] == row_id:
                facts[slot] = self._fact_number(own, metadata)
        self._facts = facts

    def _fact_number(self, own: str, metadata: str) -> int:
        number = self._fact_numbers.get((own, metadata))
        if number is None:
            self._fact_values.append(segment_rows.read_facts(own, metadata))
            number = self._fact_numbers[own, metadata] = len(self._fact_values) - 1
        return number


def _windows(read: Sequence[tuple[int, int, int, int, int]], row_ids: npt.NDArray[np.int64]) -> Windows:
    table = np.array(read, dtype=np.int64).reshape(-1, 5)
    slots = np.searchsorted(row_ids, table[:, 0])
    return Windows(slots.astype(np.int32), table[:, 1], table[:, 2], table[:, 3], table[:, 4])
