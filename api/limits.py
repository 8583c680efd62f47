"""Keeps threads free for reads: only so many of the API's threads may write or wait at a time.

At most half are in writing requests, at most a quarter wait for a job to end. Of the writes over that, as many as a
quarter of the threads wait patiently for a place; further ones wait as long as writes get done. When none gets done for
a moment, the writers are stuck behind a lock, and until one of them gets on these further ones are refused at once. So
a burst is taken in, and a locked store leaves a quarter of the threads to reads and costs them at most that moment.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from memory.errors import Busy

# Reads are promised 200 ms behind a locked store; this leaves them a quarter of it.
STUCK_SECONDS = 0.15
# A write that contends with the workers for the store's lock was seen to take 1.3 s.
PATIENT_SECONDS = 5.0


class Limits:
    """The places of one API process."""

    def __init__(
        self, threads: int, *, stuck_seconds: float = STUCK_SECONDS, patient_seconds: float = PATIENT_SECONDS
    ) -> None:
        """Make places for half of the threads to write and a quarter of them to wait; at least one each.

        Args:
            threads: of the server.
            stuck_seconds: after so long without a finished write the writers count as stuck.
            patient_seconds: the longest that a write waits for its place.
        """
        self._places = max(1, threads // 2)
        self._seats = threads // 4
        self._stuck_seconds = stuck_seconds
        self._patient_seconds = patient_seconds
        self._changed = threading.Condition()
        self._writing = 0
        self._seated = 0
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
            if not (self._place_is_free() or self._sit() or self._stand()):
                raise Busy("Too many writes are under way; nothing was kept, try again in a few seconds.")
            self._writing += 1

    def _place_is_free(self) -> bool:
        return self._writing < self._places

    def _sit(self) -> bool:
        """Wait patiently; False when every seat is taken or the place did not come."""
        if self._seated >= self._seats:
            return False
        self._seated += 1
        try:
            return self._changed.wait_for(self._place_is_free, self._patient_seconds)
        finally:
            self._seated -= 1

    def _stand(self) -> bool:
        """Wait as long as writes get done; False when the writers are stuck."""
        while not (self._stuck or self._place_is_free()):
            finished = self._finished
            self._changed.wait(self._stuck_seconds)
            self._stuck = self._finished == finished
        return self._place_is_free()

    def _leave(self) -> None:
        with self._changed:
            self._writing -= 1
            self._finished += 1
            self._stuck = False
            self._changed.notify()
