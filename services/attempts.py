"""One attempt of a work item on the host worker: done under its lease, and what goes wrong is told at once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping

from memory.errors import BrokerDown, Busy, FetchFailed, MemlaneError, StoreError, Unreadable, UrlRefused
from memory.records import WorkItem
from services import ledger
from services.host import Host
from services.reading.process import ReaderKilled
from store import ledger as ledger_rows

log = logging.getLogger(__name__)


def under_lease(host: Host, tenant: str, item_id: int, attempt: int, work: Callable[[Host, WorkItem], None]) -> None:
    """Do host work under its lease; what goes wrong with it counts as a failed attempt, at once and with a reason.

    Args:
        host: the truth plane's adapters.
        tenant: of the item.
        item_id: which.
        attempt: of this sending; a stale or repeated one does nothing.
        work: what is to be done.

    Raises:
        StoreError: the store could not be had; the item is sent again and nothing counts. So with the next two.
        Busy: the store is locked.
        BrokerDown: the broker is away.
    """
    with host.store.read(tenant) as db:
        item = ledger_rows.leased(db, tenant, item_id, attempt)
    if item is None:
        return
    began = time.monotonic()
    try:
        work(host, item)
        log.info(
            "tenant=%s job=%s item=%d attempt=%d %s: done ms=%.0f", tenant, item.job_id, item.id, attempt, item.task,
            (time.monotonic() - began) * 1000,
        )  # fmt: skip
    except (StoreError, Busy, BrokerDown):
        raise  # the surroundings' fault
    except (Unreadable, UrlRefused, FetchFailed) as error:
        log.info("item %s of tenant %s cannot be had or read: %s", item_id, tenant, type(error).__name__)
        status = "refused" if _is_final(error) else "failed"
        _tell(host, item, {"status": status, "reason": error.message})
    except ReaderKilled as error:
        log.warning("item %s of tenant %s: %s", item_id, tenant, error.message)
        _tell(host, item, {"status": "failed", "reason": error.message})
    except Exception as error:
        log.exception("item %s of tenant %s failed", item_id, tenant)
        _tell(host, item, {"status": "failed", "reason": ledger.words(error)})


def _tell(host: Host, item: WorkItem, result: Mapping[str, str]) -> None:
    ledger.complete(host, item.tenant, item.id, item.attempt, result)
    # A job that ends with it waits for the writer, who would otherwise hear of it at the next sweep.
    ledger.wake_writer(host, item.tenant)


def _is_final(error: MemlaneError) -> bool:
    """Whether another attempt would end in the same way."""
    return bool(error.details.get("final")) if isinstance(error, FetchFailed) else True
