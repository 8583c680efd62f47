"""Resident segments of every tenant: loaded at the first search, fresh at each, the least used dropped.

SQLite stays the only truth. Every query asks the file for its newest change number and serving generation (one
statement of 4 microseconds; it needs no state per connection, as `PRAGMA data_version` would, and sees a change of
generation too). When the number has moved, the tail of the `change` table is applied. A thread that has committed sees
a number that includes its own change, so everybody reads their own writes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from store import heap
from store.connection import Store
from store.segment import Segment
from store.segment_rows import SpaceState, space_state
from store.snapshots import Snapshot
from store.vector_scan import Scanning

# With more changes than this to apply, reading the space anew is quicker.
_LONGEST_TAIL = 50_000


@dataclass(slots=True)
class _Resident:
    """A segment, the lock of whoever grows it, and what readers take."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    segment: Segment | None = None
    snapshot: Snapshot | None = None
    nbytes: int = 0  # of the snapshot, when they were last counted


class SegmentCache:
    """Hands out snapshots of spaces. Thread safe."""

    def __init__(self, store: Store, *, memory_bytes: int = 1024**3, scanning: Scanning | None = None) -> None:
        """Start empty.

        Args:
            store: the truth.
            memory_bytes: resident segments kept, with what queries made of them, before the least used is dropped; the
                one in use always stays.
            scanning: how vectors are compared; left out: as the machine allows.
        """
        self._store = store
        self._scanning = scanning or Scanning()
        self._memory_bytes = memory_bytes
        self._guard = threading.Lock()
        self._residents: OrderedDict[tuple[str, str], _Resident] = OrderedDict()

    def segment(self, tenant: str, space: str, *, facts: bool = False, times: bool = False) -> Snapshot | None:
        """Return a space as it is now.

        Args:
            tenant: owner of the data.
            space: name of the space.
            facts: a filter will ask for the facts of rows.
            times: a question names a time.

        Returns:
            A snapshot that contains every change committed before the call; None when there is no such space.
        """
        key = (tenant, space)
        with self._store.read(tenant) as db:
            state = space_state(db, space)
        if state is None:
            self._drop(key)
            return None
        resident = self._resident(key)
        snapshot = resident.snapshot
        if snapshot is None or _behind(snapshot, state, facts, times):
            snapshot = self._refresh(key, resident, facts, times)
        if snapshot is not None and snapshot.nbytes != resident.nbytes:
            resident.nbytes = snapshot.nbytes
            self._evict(key)
        return snapshot

    def _resident(self, key: tuple[str, str]) -> _Resident:
        with self._guard:
            resident = self._residents.setdefault(key, _Resident())
            self._residents.move_to_end(key)
            return resident

    def _drop(self, key: tuple[str, str]) -> None:
        """Give up what is resident of a space that is gone."""
        with self._guard:
            self._residents.pop(key, None)

    def _refresh(self, key: tuple[str, str], resident: _Resident, facts: bool, times: bool) -> Snapshot | None:
        """Bring a resident up to now, under its lock; None when its space has gone meanwhile."""
        tenant, space = key
        # Read under the lock: whoever had it before has seen nothing newer, so that no segment goes backwards.
        with resident.lock, self._store.read(tenant) as db:
            state = space_state(db, space)
            if state is None:
                self._drop(key)
                return None
            held, snapshot = resident.segment, resident.snapshot
            if held is not None and snapshot is not None and not _behind(snapshot, state, facts, times):
                return snapshot
            resident.segment = None  # an error on the way leaves it half changed: the next query reads the space anew
            tail = state.sequence - held.state.sequence if held is not None else 0
            if held is None or tail > _LONGEST_TAIL or not held.apply(db, state):
                held, snapshot = Segment.load(db, state, self._scanning), None
            if facts:
                held.load_facts(db)
            if times:
                held.load_times(db)
            if snapshot is None or (facts and snapshot.facts is None) or (times and snapshot.times is None):
                heap.trim()  # something was read of every row
            resident.segment, resident.snapshot = held, held.snapshot()
            return resident.snapshot

    def _evict(self, used: tuple[str, str]) -> None:
        with self._guard:
            sizes = {key: one.snapshot.nbytes for key, one in self._residents.items() if one.snapshot is not None}
            whole = sum(sizes.values())
            for key, size in sizes.items():
                if whole <= self._memory_bytes:
                    break
                if key != used:
                    del self._residents[key]
                    whole -= size


def _behind(snapshot: Snapshot, state: SpaceState, facts: bool, times: bool) -> bool:
    unread = (facts and snapshot.facts is None) or (times and snapshot.times is None)
    # The name has gone to another space: what was put away and came back, or a new one.
    if snapshot.space_id != state.space_id:
        return True
    # A thread may have read an older number than another has applied since: that is not behind.
    if snapshot.sequence > state.sequence:
        return unread
    newer = snapshot.sequence < state.sequence or snapshot.generation_id != state.generation_id
    return newer or unread
