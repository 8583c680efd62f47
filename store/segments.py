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
from store.connection import Reader, Store
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


class SegmentCache:
    """Hands out snapshots of spaces. Thread safe."""

    def __init__(self, store: Store, *, memory_bytes: int = 1024**3, scanning: Scanning | None = None) -> None:
        """Start empty.

        Args:
            store: the truth.
            memory_bytes: resident segments kept before the least used is dropped; the one in use always stays.
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
        with self._store.read(tenant) as db:
            state = space_state(db, space)
            if state is None:
                return None
            resident = self._resident((tenant, space))
            snapshot = resident.snapshot
            if snapshot is None or _behind(snapshot, state, facts, times):
                snapshot = self._refresh(db, resident, state, facts, times)
                self._evict((tenant, space))
        return snapshot

    def _resident(self, key: tuple[str, str]) -> _Resident:
        with self._guard:
            resident = self._residents.setdefault(key, _Resident())
            self._residents.move_to_end(key)
            return resident

    def _refresh(self, db: Reader, resident: _Resident, state: SpaceState, facts: bool, times: bool) -> Snapshot:
        """Bring a resident up to a state at least, under its lock; `db` is in the snapshot that the state is of."""
        with resident.lock:
            held, snapshot = resident.segment, resident.snapshot
            if held is not None and snapshot is not None and not _behind(snapshot, state, facts, times):
                return snapshot
            tail = state.sequence - held.state.sequence if held is not None else 0
            if held is None or tail > _LONGEST_TAIL or not held.apply(db, state):
                held = Segment.load(db, state, self._scanning)
                heap.trim()
            if facts:
                held.load_facts(db)
            if times:
                held.load_times(db)
            # Only a complete segment is kept: after an error on the way the next query finds the last one and reloads.
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
    # A thread may have read an older number than another has applied since: that is not behind.
    if snapshot.sequence > state.sequence:
        return unread
    newer = snapshot.sequence < state.sequence or snapshot.generation_id != state.generation_id
    return newer or unread
