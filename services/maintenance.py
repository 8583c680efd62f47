"""Looking after the store: ticks that run once, write-ahead logs kept short, and what nobody asks for any more."""

from __future__ import annotations

import logging

from memory.records import Micros
from services.host import Host
from store import idempotency, requests, rows, ticks
from store.checkpoint import checkpoint as checkpoint_file

log = logging.getLogger(__name__)

# A log this long means that a reader never ends; searches slow down and the disk fills.
WAL_ALERT_BYTES = 64 * 1024 * 1024


# A reader that has not looked for a day reads the space anew, which takes less than a second.
CHANGES_MICROS: Micros = 24 * 3600 * 1_000_000


def claim_tick(host: Host, name: str, slot: int) -> bool:
    """Take a beat's tick.

    Args:
        host: the truth plane's adapters.
        name: of the task.
        slot: number of its time slot.

    Returns:
        False when another beat's message had it first.
    """
    with host.store.control_write() as tx:
        return ticks.claim(tx, name=name, slot=slot, at=host.clock())


def checkpoint(host: Host) -> None:
    """Forget what is too old to be asked for, move every write-ahead log into its file, and say when one cannot be.

    Args:
        host: the truth plane's adapters.
    """
    with host.store.control_write() as tx:
        ticks.prune(tx, now=host.clock())
    tenants = host.store.tenants()
    for tenant in tenants:
        _prune(host, tenant)
    for name in (None, *tenants):
        left = checkpoint_file(host.store, name)["wal_bytes_after"]
        if isinstance(left, int) and left > WAL_ALERT_BYTES:
            log.warning("the write-ahead log of %s holds %d MB; a reader does not end", name, left // 2**20)


def _prune(host: Host, tenant: str) -> None:
    """Forget the answers that nobody repeats a request for, settled requests and changes that readers have seen."""
    now = host.clock()
    with host.store.write(tenant) as tx:
        idempotency.prune(tx, now=now)
        # An answer may name a request, so a request lives as long.
        requests.prune(tx, before=now - idempotency.KEEP_MICROS)
        rows.prune_changes(tx, before=now - CHANGES_MICROS)
