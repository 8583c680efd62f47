"""The memories nearest to a candidate, as the writer's own transaction sees them.

The vectors of a space's memories stay resident between commits and follow the `change` table. Whoever rolls a
transaction back calls `forget`: the numbers of rows that never came to be are given to others.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from memory.records import Micros, Owner
from store import memories, segment_rows
from store.connection import Reader
from store.growing import GrowingArray
from store.memories import VersionRef

Floats = npt.NDArray[np.float32]

# Vectors of 100,000 memories take 150 MB; spaces that were not written to lately are read again when they are.
MEMORY_BYTES = 256 * 1024**2
# Candidates of a space whose nearest rows are remembered: twice those under judgement at a time.
MOST_LOOKED = 128

_ROWS = """
    SELECT search_row.id, user_id, agent_id, data FROM search_row
    JOIN vector ON vector.row_id = search_row.id AND vector.generation_id = ?
    WHERE search_row.kind = 'memory'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A live memory with how near it is, and the mark of its windows."""

    version: VersionRef
    similarity: float  # cosine, -1..1
    mark: str  # changes whenever what is believed of its validity does
    begins: Micros  # of its last window


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """The rows at or above the floor among the first ones; rows are only ever added, so these stay right."""

    rows: int = 0
    places: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    similarities: Floats = field(default_factory=lambda: np.empty(0, np.float32))

    def further(self, similarities: Floats, floor: float) -> _Looked:
        """Return what is known with the next rows."""
        places = np.flatnonzero(similarities >= floor)
        return _Looked(
            rows=self.rows + len(similarities),
            places=np.concatenate([self.places, (places + self.rows).astype(np.int32)]),
            similarities=np.concatenate([self.similarities, similarities[places]]),
        )


class _Space:
    """The resident vectors of one space, and what was found near to candidates that are looked at again and again."""

    def __init__(self, generation_id: int, dimension: int) -> None:
        self.generation_id = generation_id
        self.sequence = -1
        self._ids: list[int] = []
        self._owners: dict[tuple[str | None, str | None], int] = {}  # numbered in the order they are met
        self._owned = GrowingArray(np.int32)
        self._vectors = GrowingArray(np.float32, dimension)
        self._ended: set[int] = set()  # places of rows that were found to have no window ahead
        self._looked: OrderedDict[tuple[bytes, float], _Looked] = OrderedDict()

    @property
    def nbytes(self) -> int:
        return self._vectors.nbytes

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            self._ids += [row["id"] for row in rows]
            whose = [(row["user_id"], row["agent_id"]) for row in rows]
            self._owned.append([self._owners.setdefault(one, len(self._owners)) for one in whose])
            self._vectors.append(np.frombuffer(b"".join(row["data"] for row in rows), dtype="<f4"))

    def reopen(self, row_ids: Sequence[int]) -> None:
        changed = set(row_ids)
        self._ended = {place for place in self._ended if self._ids[place] not in changed}

    def end(self, place: int) -> None:
        self._ended.add(place)

    def expect(self, vectors: Sequence[bytes], floor: float) -> None:
        """Compare several vectors with all rows at once, which reads the rows once and not for each."""
        new = [one for one in dict.fromkeys(vectors) if (one, floor) not in self._looked]
        if new and self._ids:
            rows = self._vectors.view()
            found = np.stack([np.frombuffer(one, dtype="<f4") for one in new]) @ rows.T
            for one, similarities in zip(new, found, strict=True):
                self._keep(one, floor, _Looked().further(similarities, floor))

    def above(self, vector: bytes, owner: Owner, floor: float) -> Iterator[tuple[int, int, float]]:
        """Yield (place, row id, similarity) of an owner's rows at or above a floor, nearest first, older first."""
        number = self._owners.get((owner.user, owner.agent))
        if number is None:
            return
        looked = self._looked.get((vector, floor), _Looked())
        if looked.rows < len(self._ids):
            added = self._vectors.view()[looked.rows :]
            looked = looked.further(added @ np.frombuffer(vector, dtype="<f4"), floor)
        self._keep(vector, floor, looked)
        mine = self._owned.view()[looked.places] == number
        places, similarities = looked.places[mine], looked.similarities[mine]
        for index in np.argsort(-similarities, kind="stable"):
            place = int(places[index])
            if place not in self._ended:
                yield place, self._ids[place], float(similarities[index])

    def _keep(self, vector: bytes, floor: float, looked: _Looked) -> None:
        self._looked[(vector, floor)] = looked
        self._looked.move_to_end((vector, floor))
        while len(self._looked) > MOST_LOOKED:
            self._looked.popitem(last=False)


class NearMemories:
    """Finds live memories by likeness. For one thread: the writer's."""

    def __init__(self, *, memory_bytes: int = MEMORY_BYTES) -> None:
        """Start empty.

        Args:
            memory_bytes: resident vectors kept before the space used least lately is dropped.
        """
        self._memory_bytes = memory_bytes
        self._spaces: OrderedDict[tuple[str, int], _Space] = OrderedDict()

    def forget(self) -> None:
        """Drop everything resident, because a transaction was rolled back."""
        self._spaces.clear()

    def expect(self, db: Reader, tenant: str, space_id: int, vectors: Sequence[bytes], *, floor: float) -> None:
        """Prepare to be asked for the nearest memories of several vectors: together they cost little more than one.

        Args:
            db: the writer's transaction.
            tenant: whose file it is.
            space_id: the space.
            vectors: little-endian float32, of the serving generation.
            floor: least similarity.
        """
        space = self._fresh(db, tenant, space_id)
        if space is not None:
            space.expect(vectors, floor)

    def nearest(
        self,
        db: Reader,
        tenant: str,
        space_id: int,
        vector: bytes,
        owner: Owner,
        *,
        at: Micros,
        floor: float,
        most: int,
    ) -> list[Near]:
        """Return the memories of an owner that hold now or will, nearest first.

        Args:
            db: the writer's transaction; what it has written itself is found.
            tenant: whose file it is.
            space_id: the space.
            vector: little-endian float32, of the serving generation.
            owner: its user and agent must be the memory's.
            at: now.
            floor: least similarity.
            most: how many at most.
        """
        space = self._fresh(db, tenant, space_id)
        if space is None:
            return []
        near: list[Near] = []
        for place, row_id, similarity in space.above(vector, owner, floor):
            found = memories.ahead_by_row(db, row_id, at=at)
            if found is None:
                space.end(place)
                continue
            version, mark, begins = found
            near.append(Near(version=version, similarity=similarity, mark=mark, begins=begins))
            if len(near) == most:
                break
        return near

    def _fresh(self, db: Reader, tenant: str, space_id: int) -> _Space | None:
        state = db.execute(
            """
            SELECT id, dimension, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change'), 0) AS sequence
            FROM generation WHERE state = 'serving'
            """
        ).fetchone()
        if state is None:
            return None
        key = (tenant, space_id)
        space = self._spaces.get(key)
        if space is None or space.generation_id != state["id"] or not self._caught_up(db, space_id, space, state):
            space = self._spaces[key] = self._loaded(db, space_id, state)
        self._spaces.move_to_end(key)
        self._evict()
        return space

    @staticmethod
    def _caught_up(db: Reader, space_id: int, space: _Space, state: Mapping[str, Any]) -> bool:
        if space.sequence == state["sequence"]:
            return True
        changed = segment_rows.changes(db, space_id, space.sequence, state["sequence"])
        if not changed.complete:
            return False
        for row_id in changed.added:
            space.append(db.execute(f"{_ROWS} AND search_row.id = ?", (space.generation_id, row_id)).fetchall())
        space.reopen(changed.altered)
        space.sequence = state["sequence"]
        return True

    @staticmethod
    def _loaded(db: Reader, space_id: int, state: Mapping[str, Any]) -> _Space:
        space = _Space(state["id"], state["dimension"])
        space.append(db.execute(f"{_ROWS} AND space_id = ? ORDER BY search_row.id", (state["id"], space_id)).fetchall())
        space.sequence = state["sequence"]
        return space

    def _evict(self) -> None:
        while len(self._spaces) > 1 and sum(space.nbytes for space in self._spaces.values()) > self._memory_bytes:
            self._spaces.popitem(last=False)
