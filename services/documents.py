"""Documents: hand one in, look at it, list them, delete one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, Literal, Unpack

from memory.errors import NotFound, StateConflict
from memory.filters import Filter, matches
from memory.records import (
    Accepted,
    Actor,
    Document,
    DocumentChange,
    Idempotency,
    Memory,
    Micros,
    NewDocument,
    NewSource,
    Page,
    Paging,
    Scope,
    Sorting,
)
from services import asking, intake, ledger, request_ids
from services.host import Host
from store import chunks as spans
from store import document_lists, documents, memory_sources, sources, spaces
from store import ledger as ledger_rows
from store.connection import Writer
from store.documents import Revision

View = Literal["active", "pending", "all"]

# After so long without a change something is wrong, as Supermemory has it.
STUCK_MICROS: Micros = 4 * 3600 * 1_000_000
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
        accepted = intake.once(scope, host, tx, idempotency, lambda: keep(scope, host, tx, new))
    return ledger.send_accepted(host, scope.tenant, accepted) if accepted.created else accepted


def keep(scope: Scope, host: Host, tx: Writer, new: NewDocument) -> Accepted:
    """Keep a document in a transaction of the caller's; see `add`.

    Raises:
        OneSpace: as in `add`.
        StateConflict: as in `add`.
    """
    at = host.clock()
    digest = digest_of(new.content, new.source)
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
        documents.change(tx, document_id, _described(new), at=at)
        # A page may say something else by now; an equal text or file does not.
        unchanged = ("pending",) if is_page(new.source) else ("pending", "live")
        same = newest.content_hash == digest and newest.state in unchanged
        if same and not is_read_otherwise(known, newest, new.document_date, new.task_type):
            return Accepted(id=document_id, status=known.status, job_id=known.job_id, created=False)
    return revise(host, tx, document_id, space_id, content=new.content, source=new.source, at=at)


def _described(new: NewDocument) -> DocumentChange:
    return DocumentChange(
        title=new.title, type=new.type, filepath=new.filepath, metadata=new.metadata,
        document_date=new.document_date, document_zone=new.document_zone, task_type=new.task_type,
        entity_context=new.entity_context,
    )  # fmt: skip


def is_read_otherwise(known: Document, newest: Revision, date: Micros | None, task_type: str | None) -> bool:
    """Tell whether a text that has been read is now to be read with another date, or for another purpose.

    Args:
        known: the document as it was.
        newest: its newest revision; one that is still pending is read as it is said by then.
        date: when the text is now said to be from; None: as it was.
        task_type: what is now wanted of it; None: as it was.
    """
    other = (date is not None and date != known.document_date) or task_type not in (None, known.task_type)
    return other and newest.state == "live"


def is_page(source: NewSource | None) -> bool:
    """Tell whether a document is a page that is yet to be fetched."""
    return source is not None and source.kind == "url"


def digest_of(content: str, source: NewSource | None = None) -> str:
    """Return the hex sha256 of a text, or of a source and what decides how it is read; by it equal revisions are known.

    Args:
        content: the text; "" when it comes from the source.
        source: a file or page.
    """
    if source is None:
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    named = "\x1f".join((source.kind, source.name or "", source.media_type or "", source.url or ""))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass") + b"\x1f" + (source.body or b"")).hexdigest()


def revise(
    host: Host,
    tx: Writer,
    document_id: str,
    space_id: int,
    *,
    content: str,
    source: NewSource | None = None,
    at: Micros,
) -> Accepted:
    """Add a revision and the work it needs; one that is still pending gives way to it."""
    pending = documents.pending_revision(tx, document_id)
    if pending is not None:
        ledger_rows.cancel_job(tx, pending.job_id, reason="a newer revision was sent", at=at)
        documents.set_revision_state(tx, document_id, pending.revision, "replaced")
    job_id, digest = host.new_id("job"), digest_of(content, source)
    number = documents.add_revision(tx, document_id, content=content, content_hash=digest, job_id=job_id, at=at)
    if source is not None:
        sources.add(tx, document_id, number, source)
    ledger_rows.add_job(
        tx, id=job_id, space_id=space_id, kind="document", document_id=document_id, revision=number,
        caused_by=request_ids.current(), at=at,
    )  # fmt: skip
    ledger_rows.add_items(
        tx, job_id=job_id, task="document.fetch" if is_page(source) else "document.prepare",
        queue="host" if source is None else "sources",
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
    filters: Filter | None = None,
    filepath: str | None = None,
    content: bool = False,
    **paging: Unpack[Sorting],
) -> Page[Document]:
    """Return a page of documents; a metadata filter is applied before the page is cut."""
    with host.store.read(scope.tenant) as db:
        wanted = None
        if filters is not None:
            wanted = [one for one, metadata in document_lists.all_metadata(scope, db) if matches(filters, metadata)]
        found = document_lists.listing(scope, db, filepath=filepath, ids=wanted, **paging)
        if not content:
            return found
        full = tuple(documents.get(scope, db, one.id, content=True) for one in found.rows)
    return Page(rows=full, total=found.total, limit=found.limit, next_cursor=found.next_cursor)


def processing(
    scope: Scope,
    host: Host,
    *,
    view: View = "active",
    **paging: Unpack[Paging],
) -> Page[Document]:
    """Return a page of the documents that are not finished.

    Args:
        scope: whose documents.
        host: the adapters.
        view: active: those touched in the last hours; pending: all; all: those that failed too.
        **paging: which page.
    """
    stuck_before = host.clock() - STUCK_MICROS
    with host.store.read(scope.tenant) as db:
        found = document_lists.listing(
            scope, db,
            statuses=(*PROCESSING, "failed") if view == "all" else PROCESSING,
            touched_since=stuck_before if view == "active" else None,
            **paging,
        )  # fmt: skip
    rows = tuple(
        replace(one, is_stuck=True) if one.status != "failed" and one.updated_at < stuck_before else one
        for one in found.rows
    )
    return replace(found, rows=rows)


def with_file(scope: Scope, host: Host, ref: str) -> str:
    """Return the id of a document that was sent as a file, or whose page was fetched.

    Raises:
        NotFound: there is no such document in the scope's spaces, or it has no file.
        Ambiguous: the customId is used in several of them.
    """
    with host.store.read(scope.tenant) as db:
        found = documents.get(scope, db, ref)
        source = sources.find(db, found.id, found.live_revision or found.latest_revision)
    if source is None or not source.size:
        raise NotFound("This document was not sent as a file; its text is in `content`.", field="id")
    return found.id


def memories_of(scope: Scope, host: Host, document_id: str) -> tuple[Memory, ...]:
    """Return the memories that rest on a document."""
    with host.store.read(scope.tenant) as db:
        return memory_sources.of_document(scope, db, documents.get(scope, db, document_id).id)


def chunks(scope: Scope, host: Host, ref: str) -> tuple[spans.StoredChunk, ...]:
    """Return the chunks of the revision that search answers from (of the newest while none does)."""
    with host.store.read(scope.tenant) as db:
        document = documents.get(scope, db, ref)
        return tuple(spans.of(db, document.id, document.live_revision or document.latest_revision))


def delete(scope: Scope, host: Host, actor: Actor, ref: str, *, reason: str | None = None) -> None:
    """Take a document, its chunks and what rests on it alone out of every read; work under way is cancelled.

    Raises:
        NotFound: there is none in the scope's spaces.
        Pending: it is kept and will be carried out when the writer is back.
    """
    found = get(scope, host, ref)
    payload: dict[str, Any] = {"space": found.space, "document": found.id, "reason": reason or "deleted"}
    asking.ask(scope, host, actor, "document.delete", payload)
