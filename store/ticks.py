"""Ticks of the beat: a slot of a name is claimed once, however many beats there are."""

from __future__ import annotations

from memory.records import Micros
from store.connection import Writer

# A tick can be late by the broker's visibility timeout (30 minutes); a day leaves room.
KEEP_MICROS: Micros = 24 * 3600 * 1_000_000


def claim(tx: Writer, name: str, slot: int, at: Micros) -> bool:
    """Claim one tick.

    What was claimed later than now is forgotten first: the clock has been set back since, and every tick would be
    refused until that time is reached again.

    Args:
        tx: a write of `control.db`.
        name: of the schedule.
        slot: number of the tick, for example the time divided by the period.
        at: present time.

    Returns:
        True for the first claim of (name, slot), False for every other.
    """
    tx.execute("DELETE FROM tick WHERE name = ? AND at > ?", (name, at))
    made = tx.execute("INSERT OR IGNORE INTO tick (name, slot, at) VALUES (?, ?, ?)", (name, slot, at))
    return made.rowcount == 1


def prune(tx: Writer, *, now: Micros) -> int:
    """Delete ticks older than a day; returns how many."""
    return tx.execute("DELETE FROM tick WHERE at < ?", (now - KEEP_MICROS,)).rowcount
