"""Requests that wait for a thread: the callers take turns, and nobody waits without end.

A request waits behind those of the same key, and a free thread takes from each key in turn: whoever sends a thousand
requests makes its own wait, not those of another key. What waits too long is refused with 503, and when there is one
too many, the last one of the key that has the most. A thread that does nothing else refuses, so that an answer comes
even while every other thread is held up.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Protocol

from waitress.task import ThreadedTaskDispatcher

# How often the waiting are looked through; a fraction of the seconds that they may wait.
LOOK_SECONDS = 0.25


class Channel(Protocol):
    """A connection with a request that is complete."""

    def caller(self) -> str:
        """Name whom the request is from, as far as it is told before it is looked at."""
        ...

    def service(self) -> None:
        """Answer the request."""
        ...

    def refuse(self) -> None:
        """Answer that too much is under way."""
        ...

    def cancel(self) -> None:
        """Give up the connection."""
        ...


class Turns:
    """Channels by caller; what waitress expects of its queue. Whoever calls holds the dispatcher's lock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with none.

        Args:
            clock: seconds that only grow.
        """
        self._clock = clock
        self._callers: OrderedDict[str, deque[tuple[float, Channel]]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        """Return how many wait."""
        return self._count

    def append(self, channel: Channel) -> None:
        """Let a channel wait behind those of its caller."""
        self._callers.setdefault(channel.caller(), deque()).append((self._clock(), channel))
        self._count += 1

    def popleft(self) -> Channel:
        """Take the first of the caller whose turn it is.

        Raises:
            KeyError: none waits.
        """
        name, own = self._callers.popitem(last=False)
        _, channel = own.popleft()
        if own:
            self._callers[name] = own
        self._count -= 1
        return channel

    def crowding(self) -> Channel:
        """Take out the last of the caller that has the most.

        Raises:
            ValueError: none waits.
        """
        name = max(self._callers, key=lambda one: len(self._callers[one]))
        _, channel = self._callers[name].pop()
        if not self._callers[name]:
            del self._callers[name]
        self._count -= 1
        return channel

    def overdue(self, seconds: float) -> list[Channel]:
        """Take out what has waited for so long.

        Args:
            seconds: the longest wait.
        """
        until = self._clock() - seconds
        late = []
        for name in list(self._callers):
            own = self._callers[name]
            while own and own[0][0] <= until:
                late.append(own.popleft()[1])
            if not own:
                del self._callers[name]
        self._count -= len(late)
        return late


class Dispatcher(ThreadedTaskDispatcher):  # type: ignore[misc]
    """Hands requests to the threads in turn, and refuses what would wait too long."""

    def __init__(self, *, most: int, seconds: float) -> None:
        """Start the thread that refuses; `set_thread_count` starts the others.

        Args:
            most: requests that wait at a time.
            seconds: the longest wait.
        """
        super().__init__()
        self.queue: Turns = Turns()
        self._most = most
        self._seconds = seconds
        self._late: deque[Channel] = deque()
        self._refused = threading.Condition(self.lock)
        self._ended = False
        threading.Thread(target=self._refuse, name="refuser", daemon=True).start()

    def add_task(self, task: Channel) -> None:
        """Let a request wait for a thread.

        Args:
            task: a connection with a complete request.
        """
        with self.lock:
            self.queue.append(task)
            if len(self.queue) > self._most:
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
        return bool(super().shutdown(cancel_pending, timeout))

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
