"""Looking after the store: ticks that run once, and the write-ahead logs kept short."""

from __future__ import annotations

import logging

from services.host import Host
from store import ticks
from store.checkpoint import checkpoint as checkpoint_file

log = logging.getLogger(__name__)

# A log this long means that a reader never ends; searches slow down and the disk fills.
WAL_ALERT_BYTES = 64 * 1024 * 1024


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
    """Move every write-ahead log into its file, say so when one cannot be moved, and forget old ticks.

    Args:
        host: the truth plane's adapters.
    """
    with host.store.control_write() as tx:
        ticks.prune(tx, now=host.clock())
    for tenant in (None, *host.store.tenants()):
        left = checkpoint_file(host.store, tenant)["wal_bytes_after"]
        if isinstance(left, int) and left > WAL_ALERT_BYTES:
            log.warning("the write-ahead log of %s holds %d MB; a reader does not end", tenant, left // 2**20)
