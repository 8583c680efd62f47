"""A connection that writes only while its transaction lasts.

SQLite ends a transaction by itself when the disk is full, when reading or writing fails or when memory runs out. What
is written after that would be committed statement by statement: outside the fence, and as part of nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from memory.errors import StoreError
from store.trouble import translation

Result = TypeVar("Result")


class Connection(sqlite3.Connection):
    """A connection that can be referred to weakly and knows how it is used."""

    depth: int = 0  # nested read blocks
    is_held: bool = False  # whether a block writes with it in one transaction


class WritingConnection(Connection):
    """While it is held, no statement runs outside its transaction, and errors are those of `memory.errors`."""

    def execute(self, *given: Any) -> sqlite3.Cursor:
        """Run a statement with a cursor that refuses what no transaction holds."""
        return self.cursor(_Cursor).execute(*given)

    def executemany(self, *given: Any) -> sqlite3.Cursor:
        """Run a statement for each of several rows, as `execute` does."""
        return self.cursor(_Cursor).executemany(*given)

    def carried_out(self, step: Callable[..., Result], *given: Any) -> Result:
        """Run a step of a statement.

        Raises:
            Busy: the file is locked.
            StoreError: the surroundings failed, or have already ended the transaction.
        """
        if not self.is_held:
            return step(*given)
        if not self.in_transaction:
            raise StoreError("An error has ended the transaction before its end; nothing was written.")
        try:
            return step(*given)
        except (sqlite3.Error, MemoryError) as error:
            known = translation(error)
            if known is None:
                raise
            raise known from error


class _Cursor(sqlite3.Cursor):
    """Runs each step through `WritingConnection.carried_out`: rows that are fetched late can fail as well."""

    connection: WritingConnection

    def execute(self, *given: Any) -> _Cursor:
        self.connection.carried_out(super().execute, *given)
        return self

    def executemany(self, *given: Any) -> _Cursor:
        self.connection.carried_out(super().executemany, *given)
        return self

    def fetchone(self) -> Any:
        return self.connection.carried_out(super().fetchone)

    def fetchmany(self, *given: Any) -> list[Any]:
        return self.connection.carried_out(super().fetchmany, *given)

    def fetchall(self) -> list[Any]:
        return self.connection.carried_out(super().fetchall)

    def __next__(self) -> Any:
        return self.connection.carried_out(super().__next__)
