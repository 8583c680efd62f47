"""Takes what was deleted out of a file: SQLite only marks its pages as free, and FTS5 keeps terms in old segments."""

from __future__ import annotations

from contextlib import closing

from store.connection import Store
from store.pool import connect
from store.trouble import translated

# A checkpoint waits this long for readers; searches read for milliseconds.
_READER_SECONDS = 2.0
_FILE_BACKED = 1


def optimize_full_text(store: Store, tenant: str) -> None:
    """Merge the full-text index into one segment, which holds the terms of existing rows only.

    Without it a deleted row's terms stay in the file, whatever is vacuumed: a test shows it.
    """
    with store.write(tenant) as tx:
        tx.execute("INSERT INTO search_text (search_text) VALUES ('optimize')")


def compact(store: Store, tenant: str | None) -> bool:
    """Write a file anew without what was deleted, and cut its write-ahead log off.

    The write lock is held meanwhile; room for a second copy of the file is needed for that time.

    Args:
        store: where the file is.
        tenant: whose file; None for `control.db`.

    Returns:
        False when a reader was in the way: old pages are still in the files, and it has to be done again.

    Raises:
        StoreError: the disk is full, or the file cannot be written.
        Busy: another connection kept the file locked.
    """
    with translated(), closing(connect(store.path(tenant), read_only=False, busy_seconds=15.0)) as connection:
        # Else the whole copy would be built in memory.
        connection.execute(f"PRAGMA temp_store = {_FILE_BACKED:d}")
        connection.execute("VACUUM")
        connection.execute(f"PRAGMA busy_timeout = {round(_READER_SECONDS * 1000):d}")
        blocked, pages, moved = connection.execute("PRAGMA wal_checkpoint (TRUNCATE)").fetchone()
    return not blocked and pages == moved
