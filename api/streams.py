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
            most: streams at a time; one tenant has at most half of them, one key three quarters of that, and each at
                least one.
        """
        self._most = most
        self._of_a_tenant = max(1, most // 2)
        self._of_a_key = max(1, self._of_a_tenant * 3 // 4)
        self._lock = threading.Lock()
        self._open: Counter[tuple[str, str | None]] = Counter()  # by tenant and key
        self._ended = threading.Event()

    def enter(self, tenant: str, key: str | None) -> Callable[[], None]:
        """Take a place.

        Args:
            tenant: whose place it is.
            key: names which of the tenant's keys or people; None for who sits at this machine.

        Returns:
            Gives the place back; calling it again does nothing.

        Raises:
            Busy: there is none, or the tenant or the key has as many as one may have.
        """
        with self._lock:
            self._require_room(tenant, key)
            self._open[tenant, key] += 1
        held = [(tenant, key)]

        def leave() -> None:
            with self._lock:
                if held:
                    self._open.subtract(held)
                    held.clear()
                    # Who has none left is not remembered.
                    self._open = +self._open

        return leave

    def _require_room(self, tenant: str, key: str | None) -> None:
        if self._open.total() >= self._most:
            raise Busy(f"There are {self._most} streams open, as many as may be; ask for the job itself meanwhile.")
        if sum(count for (whose, _), count in self._open.items() if whose == tenant) >= self._of_a_tenant:
            taken = f"Your tenant has {self._of_a_tenant} streams open, as many as one tenant may have"
            raise Busy(f"{taken}; close one, with whichever key it was opened.")
        if key is not None and self._open[tenant, key] >= self._of_a_key:
            raise Busy(f"Your key has {self._of_a_key} streams open, as many as one key may have; close one.")

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
