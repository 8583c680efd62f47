"""What one query sees of a space: arrays that do not change under it, and the masks drawn from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from memory.lexical import Posting, relative_lengths
from memory.records import BEGINNING, FOREVER, Micros, RowKind, Scope
from memory.segmentation import joined_terms, query_terms
from store.fact_columns import FactColumns
from store.postings import Blocks, BlockTerms, expanded, posting
from store.row_times import RowTimes
from store.vector_scan import VectorRows
from store.views import Span, View, Views, view_of

Mask = npt.NDArray[np.bool_]
Longs = npt.NDArray[np.int64]
Integers = npt.NDArray[np.int32]

KINDS: Mapping[str, int] = {"memory": 0, "chunk": 1}
NOBODY = -1
# Terms of a query that are looked up: a question has 20, a text that is pasted into one a thousand. Each takes up to a
# tenth of a millisecond.
MOST_TERMS = 64


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

    def held(self, as_of: Micros, known_at: Micros) -> Integers:
        """Return the slots that have a window containing `as_of` and recorded by `known_at`, retired since or not."""
        return self.slots[(self.valid_from <= as_of) & (as_of < self.valid_to) & (self.recorded_at <= known_at)]

    def begins(self, count: int, as_of: Micros, known_at: Micros) -> Longs:
        """Return from when on each row holds, by the window that contains both times.

        Args:
            count: n, rows of the space.
            as_of: when it was true.
            known_at: when it was believed.

        Returns:
            int64 (n,), microseconds; BEGINNING for a row that always did, or has no such window.
        """
        true = (self.valid_from <= as_of) & (as_of < self.valid_to)
        believed = (self.recorded_at <= known_at) & (known_at < self.retired_at)
        found = np.full(count, BEGINNING, dtype=np.int64)
        found[self.slots[true & believed]] = self.valid_from[true & believed]
        return found

    def steady(self, as_of: Micros, known_at: Micros) -> tuple[Span, Span]:
        """Return the times around both for which the same windows hold: up to the next bound of any."""
        return _between(as_of, self.valid_from, self.valid_to), _between(known_at, self.recorded_at, self.retired_at)


def _between(at: Micros, *bounds: Longs) -> Span:
    """Return the stretch of a clock that has a time in it and no bound behind its first moment."""
    first, end = BEGINNING, FOREVER
    for values in bounds:
        passed = values <= at
        first = max(first, int(values.max(initial=BEGINNING, where=passed)))
        end = min(end, int(values.min(initial=FOREVER, where=~passed)))
    return Span(first, end)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """The rows of one space as of one change. Slot i is the i-th row; slots ascend with row ids."""

    space_id: int
    sequence: int  # the newest change it contains
    generation_id: int | None  # of the vectors; None before the first
    model: str  # that made the vectors; "" before the first
    row_ids: Longs  # (n,)
    kinds: npt.NDArray[np.int8]  # (n,), see KINDS
    compared: VectorRows  # (n, dimension), of the serving generation; zeros for a row without
    groups: Integers  # (n,), equal in the same session or document and kind
    users: Integers  # (n,), numbers of names; NOBODY for none
    agents: Integers
    sessions: Integers
    lengths: Integers  # (n,), terms
    questions: Mask  # (n,), memories that end with a question
    reading_order: Longs  # (n,), slots sorted by group, position and slot
    text_keys: Longs  # (n,), equal when the text is, as `memory.statements.normalised` compares
    windows: Windows
    blocks: Blocks
    facts: FactColumns | None  # what filters ask of the rows; None until one has asked
    names: Mapping[str, int]  # number of each user, agent and session; grows only
    name_blocks: Blocks  # postings of the names that rows are linked to: as often as the link counts
    times: RowTimes | None = None  # when what the rows speak of was; None until a question has named a time
    own_bytes: int = 0  # taken by what never changes
    lacking: Mask | None = None  # (n,), rows without a vector of the serving generation; None when all have one
    views: Views = field(default_factory=Views)  # what was worked out for the last queries

    def __len__(self) -> int:
        return len(self.row_ids)

    @property
    def nbytes(self) -> int:
        """Bytes taken, about, with what queries have made of it so far."""
        return self.own_bytes + (0 if self.facts is None else self.facts.nbytes) + self.views.nbytes

    @property
    def vectors(self) -> npt.NDArray[np.float32]:
        """The vectors themselves; float32 (n, dimension)."""
        return self.compared.vectors

    def visible(self, scope: Scope, *, as_of: Micros, known_at: Micros, kinds: Collection[RowKind]) -> Mask:
        """Say which rows a scope may see at a point of both clocks.

        A row without a window is staged and never visible. A row that has a user, agent or session is visible only to a
        scope that names the same or none.

        Returns:
            bool (n,).
        """
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[self.windows.holding(as_of, known_at)] = True
        return mask & self._owned(scope, kinds)

    def _owned(self, scope: Scope, kinds: Collection[RowKind]) -> Mask:
        """Mark the rows of some kinds that are of nobody the scope does not name; bool (n,)."""
        mask = np.isin(self.kinds, [KINDS[kind] for kind in kinds])
        for name, owners in ((scope.user, self.users), (scope.agent, self.agents), (scope.session, self.sessions)):
            if name is not None:
                mask &= (owners == NOBODY) | (owners == self.names.get(name, NOBODY))
        return mask

    def view(self, scope: Scope, *, as_of: Micros, known_at: Micros, kinds: Collection[RowKind]) -> View:
        """Return what `visible` says with what follows from it; kept for the queries to come."""

        def make() -> View:
            mask = self.visible(scope, as_of=as_of, known_at=known_at, kinds=kinds)
            lengths = relative_lengths(self.lengths, self.kinds, mask)
            return view_of(mask, self.reading_order, lengths, *self.windows.steady(as_of, known_at))

        key = (scope.user, scope.agent, scope.session, frozenset(kinds))
        return self.views.get(key, as_of=as_of, known_at=known_at, make=make)

    def view_with(
        self, scope: Scope, row_ids: Collection[int], *, as_of: Micros, known_at: Micros, kinds: Collection[RowKind]
    ) -> View:
        """Return a view that has these rows too, though nobody believes them any more; not kept.

        They must have been true then by what was believed once, and of nobody the scope does not name.
        """
        once = np.zeros(len(self), dtype=np.bool_)
        once[self.windows.held(as_of, known_at)] = True
        gone = once & self.among(row_ids) & self._owned(scope, kinds)
        mask = gone | self.visible(scope, as_of=as_of, known_at=known_at, kinds=kinds)
        lengths = relative_lengths(self.lengths, self.kinds, mask)
        return view_of(mask, self.reading_order, lengths, *self.windows.steady(as_of, known_at))

    def nearest(
        self, query: npt.NDArray[np.float32], mask: Mask, most: int, *, exact: bool = False
    ) -> tuple[Longs, npt.NDArray[np.float32]]:
        """Return the slots of the rows of a mask nearest to a query, and their cosines; see `VectorRows.nearest`."""
        return self.compared.nearest(query, mask, most, exact=exact)

    def among(self, row_ids: Collection[int]) -> Mask:
        """Mark the rows with these ids; bool (n,)."""
        return np.isin(self.row_ids, np.fromiter(row_ids, dtype=np.int64, count=len(row_ids)))

    def owned_by_session(self, session: str) -> Mask:
        """Mark the rows that were written for a session; bool (n,)."""
        return np.asarray(self.sessions == self.names[session] if session in self.names else self.sessions < NOBODY)

    def posting(self, term: str) -> Posting:
        """Return where a term stands among these rows."""
        return posting(self.blocks, term)

    def query_postings(self, q: str, visible: Mask) -> dict[str, Posting]:
        """Return where each term of a query stands among the visible rows, or one that it may also mean.

        Of a query of more terms than `MOST_TERMS` those count that fewest rows say, and then those that none does.
        """
        joined, terms = joined_terms(q), query_terms(q)
        if len(terms) > MOST_TERMS:
            terms = self._most_telling(terms, visible)
        return {term: expanded(self.blocks, term, visible, joined.get(term, ())) for term in terms}

    def _most_telling(self, terms: Sequence[str], visible: Mask) -> list[str]:
        """Return `MOST_TERMS` terms in their order: the heaviest that a row says, and others when these are fewer."""
        said = [int(np.count_nonzero(visible.take(self.posting(term).slots))) for term in terms]
        order = sorted(range(len(terms)), key=lambda number: (said[number] or len(self) + 1, number))
        return [terms[number] for number in sorted(order[:MOST_TERMS])]

    def knows(self, name: str) -> bool:
        """Say whether any row is linked to a name, by its key."""
        return name in BlockTerms(self.name_blocks)

    def linked(self, name: str) -> Posting:
        """Return the rows that are linked to a name, by its key; counted as often as the link counts."""
        return posting(self.name_blocks, name)
