"""Keeps threads free for reads: only so many of the API's threads may write or wait at a time.

At most half are in writing requests, at most a quarter wait for a job to end. A write over that waits a moment for a place,
because a write in a healthy store takes milliseconds; when the place does not come, the writers are stuck behind a lock, and
until one of them gets on all further writes are refused at once. So a locked store costs reads at most that moment.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from memory.errors import Busy

# Reads are promised 200 ms behind a locked store; this leaves them a quarter of it.
PLACE_SECONDS = 0.15


class Limits:
    """The places of one API process."""

    def __init__(self, threads: int) -> None:
        """Make places for half of the threads to write and a quarter of them to wait; at least one each."""
        self._writers = threading.BoundedSemaphore(max(1, threads // 2))
        self._waiters = threading.BoundedSemaphore(max(1, threads // 4))
        self._stuck = False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold a place for a write.

        Raises:
            Busy: there is none; nothing was done.
        """
        if not self._writers.acquire(timeout=0 if self._stuck else PLACE_SECONDS):
            self._stuck = True
            raise Busy("Too many writes are under way; nothing was kept, try again in a few seconds.")
        try:
            yield
        finally:
            self._stuck = False
            self._writers.release()

    @contextmanager
    def waiting(self) -> Iterator[bool]:
        """Hold a place for a wait; False when there is none, which is no error: the caller answers without waiting."""
        held = self._waiters.acquire(blocking=False)
        try:
            yield held
        finally:
            if held:
                self._waiters.release()
