"""What the lines of one file are called, kept on the disk: a file may have more lines than memory has room for.

A scratch database without a name: once it is open no path leads to it, and nothing of it is left when it is closed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from store import private_files
from store.trouble import translated

# Of its pages in memory; the rest is read again.
_CACHE_KIB = 8 * 1024
_TABLES = """
    CREATE TABLE name (kind TEXT, name TEXT, space INTEGER, PRIMARY KEY (kind, name)) WITHOUT ROWID;
    CREATE TABLE expected (line INTEGER, field TEXT, kind TEXT, name TEXT, space INTEGER);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A reference to something that no line has told of."""

    line: int  # 1-based
    field: str
    kind: str
    elsewhere: bool  # whether it is there, in another space


class Names:
    """The names of one file, each with the number of its space."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """Begin with none.

        Args:
            db: empty, with the tables.
        """
        self._db = db

    def add(self, kind: str, name: str, space: int) -> bool:
        """Keep a name; tells whether it is new."""
        made = self._db.execute("INSERT OR IGNORE INTO name VALUES (?, ?, ?)", (kind, name, space))
        return made.rowcount > 0

    def space_of(self, kind: str, name: str) -> int | None:
        """Return the number of the space of a name; None when there is none of that name so far."""
        row = self._db.execute("SELECT space FROM name WHERE kind = ? AND name = ?", (kind, name)).fetchone()
        return None if row is None else int(row[0])

    def expect(self, kind: str, name: str, space: int, *, line: int, field: str) -> None:
        """Keep that a line names what a later one has to tell of, in the same space."""
        self._db.execute("INSERT INTO expected VALUES (?, ?, ?, ?, ?)", (line, field, kind, name, space))

    def missing(self) -> Expected | None:
        """Return the first reference that no line has told of; None when there is none."""
        row = self._db.execute(
            """
            SELECT line, field, expected.kind, name.name IS NOT NULL FROM expected
            LEFT JOIN name ON name.kind = expected.kind AND name.name = expected.name
            WHERE name.space IS NOT expected.space ORDER BY line LIMIT 1
            """
        ).fetchone()
        return None if row is None else Expected(line=row[0], field=row[1], kind=row[2], elsewhere=bool(row[3]))


@contextmanager
def names(path: Path) -> Iterator[Names]:
    """Give a place for the names of a file.

    Args:
        path: where no file is; beside what is large already, because the folder of temporary files may be memory.

    Raises:
        StoreError: the disk is full.
    """
    with translated():
        private_files.make(path)
        try:
            db = sqlite3.connect(path, isolation_level=None)
            for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB:d}"):
                db.execute(f"PRAGMA {pragma}")
            db.executescript(_TABLES)
            db.execute("BEGIN")
        finally:
            path.unlink()
        try:
            yield Names(db)
        finally:
            db.close()
