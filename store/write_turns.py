"""Writing one after the other: the threads of a process take turns, and then wait for other processes."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memory.errors import Busy
from store.guarded import Connection

# How often a writer asks whether another process has ended its transaction.
ASK_AGAIN_SECONDS = 0.001


class WriteTurns:
    """Gives the threads of one process places to write, and each file to one of them at a time."""

    def __init__(self, places: int, *, patience_seconds: float, busy_seconds: float) -> None:
        """Give out nothing yet.

        Args:
            places: how many threads may write or wait to write; one more gets `Busy`.
            patience_seconds: how long a thread waits for one of the places.
            busy_seconds: how long it then waits for the file.
        """
        self._places = threading.BoundedSemaphore(places)
        self._patience = patience_seconds
        self._busy_seconds = busy_seconds
        self._turns: dict[str | None, threading.Lock] = {}
        self._turns_lock = threading.Lock()

    @contextmanager
    def transaction(self, tenant: str | None, writer: Connection) -> Iterator[None]:
        """Run the block in one transaction of a file; commit, or roll back when it raises.

        Args:
            tenant: whose file; None for `control.db`.
            writer: a connection to it, outside any transaction.

        Raises:
            Busy: no place, or no turn, came free in time; nothing was written.
        """
        if not self._places.acquire(timeout=self._patience):
            raise Busy()
        try:
            with self._turn(tenant):
                yield from _transaction(writer, self._busy_seconds)
        finally:
            self._places.release()

    @contextmanager
    def _turn(self, tenant: str | None) -> Iterator[None]:
        """Let the threads of this process write a file one after the other.

        SQLite waits for its lock by sleeping ever longer, up to 0.1 s at a time, so that a thread that came first may
        be passed over for a second; a lock of our own wakes the next one at once.
        """
        with self._turns_lock:
            turn = self._turns.setdefault(tenant, threading.Lock())
        if not turn.acquire(timeout=self._busy_seconds):
            raise Busy()
        try:
            yield
        finally:
            turn.release()


def _transaction(writer: Connection, seconds: float) -> Iterator[None]:
    try:
        _begin(writer, seconds)
        writer.is_held = True
        yield
        writer.execute("COMMIT")
    finally:
        writer.is_held = False
        # After a COMMIT there is nothing left; a full disk has already ended the transaction by itself.
        if writer.in_transaction:
            writer.execute("ROLLBACK")


def _begin(writer: sqlite3.Connection, seconds: float) -> None:
    """Begin a write as soon as no other process writes.

    SQLite asks again after ever longer pauses, up to 0.1 s: beside a process that writes for 20 ms and pauses for one,
    the median wait was 180 ms. Asking every millisecond made it 11 ms.
    """
    until = time.monotonic() + seconds
    writer.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                writer.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
                time.sleep(ASK_AGAIN_SECONDS)
            else:
                return
    finally:
        writer.execute(f"PRAGMA busy_timeout = {round(seconds * 1000):d}")
