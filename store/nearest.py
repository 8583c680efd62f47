"""The memories nearest to a candidate, as the writer's own transaction sees them.

The vectors of a space's memories stay resident between commits and follow the `change` table. Whoever rolls a
transaction back calls `forget`: the numbers of rows that never came to be are given to others.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


class _Space:
    """The resident vectors of one space."""

    def __init__(self, generation_id: int, dimension: int) -> None:
        self.generation_id = generation_id
        self.sequence = -1
        self._ids: list[int] = []
        self._owners: list[tuple[str | None, str | None]] = []
        self._vectors = GrowingArray(np.float32, dimension)
        self._ended: set[int] = set()  # places of rows that were found to have no window ahead

    @property
    def nbytes(self) -> int:
        return self._vectors.nbytes

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            self._ids += [row["id"] for row in rows]
            self._owners += [(row["user_id"], row["agent_id"]) for row in rows]
            self._vectors.append(np.frombuffer(b"".join(row["data"] for row in rows), dtype="<f4"))

    def reopen(self, row_ids: Sequence[int]) -> None:
        changed = set(row_ids)
        self._ended = {place for place in self._ended if self._ids[place] not in changed}

    def end(self, place: int) -> None:
        self._ended.add(place)

    def above(self, vector: Floats, owner: Owner, floor: float) -> list[tuple[int, int, float]]:
        """Return (place, row id, similarity) of an owner's rows at or above a floor, nearest first, older first."""
        if not self._ids:
            return []
        found = self._vectors.view() @ vector
        places = np.flatnonzero(found >= floor)
        whose = (owner.user, owner.agent)
        near = [
            (int(place), self._ids[place], float(found[place]))
            for place in places[np.argsort(-found[places], kind="stable")]
            if place not in self._ended and self._owners[place] == whose
        ]
        return near


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
        for place, row_id, similarity in space.above(np.frombuffer(vector, dtype="<f4"), owner, floor):
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
        space.reopen(changed.windows)
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
