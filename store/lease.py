"""The lease rows of `control.db`: one holder at a time, and a token that only grows.

Expiry is judged by the clock of the one host that has the file; a holder that slept past it is stopped by the fence
in each tenant's file, not by this row.
"""

from __future__ import annotations

from memory.records import Micros
from store.connection import Reader, Writer


def acquire(tx: Writer, *, name: str, holder: str, now: Micros, until: Micros, floor: int = 0) -> int | None:
    """Take a lease that is free or has run out.

    Args:
        tx: a write of `control.db`.
        name: of the lease.
        holder: who takes it; unique to the process.
        now: present time.
        until: when the lease runs out.
        floor: the highest token seen elsewhere, so that a restored `control.db` does not go backwards.

    Returns:
        The new token, higher than any before; None while another holder has the lease.
    """
    row = tx.execute("SELECT holder, token, expires_at FROM lease WHERE name = ?", (name,)).fetchone()
    if row is not None and row["expires_at"] > now and row["holder"] != holder:
        return None
    token = max(floor, row["token"] if row is not None else 0) + 1
    tx.execute(
        "INSERT INTO lease (name, holder, token, expires_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET"
        " holder = excluded.holder, token = excluded.token, expires_at = excluded.expires_at",
        (name, holder, token, until),
    )
    return token


def renew(tx: Writer, *, name: str, holder: str, token: int, until: Micros) -> bool:
    """Extend a lease that nobody has taken since; returns False when somebody has."""
    changed = tx.execute(
        "UPDATE lease SET expires_at = ? WHERE name = ? AND holder = ? AND token = ?", (until, name, holder, token)
    )
    return changed.rowcount == 1


def release(tx: Writer, *, name: str, holder: str, token: int) -> None:
    """Give a lease back, so that another holder need not wait; the token stays in the row."""
    tx.execute(
        "UPDATE lease SET expires_at = 0 WHERE name = ? AND holder = ? AND token = ?",
        (name, holder, token),
    )


def fence(reader: Reader) -> int:
    """Return the highest token that a tenant's file has seen."""
    (token,) = reader.execute("SELECT token FROM fence WHERE id = 1").fetchone()
    return int(token)
