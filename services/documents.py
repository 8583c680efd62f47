"""Documents: hand one in, look at it, list them, delete one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from memory.errors import StateConflict
from memory.filters import Filter, matches
from memory.records import Accepted, Actor, Document, Idempotency, Memory, NewDocument, Page, Scope
from services import asking, intake, ledger
from services.host import Host
from store import documents, memories, spaces
from store import ledger as ledger_rows
from store.connection import Writer
from store.documents import StoredChunk

PROCESSING = ("unknown", "queued", "extracting", "chunking", "embedding", "indexing")


def add(
    scope: Scope, host: Host, actor: Actor, new: NewDocument, *, idempotency: Idempotency | None = None
) -> Accepted:
    """Keep a document and the work it needs in one transaction; with a known customId it is a new revision.

    Equal text under the same customId adds nothing and answers with the document as it is.

    Raises:
        OneSpace: the scope does not name exactly one space.
        StateConflict: the customId is that of somebody else's document.
        IdempotencyMismatch: the key was used with another body.
        Busy: the store could not be written in time; nothing was kept.
    """
    with host.store.write(scope.tenant) as tx:
        accepted = intake.once(scope, host, tx, idempotency, lambda: _add(scope, host, tx, new))
    return ledger.send_accepted(host, scope.tenant, accepted) if accepted.created else accepted


def _add(scope: Scope, host: Host, tx: Writer, new: NewDocument) -> Accepted:
    at = host.clock()
    digest = hashlib.sha256(new.content.encode("utf-8", "surrogatepass")).hexdigest()
    space_id = spaces.ensure(scope, tx, at=at)
    known = documents.by_custom_id(tx, space_id, new.custom_id) if new.custom_id is not None else None
    if known is None:
        document_id = host.new_id("doc")
        documents.insert(scope, tx, new, document_id=document_id, space_id=space_id, at=at)
    else:
        document_id = known.id
        # A session is a run and not a person: the next one may revise what this one sent.
        if not replace(scope, session=None).sees(documents.place_of(tx, document_id).owner):
            raise StateConflict("This customId belongs to another user or agent of the space.", field="customId")
        newest = documents.revision(tx, document_id, known.latest_revision)
        documents.describe(tx, document_id, new, at=at)
        if newest.content_hash == digest and newest.state in ("pending", "live"):
            return Accepted(id=document_id, status=known.status, job_id=known.job_id, created=False)
        if newest.state == "pending":
            ledger_rows.cancel_job(tx, newest.job_id, reason="a newer revision was sent", at=at)
            documents.set_revision_state(tx, document_id, newest.revision, "replaced")
    job_id = host.new_id("job")
    number = documents.add_revision(tx, document_id, content=new.content, content_hash=digest, job_id=job_id, at=at)
    ledger_rows.add_job(
        tx, id=job_id, space_id=space_id, kind="document", document_id=document_id, revision=number, at=at
    )
    ledger_rows.add_items(
        tx, job_id=job_id, task="document.prepare", queue="host",
        payloads=[{"document": document_id, "revision": number}], continuation=None, at=at,
    )  # fmt: skip
    return Accepted(id=document_id, status="queued", job_id=job_id)


def get(scope: Scope, host: Host, ref: str, *, content: bool = False) -> Document:
    """Return a document by id or customId.

    Raises:
        NotFound: there is none in the scope's spaces.
        Ambiguous: the customId is used in several of them.
    """
    with host.store.read(scope.tenant) as db:
        return documents.get(scope, db, ref, content=content)


def listing(
    scope: Scope,
    host: Host,
    *,
    limit: int,
    page: int | None = None,
    cursor: str | None = None,
    sort: str = "createdAt",
    order: str = "desc",
    filters: Filter | None = None,
    filepath: str | None = None,
    content: bool = False,
) -> Page[Document]:
    """Return a page of documents; a metadata filter is applied before the page is cut."""
    with host.store.read(scope.tenant) as db:
        wanted = None
        if filters is not None:
            wanted = [one for one, metadata in documents.all_metadata(scope, db) if matches(filters, metadata)]
        found = documents.listing(
            scope, db, limit=limit, page=page, cursor=cursor, sort=sort, order=order, filepath=filepath, ids=wanted
        )
        if not content:
            return found
        full = tuple(documents.get(scope, db, one.id, content=True) for one in found.rows)
    return Page(rows=full, total=found.total, limit=found.limit, next_cursor=found.next_cursor)


def processing(
    scope: Scope, host: Host, *, limit: int, page: int | None = None, cursor: str | None = None
) -> Page[Document]:
    """Return a page of the documents that are not finished."""
    with host.store.read(scope.tenant) as db:
        return documents.listing(scope, db, limit=limit, page=page, cursor=cursor, statuses=PROCESSING)


def memories_of(scope: Scope, host: Host, document_id: str) -> tuple[Memory, ...]:
    """Return the memories that rest on a document."""
    with host.store.read(scope.tenant) as db:
        return memories.of_document(scope, db, documents.get(scope, db, document_id).id)


def chunks(scope: Scope, host: Host, ref: str) -> tuple[StoredChunk, ...]:
    """Return the chunks of the revision that search answers from (of the newest while none does)."""
    with host.store.read(scope.tenant) as db:
        document = documents.get(scope, db, ref)
        return tuple(documents.chunks(db, document.id, document.live_revision or document.latest_revision))


def delete(scope: Scope, host: Host, actor: Actor, ref: str, *, reason: str | None = None) -> None:
    """Take a document, its chunks and what rests on it alone out of every read; work under way is cancelled.

    Raises:
        NotFound: there is none in the scope's spaces.
        Pending: it is kept and will be carried out when the writer is back.
    """
    found = get(scope, host, ref)
    payload: dict[str, Any] = {"space": found.space, "document": found.id, "reason": reason or "deleted"}
    asking.ask(scope, host, actor, "document.delete", payload)
