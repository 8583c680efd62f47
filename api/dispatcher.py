"""Hands requests to the threads in their turn, and refuses what would wait too long.

A thread that does nothing else refuses, so that an answer comes even while every other thread is held up.
"""

from __future__ import annotations

import threading
from collections import deque

from waitress.task import ThreadedTaskDispatcher

from api.limits import Limits
from api.turns import Channel, Lines

# How often the waiting are looked through; a fraction of the seconds that they may wait.
LOOK_SECONDS = 0.25


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """The threads of the server, and the requests that wait for one."""

    def __init__(self, limits: Limits, *, most: int, seconds: float) -> None:
        """Start the thread that refuses; `set_thread_count` starts the others.

        Args:
            limits: the places to write; each that comes free is told here.
            most: requests that wait at a time.
            seconds: the longest wait.
        """
        super().__init__()
        self.queue: Lines = Lines(limits)
        self._most = most
        self._seconds = seconds
        self._late: deque[Channel] = deque()
        self._refused = threading.Condition(self.lock)
        self._ended = False
        limits.when_free(self._wake)
        threading.Thread(target=self._refuse, name="refuser", daemon=True).start()

    def add_task(self, task: Channel) -> None:
        """Let a request wait for a thread.

        Args:
            task: a connection with a complete request.
        """
        with self.lock:
            self.queue.append(task)
            if self.queue.waiting > self._most:
                self._late.append(self.queue.crowding())
                self._refused.notify()
            self.queue_cv.notify()

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """End the threads.

        Args:
            cancel_pending: whether what waits is given up.
            timeout: seconds that the threads have to finish.

        Returns:
            Whether what waited was given up.
        """
        self._ended = True
        done = bool(super().shutdown(cancel_pending, timeout))
        if cancel_pending:
            with self.lock:
                # What may not go yet is not seen by waitress.
                for channel in self.queue.overdue(0.0):
                    channel.cancel()
        return done

    def _wake(self) -> None:
        with self.lock:
            self.queue_cv.notify()

    def _refuse(self) -> None:
        look = min(LOOK_SECONDS, self._seconds / 4)
        while not self._ended:
            with self.lock:
                if not self._late:
                    self._refused.wait(look)
                self._late.extend(self.queue.overdue(self._seconds))
                late = [self._late.popleft() for _ in range(len(self._late))]
            for channel in late:
                try:
                    channel.refuse()
                except Exception:
                    # One connection that cannot be answered must not keep the others waiting for ever.
                    self.logger.exception("refusing a request")
