"""Requests that wait for a thread: the callers take turns, and nobody waits without end.

A request waits behind those of the same key, and a free thread takes from each key in turn: whoever sends a thousand
requests makes its own wait, not those of another key. Those that will write wait in a line of their own, for a thread
and a place to write, so that they hold up no read. What waits too long is refused with 503, and when there is one too
many, the last one of the key that has the most (`api/dispatcher.py`).
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Protocol

from api.limits import Limits


class Channel(Protocol):
    """A connection with a request that is complete."""

    def caller(self) -> str:
        """Name whom the request is from, as far as it is told before it is looked at."""
        ...

    def writes(self) -> bool:
        """Tell whether the request will ask for a place to write."""
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
    """Channels by caller. Whoever calls holds the dispatcher's lock."""

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

    def longest(self) -> int:
        """Return how many the caller has that has the most."""
        return max(map(len, self._callers.values()), default=0)

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


class Lines:
    """What waits to read and what waits to write; what waitress expects of its queue, of which it asks who may go.

    Whoever calls holds the dispatcher's lock.
    """

    def __init__(self, limits: Limits) -> None:
        """Start with none.

        Args:
            limits: the places to write.
        """
        self._limits = limits
        self._reads, self._writes = Turns(), Turns()
        self._next_writes = False

    def __len__(self) -> int:
        """Return how many may go now."""
        return len(self._reads) + min(len(self._writes), self._limits.free)

    @property
    def waiting(self) -> int:
        """How many wait, whether they may go or not."""
        return len(self._reads) + len(self._writes)

    def append(self, channel: Channel) -> None:
        """Let a channel wait in its line."""
        (self._writes if channel.writes() else self._reads).append(channel)

    def popleft(self) -> Channel:
        """Take the next one that may go, of the two lines in turn; one that writes is given its place.

        Raises:
            KeyError: none may go.
        """
        may_write = bool(self._writes and self._limits.free)
        if self._reads and not (may_write and self._next_writes):
            self._next_writes = True
            return self._reads.popleft()
        self._next_writes = False
        channel = self._writes.popleft()
        self._limits.give()
        return channel

    def crowding(self) -> Channel:
        """Take out the last of the caller that has the most in a line; of writes, when there are as many reads.

        Raises:
            ValueError: none waits.
        """
        return max(self._writes, self._reads, key=Turns.longest).crowding()

    def overdue(self, seconds: float) -> list[Channel]:
        """Take out what has waited for so long.

        Args:
            seconds: the longest wait.
        """
        return [*self._reads.overdue(seconds), *self._writes.overdue(seconds)]
