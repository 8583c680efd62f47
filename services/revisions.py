"""Revisions on the writer's side: the switch to a new edition, the end of a job, the deletion of a document."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from memory.records import BEGINNING, Actor, Document, Job, JobState, Micros, Scope
from memory.summary import summary_of
from services import extracting, ingest, ledger
from services.host import Host
from services.titles import title_of
from store import candidates, chunks, documents, groups, memory_sources, reviews, rows, sources
from store import ledger as ledger_rows
from store.connection import Writer
from store.requests import Request

log = logging.getLogger(__name__)


def switch_revision(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Let search answer from a revision all of whose chunks are embedded; the old one stops in the same commit.

    A revision with a failed item changes nothing and is reported; one that has been overtaken is dropped.
    """
    document_id, number = str(asked.payload["document"]), int(asked.payload["revision"])
    job = ledger_rows.get_job(tx, str(asked.payload["job"]))
    document = documents.by_id(tx, document_id)
    if not job.is_open or documents.place_of(tx, document_id).deleted_at is not None:
        documents.set_revision_state(tx, document_id, number, "cancelled")
        return {}
    if number != document.latest_revision:
        documents.set_revision_state(tx, document_id, number, "replaced")
        return {}
    if job.items_failed:
        fail_revision(host, tx, job, ledger_rows.first_reason(tx, job.id) or "its text could not be embedded")
        return {}
    at = host.clock()
    new = chunks.row_ids(tx, document_id, number)
    old = chunks.row_ids(tx, document_id, document.live_revision) if document.live_revision else []
    for row_id in set(old) - set(new):
        rows.retire_windows(tx, row_id, at=at, actor=asked.actor, reason=f"replaced by revision {number}")
    for row_id in new:
        if not rows.is_live(tx, row_id, at=at):
            rows.open_window(tx, row_id, valid_from=BEGINNING, at=at, actor=asked.actor, job_id=job.id)
    content = documents.revision(tx, document_id, number).content
    own_title = sources.title(tx, document_id, number)
    title = own_title or title_of((one.heading for one in chunks.of(tx, document_id, number)), content)
    documents.make_live(tx, document_id, number, title=title, summary=summary_of(content), at=at)
    documents.set_status(tx, document_id, "indexing", at=at)
    ingest.add_extraction(host, tx, job_id=job.id, document_id=document_id, revision=number)
    settle_job(host, tx, job.id)
    return {}


def fail_revision(host: Host, tx: Writer, job: Job, reason: str) -> None:
    """End a revision that could not be processed; the one before goes on serving."""
    ledger_rows.finish_job(tx, job.id, state="failed", reason=reason, at=host.clock())
    _end_document(tx, ledger_rows.get_job(tx, job.id), host.clock())


def request_settlement(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Settle a job when nothing of it is open."""
    settle_job(host, tx, str(asked.payload["job"]))
    return {}


def settle_job(host: Host, tx: Writer, job_id: str) -> None:
    """End a job when no item is open and every candidate is settled; what it leaves undone is said."""
    open_ = ledger_rows.state_of(tx, job_id) in ("queued", "running")
    if open_ and (ledger_rows.open_items(tx, job_id) or candidates.ready_count(tx, job_id)):
        return
    job, at = ledger_rows.get_job(tx, job_id), host.clock()
    if job.state in ("cancelled", "failed"):
        candidates.drop_open(tx, job_id, reason=f"the job was {job.state}", at=at)
        _end_document(tx, job, at)
        return
    if not job.is_open:
        return
    if job.document_id and documents.revision(tx, job.document_id, job.revision or 1).state == "pending":
        return
    candidates.drop_open(tx, job_id, reason="no vector could be made for it", at=at)
    warning = _missing(tx, job)
    lacks = sources.warning(tx, job.document_id, job.revision or 1) if job.document_id else None
    if job.document_id:
        _settle_document(tx, job, warning, at, lacks=lacks)
    state: JobState = "partial" if warning else "done"
    remark = _joined(lacks, extracting.remark(tx, job))
    ledger_rows.finish_job(tx, job_id, state=state, reason=warning, warning=remark, at=at)
    log.info("job=%s %s: %s ms=%d", job_id, job.kind, state, (at - job.created_at) // 1000)


def _missing(tx: Writer, job: Job) -> str | None:
    """Say what a job leaves undone; None when nothing."""
    lacking = extracting.missing(tx, job)
    if lacking is not None:
        return lacking
    if job.items_failed:
        return f"{job.items_failed} of {job.items_total} work items failed: {ledger_rows.first_reason(tx, job.id)}"
    failed = candidates.failed_count(tx, job.id)
    return f"{failed} facts could not be reconciled; the log says why." if failed else None


def _joined(*sentences: str | None) -> str | None:
    return " ".join(one for one in sentences if one) or None


def _settle_document(tx: Writer, job: Job, warning: str | None, at: Micros, *, lacks: str | None) -> None:
    """Let a document say that a revision is done; one that was overtaken by a newer one has no say any more."""
    document = documents.by_id(tx, str(job.document_id))
    if not warning and document.live_revision == job.revision:
        _retire_lost(tx, job, at)
    if document.latest_revision == job.revision:
        documents.set_status(tx, document.id, "done", warning=_joined(lacks, warning), at=at)


def _retire_lost(tx: Writer, job: Job, at: Micros) -> None:
    """Retire what only older revisions said and nothing of the new one superseded."""
    document_id, number = str(job.document_id), int(job.revision or 1)
    if number == 1:
        return
    actor = Actor(kind="pipeline", id=job.id)
    reason = f"no longer said by the document since revision {number}"
    for lost in memory_sources.sole_sources(tx, document_id, but_revision=number):
        rows.retire_windows(tx, lost.row_id, at=at, actor=actor, reason=reason)
    memory_sources.retire_sources(tx, document_id, before_revision=number, reason=reason, at=at)


def _end_document(tx: Writer, job: Job, at: Micros) -> None:
    """Let a document say what became of a revision whose job was cancelled or failed; an older one goes on serving."""
    if job.document_id is None:
        return
    document, number = documents.by_id(tx, job.document_id), job.revision or 1
    reason = job.reason or f"the job was {job.state}"
    if document.latest_revision != number or document.status in ("done", "failed"):
        return
    if document.live_revision == number:
        documents.set_status(tx, job.document_id, "done", warning=f"Facts are missing: {reason}", at=at)
        return
    documents.set_revision_state(tx, job.document_id, number, job.state)
    if document.live_revision is None:
        documents.set_status(tx, job.document_id, "failed", reason=reason, at=at)
    else:
        warning = f"Revision {number} was not taken over ({reason}); the revision before it is still served."
        documents.set_status(tx, job.document_id, "done", warning=warning, at=at)


def delete_document(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Take a document and what rests on it alone out of every read; its history stays.

    Raises:
        NotFound: it is not there (any more).
    """
    scope = Scope(tenant=tenant, spaces=(str(asked.payload["space"]),))
    document = documents.get(scope, tx, str(asked.payload["document"]))
    _delete(host, tx, document, asked.actor, str(asked.payload["reason"]))
    return {"id": document.id}


def delete_documents(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Do the same for several documents of a space; those that are gone already are left out of the result."""
    scope = Scope(tenant=tenant, spaces=(str(asked.payload["space"]),))
    found = [documents.find(scope, tx, str(one)) for one in asked.payload["documents"]]
    there = [one for one in found if one is not None]
    for document in there:
        _delete(host, tx, document, asked.actor, str(asked.payload["reason"]))
    return {"ids": [one.id for one in there]}


def _delete(host: Host, tx: Writer, document: Document, actor: Actor, reason: str) -> None:
    at = host.clock()
    for job in ledger_rows.open_jobs_of(tx, document.id):
        ledger_rows.cancel_job(tx, job, reason="the document was deleted", at=at)
        candidates.drop_open(tx, job, reason="the document was deleted", at=at)
    for sole in memory_sources.sole_sources(tx, document.id, but_revision=None):
        rows.retire_windows(tx, sole.row_id, at=at, actor=actor, reason=reason)
    memory_sources.retire_sources(tx, document.id, before_revision=None, reason=reason, at=at)
    for row_id in chunks.row_ids(tx, document.id, document.live_revision or 0):
        rows.retire_windows(tx, row_id, at=at, actor=actor, reason=reason)
    reviews.make_moot(tx, document.id, actor=actor, reason=reason, at=at)
    documents.mark_deleted(tx, document.id, at=at)


HANDLERS = {
    "revision.switch": switch_revision,
    "job.settle": request_settlement,
    "document.delete": delete_document,
    "documents.delete": delete_documents,
}


def job_ended(host: Host, tx: Writer, job: Job, payload: Mapping[str, Any]) -> None:
    """Ask the writer to tidy up after a job that was failed or cancelled by the ledger or a person."""
    ingest.ask_writer(host, tx, "job.settle", {"job": job.id})


def job_retried(host: Host, tx: Writer, job: Job, payload: Mapping[str, Any]) -> None:
    """Let a failed revision be processed again, as long as no newer one was sent, and groups that were cut be asked."""
    groups.reopen_cut(tx, job.id, at=host.clock())
    if job.document_id is None:
        return
    document, number = documents.by_id(tx, job.document_id), job.revision or 1
    if number == document.latest_revision and document.live_revision != number:
        documents.set_revision_state(tx, job.document_id, number, "pending")
        documents.set_status(tx, job.document_id, "queued", at=host.clock())


CONTINUATIONS = {ledger.JOB_ENDED: job_ended, ledger.JOB_RETRIED: job_retried}
