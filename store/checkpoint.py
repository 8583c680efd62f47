"""Keeps the write-ahead log short: one long reader can let it grow without bound, so its size is watched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from store.connection import Store

# 16 MB is four times what SQLite's own checkpoint leaves; a log that long was held open by a reader.
TRUNCATE_BYTES = 16 * 1024 * 1024
# TRUNCATE holds the write lock while it waits for readers, so it must give up soon.
_WAIT_MILLISECONDS = 1000


def checkpoint(store: Store, tenant: str | None) -> dict[str, int | str | bool | None]:
    """Move what the log holds into the file, and cut the log off when it is long.

    Args:
        store: where the file is.
        tenant: whose file; None for `control.db`.

    Returns:
        `tenant`, `mode` ("passive" or "truncate"), `complete` (False: a reader or writer was in the way), and the
        sizes `wal_bytes_before`, `wal_bytes_after` and `file_bytes`.

    Raises:
        NotFound: there is no such tenant.
        StoreError: the file cannot be written.
    """
    path = store.path(tenant)
    wal = path.with_name(path.name + "-wal")
    before = _size(wal)
    mode = "truncate" if before > TRUNCATE_BYTES else "passive"
    with store.maintenance(tenant) as connection:
        complete = _run(connection, mode)
    return {
        "tenant": tenant,
        "mode": mode,
        "complete": complete,
        "wal_bytes_before": before,
        "wal_bytes_after": _size(wal),
        "file_bytes": _size(path),
    }


def _run(connection: sqlite3.Connection, mode: str) -> bool:
    (usual,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_WAIT_MILLISECONDS:d}")
    try:
        blocked, pages, moved = connection.execute(f"PRAGMA wal_checkpoint ({mode})").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {usual:d}")
    return not blocked and pages == moved


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
