"""The shape of our files: whose they are, which version they have, and the numbered steps from one to the next."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memory.errors import StoreError, StoreForeign, StoreNewer
from memory.records import Micros
from store import private_files
from store.trouble import translated

Family = Literal["tenant", "control"]

# "MLAN" in ASCII: tells our files from any other SQLite database, also by `file(1)`.
APPLICATION_ID = 0x4D4C414E
# How long opening a file waits for another process that is changing its schema.
_WAIT_SECONDS = 15.0
_FOLDER = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One numbered step of a file's schema."""

    number: int  # 1-based, without gaps; the file's user_version afterwards
    name: str
    sql: str


def migrations(family: Family) -> tuple[Migration, ...]:
    """Return the steps of a kind of file in their order.

    Raises:
        StoreError: the numbers have a gap, so the program is not installed whole.
    """
    files = sorted((_FOLDER / family).glob("[0-9]*.sql"))
    steps = tuple(
        Migration(number=int(file.name.split("_")[0]), name=file.stem, sql=file.read_text("utf-8")) for file in files
    )
    if [step.number for step in steps] != list(range(1, len(steps) + 1)):
        raise StoreError(f"The migrations of {family} files have a gap; install Memlane again.")
    return steps


def prepare(path: Path, steps: Sequence[Migration], *, backups: Path, now: Micros) -> None:
    """Make a file ours and current: create it, check it, or bring it up to date after a backup.

    Processes that do this at once take turns. A file that is refused is left as it was.

    Args:
        path: the database file; its folder exists.
        steps: every migration of its family, in order.
        backups: folder for the copy made before an existing file is changed.
        now: microseconds, part of the copy's name.

    Raises:
        StoreForeign: the file is not a Memlane store.
        StoreNewer: it has more migrations than this program knows.
        Busy: another process kept it locked.
        StoreError: the disk is full or the file is out of reach.
    """
    if _version(path, len(steps)) == len(steps):
        return
    with translated(), _turn(path):
        version = _version(path, len(steps))
        if version == len(steps):
            return
        if version > 0:
            _backup(path, backups / f"{path.stem}.v{version:04d}.{now}.db")
        private_files.make(path)
        with closing(_connect(path, "rw")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            # Rebuilding a table needs this off, and it can only be changed outside a transaction.
            connection.execute("PRAGMA foreign_keys = OFF")
            for step in steps[version:]:
                _apply(connection, step)


def statements(sql: str) -> Iterator[str]:
    """Yield the statements of a script one by one; a statement starts on a line of its own."""
    lines: list[str] = []
    for line in sql.splitlines():
        if not lines and (not line.strip() or line.lstrip().startswith("--")):
            continue
        lines.append(line)
        if sqlite3.complete_statement("\n".join(lines)):
            yield "\n".join(lines)
            lines = []
    if lines:
        raise StoreError(f"A migration ends in the middle of a statement: {lines[0]}")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None)


def _version(path: Path, known: int) -> int:
    """Return the number of migrations the file has had (0: it is new), after checking that it is ours."""
    if not path.exists() or path.stat().st_size == 0:
        return 0
    with translated(), closing(_connect(path, "ro")) as connection:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or version or tables):
        raise StoreForeign(path=path.name)
    if version > known:
        raise StoreNewer(path=path.name, version=version, known=known)
    return int(version)


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Hold a lock beside the file, which the system drops when its holder dies."""
    descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in statements(step.sql):
            connection.execute(statement)
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise StoreError(f"Migration {step.name} leaves a row of {broken[0]} without its parent.")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {step.number:d}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _backup(path: Path, copy: Path) -> None:
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = copy.with_suffix(".part")
    private_files.make(part)
    with closing(_connect(path, "ro")) as source, closing(_connect(part, "rw")) as target:
        source.backup(target)
        (verdict,) = target.execute("PRAGMA integrity_check").fetchone()
    if verdict != "ok":
        raise StoreError("The copy made before the upgrade is damaged; nothing was changed.", sqlite=verdict)
    part.rename(copy)
