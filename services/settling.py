"""Accepts the results of work items: the first that names a lease counts, in one transaction with all that follows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from memory.errors import BadAnswer, BrokerDown, Busy, StoreError
from memory.records import JobState, Micros, WorkItem
from services.dispatching import lease, room, send, wake_writer, words
from services.host import Host
from store import ledger as ledger_rows
from store import sendings
from store.connection import Writer

log = logging.getLogger(__name__)

# Continuations that are not a tally's; each is handed {"job": id, "state", "reason"} in the transaction.
JOB_ENDED = "job.ended"  # the ledger itself failed or cancelled a job
JOB_RETRIED = "job.retried"  # a person queued an ended job again

# The surroundings are at fault, not the item: the message comes again and nothing counts.
_NOT_THE_ITEM = (StoreError, Busy, BrokerDown)
# A provider outage is waited out: 1, 2, 4 .. 30 s. Source: design section 4.
_LONGEST_WAIT = 30.0

_Step = Callable[[Writer, WorkItem], None]


def complete(
    host: Host, tenant: str, item_id: int, attempt: int, result: Mapping[str, Any], *, token: int | None = None
) -> bool:
    """Settle an attempt, run what its result makes possible, and send what is ready then.

    A result that the task's completion refuses, or that breaks the continuation, counts as a failed attempt.

    Args:
        host: the truth plane's adapters.
        tenant: of the item.
        item_id: which.
        attempt: the sending that is reported on.
        result: `status` is "done" (with what the completion reads), "failed", "refused" (which another attempt would
            not change) or "unavailable", these with a `reason`.
        token: of the writer's lease; None on the host worker, whose items write no knowledge.

    Returns:
        False when the attempt holds no lease: late, repeated, cancelled or unknown. Nothing is changed then.

    Raises:
        Fenced: another writer took over; nothing was written.
        Busy: the store is locked; nothing was written.
        StoreError: the store could not be written.
    """

    def transaction() -> AbstractContextManager[Writer]:
        return host.store.write(tenant) if token is None else host.store.fenced(tenant, token)

    rooms = room(host, tenant)

    def attempted(step: _Step) -> list[WorkItem] | None:
        with transaction() as tx:
            item = ledger_rows.leased(tx, tenant, item_id, attempt)
            if item is None:
                return None
            step(tx, item)
            # In the same commit: each costs a write to the disk that is waited for.
            return lease(host, tx, tenant, rooms)

    leased = _first_that_works(
        attempted,
        lambda tx, item: settle(host, tx, item, result),
        lambda reason: lambda tx, item: _fail(host, tx, item, reason),
        lambda reason: lambda tx, item: _give_up(host, tx, item, reason),
    )
    if leased is not None:
        _send(host, tenant, leased)
    return leased is not None


@contextmanager
def host_commit(host: Host, item: WorkItem) -> Iterator[Writer | None]:
    """Open the transaction in which a host worker keeps its work and settles its item as done.

    Afterwards what became ready is sent, and the writer is woken when it was asked for something.

    Args:
        host: the truth plane's adapters.
        item: as leased; read before the work began.

    Yields:
        The transaction, or None when the lease has been lost meanwhile: then nothing may be kept.
    """
    rooms = room(host, item.tenant)
    leased: list[WorkItem] = []
    with host.store.write(item.tenant) as tx:
        mine = ledger_rows.leased(tx, item.tenant, item.id, item.attempt) is not None
        yield tx if mine else None
        if mine:
            _finish_item(host, tx, item)
            leased = lease(host, tx, item.tenant, rooms)
    if mine:
        _send(host, item.tenant, leased)
        wake_writer(host, item.tenant)


def settle(host: Host, tx: Writer, item: WorkItem, result: Mapping[str, Any]) -> None:
    """Settle a leased item in the caller's transaction, as `complete` does."""
    status, reason = result.get("status"), str(result.get("reason") or "The node gave no reason; see its log.")
    if status == "done":
        if item.task in host.completions:
            host.completions[item.task](host, tx, item, result)
        _finish_item(host, tx, item)
    elif status == "unavailable":
        at = host.clock()
        sendings.give_back(tx, [item], not_before=at + _wait_micros(host, tx, item), reason=reason, at=at)
    elif status == "refused":
        _fail(host, tx, item, reason, most=1)
    else:
        _fail(host, tx, item, reason)
    log.info(
        "tenant=%s job=%s item=%d attempt=%d %s: %s node=%s ms=%s", item.tenant, item.job_id, item.id, item.attempt,
        item.task, status, result.get("node", "-"), result.get("ms", "-"),
    )  # fmt: skip


def end_job(
    host: Host, tx: Writer, job_id: str, *, state: JobState, reason: str | None = None, warning: str | None = None
) -> bool:
    """End an open job and run the continuation `job.ended`; returns False when it had ended before."""
    ended = ledger_rows.finish_job(tx, job_id, state=state, reason=reason, warning=warning, at=host.clock())
    if ended:
        notify(host, tx, JOB_ENDED, job_id)
    return ended


def notify(host: Host, tx: Writer, name: str, job_id: str) -> None:
    """Run a continuation that is not a tally's, if there is one."""
    if name in host.continuations:
        job = ledger_rows.get_job(tx, job_id)
        host.continuations[name](host, tx, job, {"job": job_id, "state": job.state, "reason": job.reason})


def _first_that_works(
    attempted: Callable[[_Step], list[WorkItem] | None],
    step: _Step,
    *fallbacks: Callable[[str], _Step],
) -> list[WorkItem] | None:
    for fallback in fallbacks:
        try:
            return attempted(step)
        except _NOT_THE_ITEM:
            raise
        except BadAnswer as error:
            # A model's fault and no defect of ours; what it wrote stays out of the log.
            log.warning("a model's answer was refused: it has nothing valid in it")
            step = fallback(words(error))
        except Exception as error:
            log.exception("a result was refused")
            step = fallback(words(error))
    return attempted(step)


def _send(host: Host, tenant: str, items: Sequence[WorkItem]) -> None:
    try:
        send(host, items)
    except Busy as error:
        log.info("items of tenant %s wait for the next sweep: %s", tenant, error)


def _finish_item(host: Host, tx: Writer, item: WorkItem) -> None:
    sendings.mark_done(tx, item, at=host.clock())
    _count(host, tx, item)


def _fail(host: Host, tx: Writer, item: WorkItem, reason: str, *, most: int | None = None) -> None:
    if not sendings.fail_attempt(tx, item, reason=reason, most=most or host.settings.max_attempts, at=host.clock()):
        return
    if sendings.has_tally(tx, item):
        _count(host, tx, item)
    else:
        end_job(host, tx, item.job_id, state="failed", reason=reason)


def _give_up(host: Host, tx: Writer, item: WorkItem, reason: str) -> None:
    """End the job of an item whose failure cannot be counted either, because the continuation breaks."""
    sendings.fail_attempt(tx, item, reason=reason, most=1, at=host.clock())
    sendings.count_down(tx, item)
    end_job(host, tx, item.job_id, state="failed", reason=reason)


def _count(host: Host, tx: Writer, item: WorkItem) -> None:
    fired = sendings.count_down(tx, item)
    if fired is not None:
        job = ledger_rows.get_job(tx, fired.job_id)
        host.continuations[fired.continuation](host, tx, job, fired.payload)


def _wait_micros(host: Host, tx: Writer, item: WorkItem) -> Micros:
    """Return the wait before the next sending; sendings that did not count as failures make it longer."""
    waits = item.attempt - 1 - sendings.failures_of(tx, item)
    seconds = min(_LONGEST_WAIT, 2.0 ** min(max(waits, 0), 10))
    return round(seconds / host.settings.time_factor * 1_000_000)
