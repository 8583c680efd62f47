"""Keeps threads free for reads: only so many of the API's threads may write or wait at a time.

At most half are in writing requests, at most a quarter wait for a job to end. A write over that waits for a place as
long as writes get done: in a healthy store that takes milliseconds. When none gets done for a moment, the writers are
stuck behind a lock, and until one of them gets on all further writes are refused at once. So a locked store costs reads
at most that moment, and a burst of quick writes is never refused.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from memory.errors import Busy

# Reads are promised 200 ms behind a locked store; this leaves them a quarter of it.
STUCK_SECONDS = 0.15


class Limits:
    """The places of one API process."""

    def __init__(self, threads: int, *, stuck_seconds: float = STUCK_SECONDS) -> None:
        """Make places for half of the threads to write and a quarter of them to wait; at least one each.

        Args:
            threads: of the server.
            stuck_seconds: after so long without a finished write the writers count as stuck.
        """
        self._places = max(1, threads // 2)
        self._stuck_seconds = stuck_seconds
        self._changed = threading.Condition()
        self._writing = 0
        self._finished = 0
        self._stuck = False
        self._waiters = threading.BoundedSemaphore(max(1, threads // 4))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold a place for a write.

        Raises:
            Busy: there is none; nothing was done.
        """
        self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def waiting(self) -> Iterator[bool]:
        """Hold a place for a wait; False when there is none, which is no error: the caller answers without waiting."""
        held = self._waiters.acquire(blocking=False)
        try:
            yield held
        finally:
            if held:
                self._waiters.release()

    def _enter(self) -> None:
        with self._changed:
            while self._writing >= self._places:
                finished = self._finished
                self._stuck = self._stuck or not (self._changed.wait(self._stuck_seconds) or self._finished > finished)
                if self._stuck:
                    raise Busy("Too many writes are under way; nothing was kept, try again in a few seconds.")
            self._writing += 1

    def _leave(self) -> None:
        with self._changed:
            self._writing -= 1
            self._finished += 1
            self._stuck = False
            self._changed.notify()
