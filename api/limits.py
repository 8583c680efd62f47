"""Keeps threads free for reads: only so many of the API's threads may write or wait at a time.

At most half are in writing requests, at most a quarter wait for a job to end. A request that will write is given its
place together with its thread (`api/turns.py`) and waits for both without holding either. So writers that are stuck
behind a lock, however many they are, leave the other threads to reads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memory.errors import Busy

# For a write that has come to its thread without a place: one that contends with the workers for the store's lock was
# seen to take 1.3 s.
PATIENT_SECONDS = 5.0


class Limits:
    """The places of one API process."""

    def __init__(self, threads: int, *, patient_seconds: float = PATIENT_SECONDS) -> None:
        """Make places for half of the threads to write and a quarter of them to wait; at least one each.

        Args:
            threads: of the server.
            patient_seconds: the longest that a write waits for a place that it was not given before.
        """
        self._places = max(1, threads // 2)
        self._patient_seconds = patient_seconds
        self._changed = threading.Condition()
        self._taken = 0
        self._given = threading.local()
        self._when_free: Callable[[], None] = lambda: None
        self._waiters = threading.BoundedSemaphore(max(1, threads // 4))

    def when_free(self, call: Callable[[], None]) -> None:
        """Call a function each time that a place comes free.

        Args:
            call: takes nothing and does not raise.
        """
        self._when_free = call

    @property
    def free(self) -> int:
        """How many places to write are free."""
        return max(0, self._places - self._taken)

    def give(self) -> None:
        """Give this thread a place before its request is looked at; `rest` takes it back if it was not used.

        Whoever calls has looked that one is `free`. Another thread may have taken it meanwhile; there is one too many
        then for a moment.
        """
        with self._changed:
            self._taken += 1
        self._given.place = True

    def rest(self) -> None:
        """Take back a place that was given to this thread and was not used."""
        if self._was_given():
            self._leave()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold a place for a write.

        Raises:
            Busy: there is none; nothing was done.
        """
        if not self._was_given():
            self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def waiting(self) -> Iterator[bool]:
        """Hold a place for a wait; False when there is none, which is no error: the caller answers without waiting."""
        self.rest()
        held = self._waiters.acquire(blocking=False)
        try:
            yield held
        finally:
            if held:
                self._waiters.release()

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """Hold a place of those that wait for something that takes its thread for long.

        Raises:
            Busy: there is none; nothing was done.
        """
        with self.waiting() as held:
            if not held:
                raise Busy("Too many transfers and waits are under way; try again in a while.")
            yield

    def _was_given(self) -> bool:
        given, self._given.place = getattr(self._given, "place", False), False
        return given

    def _enter(self) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self.free, self._patient_seconds):
                raise Busy("Too many writes are under way; nothing was kept, try again in a few seconds.")
            self._taken += 1

    def _leave(self) -> None:
        with self._changed:
            self._taken -= 1
            self._changed.notify()
        self._when_free()
