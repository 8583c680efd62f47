"""The files of the store are read by their owner alone: they hold memories, and `control.db` the hashes of keys."""

from __future__ import annotations

import os
from pathlib import Path

_OWNER_ONLY = 0o600
_OTHERS = 0o007


def make(path: Path) -> None:
    """Make an empty file for SQLite to fill, which gives the mode of it to its -wal and -shm.

    Args:
        path: where; a file that is there stays as it is.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY))


def keep(path: Path) -> None:
    """Take a database and what lies beside it from everybody but its owner, if others could read it.

    A group that was let in stays in.

    Args:
        path: of the database, which an earlier version made with the mode of the process.
    """
    for one in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        try:
            found = one.stat()
            if found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
                one.chmod(_OWNER_ONLY)
        except FileNotFoundError:
            # Nothing to protect: -wal and -shm are gone when the last connection closes.
            continue
