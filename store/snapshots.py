"""What one query sees of a space: arrays that do not change under it, and the masks drawn from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.lexical import Posting
from memory.records import Micros, RowKind, Scope
from store.postings import Blocks, posting

Mask = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]
Integers = npt.NDArray[np.int32]

KINDS: Mapping[str, int] = {"memory": 0, "chunk": 1}
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Windows:
    """The validity windows of all rows, in no particular order."""

    slots: Integers  # (w,)
    valid_from: Longs  # microseconds
    valid_to: Longs  # exclusive
    recorded_at: Longs
    retired_at: Longs  # exclusive; FOREVER while believed

    def holding(self, as_of: Micros, known_at: Micros) -> Integers:
        """Return the slots that have a window containing both times; a slot may be there twice."""
        true = (self.valid_from <= as_of) & (as_of < self.valid_to)
        believed = (self.recorded_at <= known_at) & (known_at < self.retired_at)
        return self.slots[true & believed]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """The rows of one space as of one change. Slot i is the i-th row; slots ascend with row ids."""

    space_id: int
    sequence: int  # the newest change it contains
    generation_id: int | None  # of the vectors; None before the first
    model: str  # that made the vectors; "" before the first
    row_ids: Longs  # (n,)
    kinds: npt.NDArray[np.int8]  # (n,), see KINDS
    vectors: npt.NDArray[np.float32]  # (n, dimension), of the serving generation; zeros for a row without
    groups: Integers  # (n,), equal in the same session or document and kind
    users: Integers  # (n,), numbers of names; NOBODY for none
    agents: Integers
    sessions: Integers
    speakers: Integers
    lengths: Integers  # (n,), terms
    reading_order: Longs  # (n,), slots sorted by group, position and slot
    text_keys: Longs  # (n,), equal when the segmented text is
    windows: Windows
    blocks: Blocks
    facts: Integers | None  # (n,), number into fact_values; None until a filter has asked
    fact_values: Sequence[Mapping[str, Any]]  # what a filter may ask of a row; grows at the end only
    names: Mapping[str, int]  # number of each user, agent, session and speaker; grows only
    speaker_terms: Mapping[int, frozenset[str]]  # terms of each speaker's name, by number; grows only
    nbytes: int = field(default=0)
    lacking: Mask | None = None  # (n,), rows without a vector of the serving generation; None when all have one

    def __len__(self) -> int:
        return len(self.row_ids)

    def visible(self, scope: Scope, *, as_of: Micros, known_at: Micros, kinds: Collection[RowKind]) -> Mask:
        """Say which rows a scope may see at a point of both clocks.

        A row without a window is staged and never visible. A row that has a user, agent or session is visible only to a
        scope that names the same or none.

        Returns:
            bool (n,).
        """
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[self.windows.holding(as_of, known_at)] = True
        mask &= np.isin(self.kinds, [KINDS[kind] for kind in kinds])
        for name, owners in ((scope.user, self.users), (scope.agent, self.agents), (scope.session, self.sessions)):
            if name is not None:
                mask &= (owners == NOBODY) | (owners == self.names.get(name, NOBODY))
        return mask

    def among(self, row_ids: Collection[int]) -> Mask:
        """Mark the rows with these ids; bool (n,)."""
        return np.isin(self.row_ids, np.fromiter(row_ids, dtype=np.int64, count=len(row_ids)))

    def matching(self, test: Callable[[Mapping[str, Any]], bool]) -> Mask:
        """Mark the rows whose facts pass a test; each different set of facts is tested once.

        Returns:
            bool (n,).
        """
        if self.facts is None or not len(self):
            return np.zeros(len(self), dtype=np.bool_)
        numbers, inverse = np.unique(self.facts, return_inverse=True)
        passed = np.array([number >= 0 and test(self.fact_values[number]) for number in numbers], dtype=np.bool_)
        return np.asarray(passed[inverse], dtype=np.bool_)

    def posting(self, term: str) -> Posting:
        """Return where a term stands among these rows."""
        return posting(self.blocks, term)

    def named_speaker(self, terms: Collection[str]) -> int:
        """Return the number of the one speaker whose whole name is among some terms; NOBODY for none or several."""
        asked = frozenset(terms)
        named = [number for number, name in tuple(self.speaker_terms.items()) if name and name <= asked]
        return named[0] if len(named) == 1 else NOBODY
