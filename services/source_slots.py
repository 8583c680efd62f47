"""Slots of their own for fetching pages and reading files, so that slow ones hold up nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable

from memory.records import WorkItem
from services.host import Host
from store import sendings

# A tenant has one item out however full the slots are; one that found none free is not asked again at once.
_WAIT_MICROS = 1_000_000

Work = Callable[[Host, WorkItem], None]


class SourceSlots:
    """How many pages and files a process fetches and reads at a time."""

    def __init__(self, number: int) -> None:
        """Begin with all of them free.

        Args:
            number: of pages and files together.
        """
        self._free = threading.Semaphore(number)

    def bound(self, work: Work) -> Work:
        """Return work that takes a slot while it is done, if its item is of the queue `sources`.

        With no slot free the item is given back to wait for another time, so that it takes no thread of other work.

        Args:
            work: what is to be done with an item, of this queue or another.
        """

        def in_slot(host: Host, item: WorkItem) -> None:
            if item.queue != "sources":
                work(host, item)
            elif self._free.acquire(blocking=False):
                try:
                    work(host, item)
                finally:
                    self._free.release()
            else:
                _wait(host, item)

        return in_slot


def _wait(host: Host, item: WorkItem) -> None:
    at = host.clock()
    with host.store.write(item.tenant) as tx:
        sendings.give_back(
            tx, [item], not_before=at + _WAIT_MICROS, reason="other pages and files are being read", at=at
        )
