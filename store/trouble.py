"""What SQLite says when it cannot, in the words of `memory.errors`: nothing above this folder sees its own errors.

Only what the surroundings cause is translated. A violated constraint or a wrong statement is a mistake in the program
and stays what it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from memory.errors import Busy, MemlaneError, StoreError, StoreForeign

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_HINTS = {
    sqlite3.SQLITE_FULL: "The disk is full; free some space, nothing was written.",
    sqlite3.SQLITE_CORRUPT: "The file is damaged; stop Memlane and restore the newest backup.",
    sqlite3.SQLITE_READONLY: "The file or its folder cannot be written; check owner and permissions.",
    sqlite3.SQLITE_CANTOPEN: "The file cannot be opened; check that its folder exists and its permissions.",
    sqlite3.SQLITE_IOERR: "Reading or writing failed; check the disk and its free space.",
    sqlite3.SQLITE_PERM: "The file cannot be used; check owner and permissions.",
    sqlite3.SQLITE_NOMEM: "There was not enough memory; free some, nothing was written.",
}


def translation(error: Exception) -> MemlaneError | None:
    """Return the error to raise instead of one of SQLite's.

    Args:
        error: as sqlite3 raised it; a `MemoryError` is what it makes of SQLITE_NOMEM.

    Returns:
        `Busy`, `StoreForeign` or a `StoreError` with a hint; None when the program itself is at fault.
    """
    # The low byte is the primary code; the rest tells apart kinds that are one to the caller.
    without = sqlite3.SQLITE_NOMEM if isinstance(error, MemoryError) else 0
    code = getattr(error, "sqlite_errorcode", without) & 0xFF
    if code in _BUSY:
        return Busy("The store is locked by another writer; nothing was kept, try again in a few seconds.")
    if code == sqlite3.SQLITE_NOTADB:
        return StoreForeign()
    if code in _HINTS:
        return StoreError(_HINTS[code], hint=_HINTS[code], sqlite=str(error))
    return None


@contextmanager
def translated() -> Iterator[None]:
    """Raise the errors of `translation` in place of SQLite's own.

    Raises:
        Busy: another connection held the lock for longer than the busy timeout.
        StoreError: the disk is full, or the file is damaged or out of reach; `hint` says what to do.
    """
    try:
        yield
    except sqlite3.Error as error:
        known = translation(error)
        if known is None:
            raise
        raise known from error
