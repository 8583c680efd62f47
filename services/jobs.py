"""Jobs as people see them: look, wait, cancel, retry."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Unpack

from memory.errors import StateConflict
from memory.records import Actor, Job, JobState, Page, Paging, Scope
from services import ledger
from services.host import Host
from store import ledger as ledger_rows

# A look takes well under a millisecond and a job at least a few model calls.
POLL_SECONDS = 0.05
MOST_PER_PAGE = 200


def get(scope: Scope, host: Host, job_id: str) -> Job:
    """Return a job.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    with host.store.read(scope.tenant) as db:
        return _with_outage(host, ledger_rows.find_job(scope, db, job_id))


def _with_outage(host: Host, job: Job) -> Job:
    """Say of an open job what it waits for when no node takes background work."""
    if not job.is_open or job.warning is not None:
        return job
    sight = host.sight()
    if not sight.broker or sight.takers("background"):
        return job
    reasons = sorted(f"{beat.worker}: {beat.reason}" for beat in sight.heartbeats if not beat.healthy)
    return replace(job, warning=" ".join(("This waits, because no background worker takes work now.", *reasons)))


def listing(
    scope: Scope,
    host: Host,
    *,
    state: JobState | None = None,
    **paging: Unpack[Paging],
) -> Page[Job]:
    """Return one page of the scope's jobs, newest first.

    Args:
        scope: whose jobs.
        host: the truth plane's adapters.
        state: only jobs in this state.
        **paging: which page; at most 200 jobs are on one.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    with host.store.read(scope.tenant) as db:
        paging["limit"] = min(max(paging["limit"], 1), MOST_PER_PAGE)
        return ledger_rows.list_jobs(scope, db, state=state, **paging)


def cancel(scope: Scope, host: Host, actor: Actor, job_id: str) -> Job:
    """Cancel an open job: results that come later are ignored, what is committed stays.

    Args:
        scope: whose job.
        host: the truth plane's adapters.
        actor: who cancels it.
        job_id: which.

    Returns:
        The job, cancelled; its reason says how much is kept. A cancelled job is returned as it is.

    Raises:
        NotFound: there is none in the scope's spaces.
        StateConflict: it has ended otherwise.
    """
    with host.store.write(scope.tenant) as tx:
        job = ledger_rows.find_job(scope, tx, job_id)
        if not job.is_open and job.state != "cancelled":
            raise StateConflict(f"The job has ended already ({job.state}); there is nothing to cancel.", job=job_id)
        reason = f"Cancelled by {actor.kind} {actor.id}"
        if ledger_rows.cancel_job(tx, job_id, reason=reason, at=host.clock()):
            ledger.notify(host, tx, ledger.JOB_ENDED, job_id)
        cancelled = ledger_rows.get_job(tx, job_id)
    ledger.wake_writer(host, scope.tenant)
    return cancelled


def retry(scope: Scope, host: Host, actor: Actor, job_id: str) -> Job:
    """Do the failed items of an ended job again; the continuation `job.retried` may add what failed before any item.

    Args:
        scope: whose job.
        host: the truth plane's adapters.
        actor: who asks for it.
        job_id: which.

    Returns:
        The job, queued or running again.

    Raises:
        NotFound: there is none in the scope's spaces.
        StateConflict: it has not failed, not even in part, or has nothing that could be done again.
    """
    with host.store.write(scope.tenant) as tx:
        job = ledger_rows.find_job(scope, tx, job_id)
        if job.state not in ("failed", "partial"):
            message = f"Only a job that failed can be retried; this one is {job.state}."
            raise StateConflict(message, job=job_id, asked_by=actor.kind)
        ledger_rows.reopen_job(tx, job_id, at=host.clock())
        ledger.notify(host, tx, ledger.JOB_RETRIED, job_id)
        if not ledger_rows.open_items(tx, job_id):
            raise StateConflict("This job has nothing left that could be done again.", job=job_id)
    ledger.dispatch(host, scope.tenant)
    ledger.wake_writer(host, scope.tenant)
    return get(scope, host, job_id)


def wait(scope: Scope, host: Host, job_id: str, *, seconds: float) -> Job:
    """Wait until a job has ended.

    Args:
        scope: whose job.
        host: the truth plane's adapters.
        job_id: which.
        seconds: the longest wait; cut to the setting `wait_seconds`.

    Returns:
        The job as it is then, ended or not.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    until = time.monotonic() + min(seconds, host.settings.wait_seconds)
    job = get(scope, host, job_id)
    while job.is_open and (left := until - time.monotonic()) > 0:
        time.sleep(min(POLL_SECONDS, left))
        job = get(scope, host, job_id)
    return job
