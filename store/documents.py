"""Documents and their revisions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import Ambiguous, NotFound
from memory.records import Document, DocumentChange, Micros, NewDocument, Owner, Scope
from store import spaces
from store.connection import Reader, Writer
from store.rows import announce_document

SELECT_DOCUMENT = """
    SELECT document.*, space.name AS space,
           (SELECT count(*) FROM chunk WHERE document_id = document.id AND revision = document.live_revision) AS chunks,
           (SELECT count(DISTINCT memory_id) FROM source
            WHERE document_id = document.id AND retired_at IS NULL) AS memories,
           (SELECT tokens FROM revision WHERE document_id = document.id AND revision = live_revision) AS tokens,
           (SELECT job_id FROM revision
            WHERE document_id = document.id AND revision = document.latest_revision) AS job_id,
           (SELECT state FROM revision
            WHERE document_id = document.id AND revision = document.latest_revision) AS latest_state,
           (SELECT coalesce(final_url, url) FROM revision_source WHERE document_id = document.id
            AND revision = coalesce(document.live_revision, document.latest_revision)) AS url
    FROM document JOIN space ON space.id = document.space_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One edition of a document."""

    document_id: str
    revision: int  # 1-based
    content: str
    content_hash: str  # hex sha256
    state: str  # pending, live, replaced, failed or cancelled
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a document belongs."""

    space_id: int
    owner: Owner
    deleted_at: Micros | None


def document_of(row: Mapping[str, Any], content: str | None = None) -> Document:
    """Return the record of a row of `SELECT_DOCUMENT`."""
    return Document(
        id=row["id"], space=row["space"], custom_id=row["custom_id"], title=row["title"], type=row["type"],
        filepath=row["filepath"], metadata=json.loads(row["metadata"]), document_date=row["document_date"],
        document_zone=row["document_zone"], status=row["status"], reason=row["reason"], warning=row["warning"],
        latest_revision=row["latest_revision"], live_revision=row["live_revision"], job_id=row["job_id"],
        chunk_count=row["chunks"], memory_count=row["memories"], tokens=row["tokens"],
        created_at=row["created_at"], updated_at=row["updated_at"], content=content,
        task_type=row["task_type"], entity_context=row["entity_context"], summary=row["summary"],
        is_cancelled=row["latest_state"] == "cancelled", url=row["url"],
    )  # fmt: skip


def insert(scope: Scope, tx: Writer, new: NewDocument, *, document_id: str, space_id: int, at: Micros) -> None:
    """Insert a document with its first revision still to be added."""
    tx.execute(
        """
        INSERT INTO document (id, space_id, custom_id, title, type, filepath, metadata, document_date, document_zone,
                              user_id, agent_id, session_id, status, latest_revision, created_at, updated_at,
                              title_sent, task_type, entity_context)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0, ?, ?, ?, ?, ?)
        """,
        (document_id, space_id, new.custom_id, new.title, new.type, new.filepath, json.dumps(dict(new.metadata or {})),
         new.document_date, new.document_zone, scope.user, scope.agent, scope.session, at, at,
         new.title is not None, new.task_type or "memory", new.entity_context),
    )  # fmt: skip


def change(tx: Writer, document_id: str, wanted: DocumentChange, *, at: Micros) -> None:
    """Set what is said about a document (title, metadata, dates); the text is a revision, and not set here."""
    tx.execute(
        """
        UPDATE document SET title = coalesce(:title, title), title_sent = title_sent OR :title IS NOT NULL,
               custom_id = coalesce(:custom_id, custom_id), type = coalesce(:type, type),
               filepath = coalesce(:filepath, filepath), metadata = coalesce(:metadata, metadata),
               document_zone = CASE WHEN :date IS NULL THEN document_zone ELSE :zone END,
               document_date = coalesce(:date, document_date), task_type = coalesce(:task_type, task_type),
               entity_context = coalesce(:entity_context, entity_context), updated_at = :at
        WHERE id = :id
        """,
        {"id": document_id, "title": wanted.title, "custom_id": wanted.custom_id, "type": wanted.type,
         "filepath": wanted.filepath, "date": wanted.document_date, "zone": wanted.document_zone, "at": at,
         "task_type": wanted.task_type, "entity_context": wanted.entity_context,
         "metadata": None if wanted.metadata is None else json.dumps(dict(wanted.metadata))},
    )  # fmt: skip
    announce_document(tx, document_id, at=at)


def add_revision(tx: Writer, document_id: str, *, content: str, content_hash: str, job_id: str, at: Micros) -> int:
    """Add a pending revision and return its number."""
    (revision,) = tx.execute(
        """
        UPDATE document SET latest_revision = latest_revision + 1, status = 'queued', reason = NULL, warning = NULL,
               updated_at = ? WHERE id = ? RETURNING latest_revision
        """,
        (at, document_id),
    ).fetchone()
    tx.execute(
        """
        INSERT INTO revision (document_id, revision, content, content_hash, state, job_id, created_at)
        VALUES (?, ?, ?, ?, 'pending', ?, ?)
        """,
        (document_id, revision, content, content_hash, job_id, at),
    )
    return int(revision)


def find(scope: Scope, db: Reader, ref: str) -> Document | None:
    """Return the document with that id or customId in the scope's spaces; None when there is none.

    Raises:
        Ambiguous: several spaces of the scope use the customId.
    """
    visible, values = spaces.bounded(scope, db, "document")
    rows = db.execute(
        f"""
        {SELECT_DOCUMENT} WHERE {visible} AND document.deleted_at IS NULL
        AND (document.id = ? OR document.custom_id = ?) ORDER BY document.id = ? DESC LIMIT 2
        """,
        (*values, ref, ref, ref),
    ).fetchall()
    if len(rows) > 1 and rows[0]["id"] != ref:
        raise Ambiguous(f"Several spaces have a document {ref!r}; name one space or use the id.", field="id")
    return document_of(rows[0]) if rows else None


def get(scope: Scope, db: Reader, ref: str, *, content: bool = False) -> Document:
    """Return one document by id or customId.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    found = find(scope, db, ref)
    if found is None:
        raise NotFound(f"No document {ref!r} in this space.", field="id")
    if not content:
        return found
    text = revision(db, found.id, found.live_revision or found.latest_revision).content
    row = db.execute(f"{SELECT_DOCUMENT} WHERE document.id = ?", (found.id,)).fetchone()
    return document_of(row, text)


def by_custom_id(db: Reader, space_id: int, custom_id: str) -> Document | None:
    """Return the document that has a customId in a space; None when there is none."""
    row = db.execute(
        f"{SELECT_DOCUMENT} WHERE document.space_id = ? AND custom_id = ? AND deleted_at IS NULL", (space_id, custom_id)
    ).fetchone()
    return document_of(row) if row else None


def by_id(db: Reader, document_id: str) -> Document:
    """Return a document by its id, deleted or not, for the pipeline's own work.

    Raises:
        NotFound: there is none.
    """
    row = db.execute(f"{SELECT_DOCUMENT} WHERE document.id = ?", (document_id,)).fetchone()
    if row is None:
        raise NotFound(f"No document {document_id!r}.", field="id")
    return document_of(row)


def place_of(db: Reader, document_id: str) -> Place:
    """Return the space and the bindings that a document hands to what comes from it."""
    row = db.execute(
        "SELECT space_id, user_id, agent_id, session_id, deleted_at FROM document WHERE id = ?", (document_id,)
    ).fetchone()
    return Place(space_id=row["space_id"], owner=spaces.owner_of(row), deleted_at=row["deleted_at"])


def revision(db: Reader, document_id: str, number: int) -> Revision:
    """Return one revision.

    Raises:
        NotFound: there is none of that number.
    """
    row = db.execute("SELECT * FROM revision WHERE document_id = ? AND revision = ?", (document_id, number)).fetchone()
    if row is None:
        raise NotFound(f"Document {document_id} has no revision {number}.")
    return _revision(row)


def pending_revision(db: Reader, document_id: str) -> Revision | None:
    """Return the newest revision while it is being processed; None when it is not."""
    row = db.execute(
        """
        SELECT revision.* FROM revision JOIN document ON document.id = document_id AND latest_revision = revision
        WHERE document_id = ? AND state = 'pending'
        """,
        (document_id,),
    ).fetchone()
    return _revision(row) if row else None


def _revision(row: Mapping[str, Any]) -> Revision:
    return Revision(
        document_id=row["document_id"], revision=row["revision"], content=row["content"],
        content_hash=row["content_hash"], state=row["state"], job_id=row["job_id"],
    )  # fmt: skip


def set_revision_state(tx: Writer, document_id: str, number: int, state: str) -> None:
    """Move a revision to another state."""
    tx.execute("UPDATE revision SET state = ? WHERE document_id = ? AND revision = ?", (state, document_id, number))


def set_status(
    tx: Writer, document_id: str, status: str, *, reason: str | None = None, warning: str | None = None, at: Micros
) -> None:
    """Set what a document's status line says."""
    tx.execute(
        "UPDATE document SET status = ?, reason = ?, warning = ?, updated_at = ? WHERE id = ?",
        (status, reason, warning, at, document_id),
    )


def make_live(tx: Writer, document_id: str, number: int, *, title: str | None, summary: str | None, at: Micros) -> None:
    """Let search answer from a revision; the one before is replaced, with what was read off it: its title and summary.

    Args:
        tx: the transaction.
        document_id: the document.
        number: the revision.
        title: what its text calls itself; one that was sent stays.
        summary: what its text is about.
        at: present time.
    """
    tx.execute("UPDATE revision SET state = 'replaced' WHERE document_id = ? AND state = 'live'", (document_id,))
    set_revision_state(tx, document_id, number, "live")
    tx.execute(
        """
        UPDATE document SET live_revision = ?, title = CASE WHEN title_sent THEN title ELSE ? END, summary = ?,
               updated_at = ? WHERE id = ?
        """,
        (number, title, summary, at, document_id),
    )
    announce_document(tx, document_id, at=at)


def set_prepared(tx: Writer, document_id: str, number: int, *, title: str | None, tokens: int, at: Micros) -> None:
    """Keep what preparation found out: the token count of the text, and a title when none was given."""
    tx.execute("UPDATE revision SET tokens = ? WHERE document_id = ? AND revision = ?", (tokens, document_id, number))
    tx.execute(
        "UPDATE document SET title = coalesce(title, ?), status = 'embedding', updated_at = ? WHERE id = ?",
        (title, at, document_id),
    )
    announce_document(tx, document_id, at=at)


def mark_deleted(tx: Writer, document_id: str, *, at: Micros) -> None:
    """Take a document out of every listing; its customId is free again."""
    tx.execute(
        "UPDATE document SET deleted_at = ?, updated_at = ? WHERE id = ? AND deleted_at IS NULL", (at, at, document_id)
    )
