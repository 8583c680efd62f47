"""The store: one SQLite file per tenant and `control.db`, opened the same way everywhere.

Several processes and threads use the same files. Readers are read-only and see one snapshot per `read` block; writers
take the write lock at their beginning. Nothing that takes long (a model, the network) belongs inside either block.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory.errors import Fenced, InvalidInput, NotFound, StoreError
from memory.ports import Clock
from store import private_files, schema
from store.guarded import Connection
from store.pool import ThreadPool, connect
from store.trouble import translated
from store.write_turns import WriteTurns

SQLITE_VERSION = sqlite3.sqlite_version
Reader = sqlite3.Connection  # mode=ro, query_only, inside one read transaction
Writer = sqlite3.Connection  # inside BEGIN IMMEDIATE

# A write takes about 3 ms; this outlasts a long migration or an administrator's transaction of 10 s.
BUSY_SECONDS = 15.0
# How long a thread waits for one of the process's places to write. A burst of quick writes passes in that time, and
# threads stuck behind a held lock are refused soon enough that reads still find a free thread within 200 ms.
PATIENCE_SECONDS = 0.05
_REPORTED = (
    "journal_mode",
    "synchronous",
    "busy_timeout",
    "foreign_keys",
    "query_only",
    "application_id",
    "user_version",
)
# A tenant is a file name: never a path, and equal on file systems that ignore case.
_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class Store:
    """Opens the files of one data folder for the threads of one process."""

    def __init__(
        self,
        data_dir: Path,
        *,
        clock: Clock,
        writers: int = 4,
        busy_seconds: float = BUSY_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """Create the folder and `control.db` when they are missing, and bring `control.db` up to date.

        Args:
            data_dir: the data folder.
            clock: tells the time that new rows carry.
            writers: how many threads of this process may write or wait to write; one more gets `Busy`.
            busy_seconds: how long a writer waits for another connection's transaction.
            patience_seconds: how long a thread waits for one of the `writers` places.

        Raises:
            StoreForeign: `control.db` is not ours.
            StoreNewer: it was written by a newer version.
            StoreError: the folder cannot be used.
        """
        self._folder = data_dir
        self._clock = clock
        self._busy_seconds = busy_seconds
        self._turns = WriteTurns(writers, patience_seconds=patience_seconds, busy_seconds=busy_seconds)
        self._pool = ThreadPool()
        self._current: set[str | None] = set()  # files whose schema was checked by this process
        self._lock = threading.Lock()
        try:
            # One by one: the mode is that of the last folder of a call only.
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            (data_dir / "tenants").mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise StoreError(f"The data folder cannot be made: {error.strerror}.", hint="Check --data-dir.") from error
        if any(one.stat().st_size for one in (data_dir / "tenants").glob("*.db")):
            _require(self.path(None), "control.db, which names the tenants and their keys,")
        self._prepare(None)

    def path(self, tenant: str | None) -> Path:
        """Return the file of a tenant, or of `control.db` for None.

        This guards the boundary between names and the file system: a name that could be a path is refused.

        Raises:
            InvalidInput: the name is not 1 to 63 of a-z, 0-9, "-" and "_", starting with a letter or digit.
        """
        if tenant is None:
            return self._folder / "control.db"
        if not _TENANT.fullmatch(tenant):
            message = "A tenant's name is 1 to 63 lower-case letters, digits, '-' or '_'."
            raise InvalidInput(message, field="tenant")
        return self._folder / "tenants" / f"{tenant}.db"

    def free_bytes(self) -> int:
        """Return how much room the disk of the data folder has left."""
        return shutil.disk_usage(self._folder).free

    def tenants(self) -> list[str]:
        """Return the names of all tenants, sorted."""
        with self.control_read() as reader:
            return [row["id"] for row in reader.execute("SELECT id FROM tenant ORDER BY id").fetchall()]

    def make_file(self, tenant: str) -> bool:
        """Make the file of a tenant that is to be, or check that of a tenant there is.

        Returns:
            Whether there is such a tenant already.

        Raises:
            InvalidInput: the name is not allowed.
            StoreError: the file is not ours, newer, or cannot be written; or a known tenant's file is gone.
        """
        known = tenant in self.tenants()
        if known:
            # A known tenant's file is never made anew: an empty one would look like a memory that holds nothing.
            _require(self.path(tenant), f"The file of tenant {tenant!r}")
        self._prepare(tenant)
        return known

    def ensure_tenant(self, tenant: str) -> None:
        """Make a tenant's file and its row in `control.db`; an existing tenant stays as it is.

        Raises:
            InvalidInput: the name is not allowed.
            StoreError: the file is not ours, newer, or cannot be written.
        """
        if self.make_file(tenant):
            return
        # The row comes after the file, so that whoever walks the tenants finds every file.
        with self.control_write() as tx:
            tx.execute(
                "INSERT OR IGNORE INTO tenant (id, name, created_at) VALUES (?, ?, ?)", (tenant, tenant, self._clock())
            )

    @contextmanager
    def read(self, tenant: str) -> Iterator[Reader]:
        """Give this thread's read-only connection, with one snapshot for the whole block.

        A block inside another of the same tenant and thread shares its snapshot.

        Raises:
            NotFound: there is no such tenant.
            StoreError: the file cannot be read.
        """
        with self._reading(tenant) as reader:
            yield reader

    @contextmanager
    def control_read(self) -> Iterator[Reader]:
        """Give a read-only connection to `control.db`, as `read` does."""
        with self._reading(None) as reader:
            yield reader

    @contextmanager
    def write(self, tenant: str) -> Iterator[Writer]:
        """Run the block in one transaction that holds the write lock; commit, or roll back when it raises.

        Raises:
            NotFound: there is no such tenant.
            Busy: the lock, or a place to wait for it, did not come free in time; nothing was written.
            StoreError: the disk is full or the file cannot be written; nothing was written.
        """
        with self._writing(tenant) as tx:
            yield tx

    @contextmanager
    def fenced(self, tenant: str, token: int) -> Iterator[Writer]:
        """Run a write that is refused once a newer writer has been seen; raises the file's fence to the token.

        Args:
            tenant: whose file.
            token: of the writer's lease.

        Raises:
            Fenced: the file has seen a higher token; nothing was written.
            Busy: as `write`.
            StoreError: as `write`.
        """
        with self._writing(tenant) as tx:
            (seen,) = tx.execute("SELECT token FROM fence WHERE id = 1").fetchone()
            if seen > token:
                raise Fenced(token=token, seen=seen)
            if seen < token:
                tx.execute("UPDATE fence SET token = ? WHERE id = 1", (token,))
            yield tx

    @contextmanager
    def control_write(self) -> Iterator[Writer]:
        """Run the block in one transaction of `control.db`, as `write` does."""
        with self._writing(None) as tx:
            yield tx

    @contextmanager
    def maintenance(self, tenant: str | None) -> Iterator[sqlite3.Connection]:
        """Give a connection that may write, outside any transaction, for checkpoints and checks.

        Raises:
            NotFound: there is no such tenant.
            StoreError: the file cannot be used.
        """
        with translated():
            yield self._connection(tenant, read_only=False)

    def close(self) -> None:
        """Close the connections of all threads; the store must not be used afterwards."""
        self._pool.close()

    def _prepare(self, tenant: str | None) -> None:
        path = self.path(tenant)
        with self._lock:
            if tenant in self._current:
                return
            family: schema.Family = "control" if tenant is None else "tenant"
            backups = self._folder / "backups"
            schema.prepare(path, schema.migrations(family), backups=backups, now=self._clock())
            private_files.keep(path)
            self._current.add(tenant)

    def _connection(self, tenant: str | None, *, read_only: bool) -> Connection:
        return self._pool.get((tenant, read_only)) or self._opened(tenant, read_only=read_only)

    def _opened(self, tenant: str | None, *, read_only: bool) -> Connection:
        path = self.path(tenant)
        if not path.exists():
            raise NotFound(f"There is no tenant {tenant!r}.", field="tenant")
        _require(path, f"The file {path.name}")
        self._prepare(tenant)
        connection = connect(path, read_only=read_only, busy_seconds=self._busy_seconds)
        self._pool.put((tenant, read_only), connection)
        return connection

    @contextmanager
    def _reading(self, tenant: str | None) -> Iterator[Reader]:
        with translated():
            reader = self._connection(tenant, read_only=True)
            if reader.depth == 0:
                reader.execute("BEGIN")
            reader.depth += 1
            try:
                yield reader
            finally:
                reader.depth -= 1
                if reader.depth == 0:
                    reader.execute("ROLLBACK")

    @contextmanager
    def _writing(self, tenant: str | None) -> Iterator[Writer]:
        with translated():
            writer = self._connection(tenant, read_only=False)
            if writer.in_transaction:
                raise StoreError("A write of this file is already open in this thread; pass its transaction on.")
            with self._turns.transaction(tenant, writer):
                yield writer


def _require(path: Path, what: str) -> None:
    """Refuse to make anew a file that was there before.

    Raises:
        StoreError: it is gone or empty.
    """
    if not path.exists() or path.stat().st_size == 0:
        raise StoreError(f"{what} is gone or empty; put a backup in its place.", file=path.name)


def pragmas(connection: sqlite3.Connection) -> dict[str, int | str]:
    """Return the settings of a connection that must hold on every one, for `doctor` and tests."""
    return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _REPORTED}
