"""What this process is working on, for its heartbeat, and a mark in the broker for each attempt that has started.

An attempt counts only when somebody started it; the sweeper reads both to tell lost work from slow work.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis
from redis.exceptions import RedisError

from memory.ports import Held

log = logging.getLogger(__name__)

STARTED = "started:"


class InFlight:
    """The attempts that this process is running; safe to use from any thread."""

    def __init__(self, client: Redis, *, worker: str, keep_seconds: float) -> None:
        """Start with none.

        Args:
            client: to mark what was started.
            worker: `<lane>@<node>`.
            keep_seconds: how long a mark lives; as long as a lease.
        """
        self.worker = worker
        self.queue_wait = 0.0  # seconds, of the task that started last
        self._client = client
        self._keep_ms = max(1, round(keep_seconds * 1000))
        self._lock = threading.Lock()
        self._held: set[Held] = set()
        self._calls = 0

    @contextmanager
    def holding(self, tenant: str, item: int, attempt: int) -> Iterator[None]:
        """Count an attempt as in flight while the block runs.

        Args:
            tenant: of the item.
            item: its id.
            attempt: of this sending.

        Yields:
            Nothing.
        """
        held = (tenant, item, attempt)
        with self._lock:
            self._held.add(held)
        self._mark(held)
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(held)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Count a call that somebody waits for while the block runs; nobody sends it again, so it has no mark.

        Yields:
            Nothing.
        """
        with self._lock:
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1

    @property
    def calls(self) -> int:
        """How many calls that somebody waits for are running."""
        return self._calls

    def held(self) -> tuple[Held, ...]:
        """Return the attempts in flight.

        Returns:
            In no particular order.
        """
        with self._lock:
            return tuple(self._held)

    def _mark(self, held: Held) -> None:
        try:
            self._client.set(started_key(held), self.worker, px=self._keep_ms)
        except RedisError as error:
            # Only a hint is missing: at worst the sweeper sends the attempt once more and the ledger takes one answer.
            log.warning("attempt %s is not marked as started: %s", held, error)


def started_key(held: Held) -> str:
    """Return the key of a started mark.

    Args:
        held: the attempt.

    Returns:
        `started:<tenant>:<item>:<attempt>`.
    """
    return f"{STARTED}{held[0]}:{held[1]}:{held[2]}"
