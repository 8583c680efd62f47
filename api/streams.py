"""Places for streams of events: each holds a thread as long as it is open, so there are only so many."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from memory.errors import Busy


class Streams:
    """The open streams of one API process."""

    def __init__(self, most: int) -> None:
        """Start with none.

        Args:
            most: streams at a time; one tenant has at most half of them, and at least one.
        """
        self._most = most
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        self._ended = threading.Event()

    def enter(self, who: str) -> Callable[[], None]:
        """Take a place.

        Args:
            who: names the tenant.

        Returns:
            Gives the place back; calling it again does nothing.

        Raises:
            Busy: there is none, or the tenant has as many as one may have.
        """
        with self._lock:
            if self._open.total() >= self._most:
                raise Busy(f"There are {self._most} streams open, as many as may be; ask for the job itself meanwhile.")
            if self._open[who] >= max(1, self._most // 2):
                taken = f"Your tenant has {self._open[who]} streams open, as many as one tenant may have"
                raise Busy(f"{taken}; close one, with whichever key it was opened.")
            self._open[who] += 1
        held = [who]

        def leave() -> None:
            with self._lock:
                if held:
                    self._open.subtract(held)
                    held.clear()
                    # Who has none left is not remembered.
                    self._open = +self._open

        return leave

    @property
    def count(self) -> int:
        """How many are open."""
        with self._lock:
            return self._open.total()

    @property
    def ended(self) -> bool:
        """Whether the server ends and every stream is to."""
        return self._ended.is_set()

    def end(self) -> None:
        """Let every stream end soon."""
        self._ended.set()
