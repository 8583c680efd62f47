"""What is said about a document, changed; and several documents deleted together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from memory.errors import Ambiguous, InvalidInput, NotFound, Pending, StateConflict
from memory.records import (
    Accepted,
    Actor,
    Document,
    DocumentChange,
    NewSource,
    Scope,
)
from services import asking, documents, ledger
from services.host import Host
from store import document_lists, sources
from store import documents as rows
from store.connection import Reader, Writer

# Documents that one transaction of the writer deletes; each takes some milliseconds, in which nothing else is written.
DELETED_TOGETHER = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """What became of a wish to delete several documents."""

    deleted: int  # so far
    pending: int = 0  # asked of the writer, and not carried out in time for the answer
    missing: Mapping[str, str] | None = None  # why nothing was deleted, by what names no document


def change(scope: Scope, host: Host, ref: str, wanted: DocumentChange, *, named: Sequence[str] = ()) -> Accepted:
    """Change a document; another text or date is a new revision, anything else takes effect at once.

    Args:
        scope: where the document may be.
        host: the adapters.
        ref: its id or customId.
        wanted: what is to be different.
        named: the spaces that the caller says it is in; none: wherever it is.

    Returns:
        The document, with the job of its new revision if there is one (`created`).

    Raises:
        NotFound: there is none in the scope's spaces.
        Ambiguous: the customId is used in several of them.
        InvalidInput: the document is in another space than the one named.
        StateConflict: the new customId is another document's.
    """
    with host.store.write(scope.tenant) as tx:
        accepted = _change(host, tx, _in_space(scope, tx, ref, named), wanted)
    return ledger.send_accepted(host, scope.tenant, accepted) if accepted.created else accepted


def _in_space(scope: Scope, tx: Writer, ref: str, named: Sequence[str]) -> Document:
    if not named:
        return rows.get(scope, tx, ref)
    found = rows.find(replace(scope, spaces=tuple(named)), tx, ref)
    if found is not None:
        return found
    with suppress(Ambiguous):
        rows.get(scope, tx, ref)
    hint = "Add it to the other space and delete it here, or merge the two spaces."
    raise InvalidInput("A document stays in its space.", field="containerTag", hint=hint)


def _change(host: Host, tx: Writer, found: Document, wanted: DocumentChange) -> Accepted:
    at, space_id = host.clock(), rows.place_of(tx, found.id).space_id
    if wanted.custom_id is not None:
        other = rows.by_custom_id(tx, space_id, wanted.custom_id)
        if other is not None and other.id != found.id:
            raise StateConflict("This customId is another document's.", field="customId")
    newest = rows.revision(tx, found.id, found.latest_revision)
    rows.change(tx, found.id, wanted, at=at)
    if wanted.source is not None:
        return documents.revise(host, tx, found.id, space_id, content="", source=wanted.source, at=at)
    if wanted.content is not None and not _stands(newest, wanted.content):
        return documents.revise(host, tx, found.id, space_id, content=wanted.content, at=at)
    if documents.is_read_otherwise(found, newest, wanted.document_date, wanted.task_type):
        source = _source(tx, newest)
        content = newest.content if source is None else ""
        return documents.revise(host, tx, found.id, space_id, content=content, source=source, at=at)
    return Accepted(id=found.id, status=found.status, job_id=found.job_id, created=False)


def _stands(newest: rows.Revision, content: str) -> bool:
    """Tell whether a revision says a text already, or is about to."""
    return newest.content == content and newest.state in ("pending", "live")


def _source(tx: Writer, newest: rows.Revision) -> NewSource | None:
    """Return the file or page that a revision was taken from, to be read again."""
    found = sources.find(tx, newest.document_id, newest.revision, body=True)
    if found is None:
        return None
    body = found.body if found.kind == "file" else None
    return NewSource(
        kind="file" if found.kind == "file" else "url", name=found.name, media_type=found.media_type, url=found.url,
        body=body,
    )  # fmt: skip


def delete_named(scope: Scope, host: Host, actor: Actor, refs: Sequence[str], *, reason: str | None) -> Deletion:
    """Delete documents by id or customId; a ref that names none, or several, deletes nothing and is told.

    One that was deleted before is no failure, so that a client that missed the answer may ask again.

    Args:
        scope: where the documents may be.
        host: the adapters.
        actor: who deletes.
        refs: ids or customIds.
        reason: is kept.
    """
    missing: dict[str, str] = {}
    there: dict[str, str] = {}
    with host.store.read(scope.tenant) as db:
        for ref in dict.fromkeys(refs):
            found = _find(scope, db, ref)
            if isinstance(found, Document):
                there[found.id] = found.space
            elif not document_lists.was_deleted(scope, db, ref):
                missing[ref] = found
    deletion = _delete(scope, host, actor, [(space, id_) for id_, space in there.items()], reason)
    return replace(deletion, missing=missing)


def _find(scope: Scope, db: Reader, ref: str) -> Document | str:
    try:
        return rows.get(scope, db, ref)
    except (Ambiguous, NotFound) as error:
        return error.message


def delete_all(scope: Scope, host: Host, actor: Actor, *, filepath: str | None, reason: str | None) -> Deletion:
    """Delete every document that a scope sees.

    Args:
        scope: whose documents, in which spaces.
        host: the adapters.
        actor: who deletes.
        filepath: only this path, or everything below it when it ends in a slash.
        reason: is kept.
    """
    with host.store.read(scope.tenant) as db:
        found = document_lists.visible_ids(scope, db, filepath=filepath)
    return _delete(scope, host, actor, found, reason)


def _delete(scope: Scope, host: Host, actor: Actor, found: Sequence[tuple[str, str]], reason: str | None) -> Deletion:
    """Ask the writer for all of it in one transaction, and see how far it gets in the time a request waits."""
    payloads = list(_payloads(found, reason or "deleted"))
    if not payloads:
        return Deletion(deleted=0)
    asked = asking.promise(scope, host, actor, "documents.delete", payloads)
    until, deleted, pending = time.monotonic() + host.settings.interactive_timeout, 0, 0
    for request_id, payload in zip(asked, payloads, strict=True):
        try:
            left = max(0.0, until - time.monotonic())
            deleted += len(asking.outcome(scope, host, request_id, seconds=left)["ids"])
        except Pending:
            pending += len(payload["documents"])
    return Deletion(deleted=deleted, pending=pending)


def _payloads(found: Sequence[tuple[str, str]], reason: str) -> Iterator[dict[str, Any]]:
    for space, group in groupby(sorted(found), key=lambda one: one[0]):
        ids = [id_ for _, id_ in group]
        for start in range(0, len(ids), DELETED_TOGETHER):
            yield {"space": space, "documents": ids[start : start + DELETED_TOGETHER], "reason": reason}
