"""A part of a transaction that is undone when it breaks, while what is around it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memory.errors import Busy, StoreError
from store.connection import Writer


@dataclass(slots=True)
class Attempt:
    """What became of a block."""

    error: Exception | None = None  # why nothing of it was kept


@contextmanager
def attempt(tx: Writer) -> Iterator[Attempt]:
    """Undo what a block has written when it breaks, and keep why, so that the transaction can say so.

    Raises:
        StoreError: it is the surroundings' fault and not the block's; whoever holds the transaction tries again.
        Busy: as `StoreError`.
    """
    tried = Attempt()
    tx.execute("SAVEPOINT attempt")
    try:
        yield tried
    except (StoreError, Busy):
        raise
    except Exception as error:
        # Where the surroundings have ended the transaction, this statement is refused with a `StoreError`.
        tx.execute("ROLLBACK TO attempt")
        tried.error = error
    tx.execute("RELEASE attempt")
