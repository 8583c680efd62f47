"""Connections of a process: each thread has its own, opened with the settings that hold on every one."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections import OrderedDict
from pathlib import Path

from store.guarded import Connection, WritingConnection

Name = tuple[str | None, bool]  # tenant (None: control.db), read-only

# Open files per thread; the least used is closed. Each keeps so much of its pages, one that writes 2 MB.
_CONNECTIONS = 32
_CACHE_KIB = 512
_SYNCHRONOUS_FULL = 2


class ThreadPool:
    """Keeps the connections of every thread and closes them all at the end."""

    def __init__(self) -> None:
        """Begin with no connection."""
        self._local = threading.local()
        self._open: weakref.WeakSet[Connection] = weakref.WeakSet()

    def get(self, name: Name) -> Connection | None:
        """Return this thread's connection of that name, if it has one."""
        mine = self._mine()
        if name in mine:
            mine.move_to_end(name)
        return mine.get(name)

    def put(self, name: Name, connection: Connection) -> None:
        """Keep a connection for this thread, closing its least used idle ones beyond the limit."""
        mine = self._mine()
        idle = [other for other, item in mine.items() if not item.in_transaction]
        for other in idle[: max(0, len(mine) + 1 - _CONNECTIONS)]:
            mine.pop(other).close()
        mine[name] = connection
        self._open.add(connection)

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in list(self._open):
            connection.close()

    def _mine(self) -> OrderedDict[Name, Connection]:
        # SQLite's connections must not cross a fork; a child leaves its parent's untouched and opens its own.
        if getattr(self._local, "process", None) != os.getpid():
            self._local.inherited = getattr(self._local, "connections", None)
            self._local.process = os.getpid()
            self._local.connections = OrderedDict()
        connections: OrderedDict[Name, Connection] = self._local.connections
        return connections


def connect(path: Path, *, read_only: bool, busy_seconds: float) -> Connection:
    """Open a file of ours with the settings that every connection has.

    Args:
        path: an existing, current file.
        read_only: open with `mode=ro` and `query_only`.
        busy_seconds: how long to wait for a lock.

    Returns:
        A connection without an open transaction, with rows that can be read by name.
    """
    uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    factory = Connection if read_only else WritingConnection
    connection = sqlite3.connect(
        uri, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False, factory=factory
    )
    connection.row_factory = sqlite3.Row
    connection.execute(f"PRAGMA busy_timeout = {round(busy_seconds * 1000):d}")
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS_FULL:d}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
        # Each thread has its own; what is not in it comes from the system's. SQLite's own 2 MB would take 160 bytes of
        # each of 100,000 rows that eight threads search.
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB:d}")
    return connection
