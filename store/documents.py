"""Documents, their revisions and chunks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.chunk_body import headed
from memory.errors import Ambiguous, NotFound
from memory.names import row_names
from memory.records import ChunkSpan, Document, Micros, NewDocument, Owner, Page, Scope
from store import spaces
from store.connection import Reader, Writer
from store.paging import keyset
from store.rows import NewRow, announce_document

SELECT_DOCUMENT = """
    SELECT document.*, space.name AS space,
           (SELECT count(*) FROM chunk WHERE document_id = document.id AND revision = document.live_revision) AS chunks,
           (SELECT count(DISTINCT memory_id) FROM source
            WHERE document_id = document.id AND retired_at IS NULL) AS memories,
           (SELECT tokens FROM revision WHERE document_id = document.id AND revision = live_revision) AS tokens,
           (SELECT job_id FROM revision
            WHERE document_id = document.id AND revision = document.latest_revision) AS job_id
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
class StoredChunk:
    """A chunk row, with the search row it shares or has been given."""

    id: str
    document_id: str
    revision: int
    position: int
    start: int
    end: int
    heading: tuple[str, ...]
    body: str
    text_hash: str
    row_id: int | None
    opening: str

    @property
    def span(self) -> ChunkSpan:
        """Where the chunk lies in its document, and how it begins; what closes it is only in the body."""
        return ChunkSpan(
            position=self.position, start=self.start, end=self.end, heading=self.heading, opening=self.opening
        )

    @property
    def text(self) -> str:
        """The text that is embedded and indexed: heading path, then body."""
        return headed(self.heading, self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a document belongs."""

    space_id: int
    owner: Owner
    deleted_at: Micros | None


def _document(row: Mapping[str, Any], content: str | None = None) -> Document:
    return Document(
        id=row["id"], space=row["space"], custom_id=row["custom_id"], title=row["title"], type=row["type"],
        filepath=row["filepath"], metadata=json.loads(row["metadata"]), document_date=row["document_date"],
        document_zone=row["document_zone"], status=row["status"], reason=row["reason"], warning=row["warning"],
        latest_revision=row["latest_revision"], live_revision=row["live_revision"], job_id=row["job_id"],
        chunk_count=row["chunks"], memory_count=row["memories"], tokens=row["tokens"],
        created_at=row["created_at"], updated_at=row["updated_at"], content=content,
    )  # fmt: skip


def insert(scope: Scope, tx: Writer, new: NewDocument, *, document_id: str, space_id: int, at: Micros) -> None:
    """Insert a document with its first revision still to be added."""
    tx.execute(
        """
        INSERT INTO document (id, space_id, custom_id, title, type, filepath, metadata, document_date, document_zone,
                              user_id, agent_id, session_id, status, latest_revision, created_at, updated_at,
                              title_sent)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0, ?, ?, ?)
        """,
        (document_id, space_id, new.custom_id, new.title, new.type, new.filepath, json.dumps(dict(new.metadata or {})),
         new.document_date, new.document_zone, scope.user, scope.agent, scope.session, at, at,
         new.title is not None),
    )  # fmt: skip


def describe(tx: Writer, document_id: str, new: NewDocument, *, at: Micros) -> None:
    """Replace what is said about a document (title, metadata, dates); the text is a revision."""
    tx.execute(
        """
        UPDATE document SET title = coalesce(?1, title), title_sent = title_sent OR ?1 IS NOT NULL, type = ?,
               filepath = coalesce(?, filepath), metadata = coalesce(?, metadata),
               document_date = coalesce(?, document_date), document_zone = coalesce(?, document_zone), updated_at = ?
        WHERE id = ?
        """,
        (new.title, new.type, new.filepath, None if new.metadata is None else json.dumps(dict(new.metadata)),
         new.document_date, new.document_zone, at, document_id),
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
    return _document(rows[0]) if rows else None


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
    return _document(row, text)


def by_custom_id(db: Reader, space_id: int, custom_id: str) -> Document | None:
    """Return the document that has a customId in a space; None when there is none."""
    row = db.execute(
        f"{SELECT_DOCUMENT} WHERE document.space_id = ? AND custom_id = ? AND deleted_at IS NULL", (space_id, custom_id)
    ).fetchone()
    return _document(row) if row else None


def all_metadata(scope: Scope, db: Reader) -> list[tuple[str, dict[str, Any]]]:
    """Return (id, metadata) of every document of the scope's spaces."""
    visible, values = spaces.bounded(scope, db, "document")
    rows = db.execute(f"SELECT id, metadata FROM document WHERE deleted_at IS NULL AND {visible}", values).fetchall()
    return [(row["id"], json.loads(row["metadata"])) for row in rows]


def by_id(db: Reader, document_id: str) -> Document:
    """Return a document by its id, deleted or not, for the pipeline's own work.

    Raises:
        NotFound: there is none.
    """
    row = db.execute(f"{SELECT_DOCUMENT} WHERE document.id = ?", (document_id,)).fetchone()
    if row is None:
        raise NotFound(f"No document {document_id!r}.", field="id")
    return _document(row)


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


def make_live(tx: Writer, document_id: str, number: int, *, title: str | None, at: Micros) -> None:
    """Let search answer from a revision; the one before is replaced, with the title read off it unless one was sent."""
    tx.execute("UPDATE revision SET state = 'replaced' WHERE document_id = ? AND state = 'live'", (document_id,))
    set_revision_state(tx, document_id, number, "live")
    tx.execute(
        """
        UPDATE document SET live_revision = ?, title = CASE WHEN title_sent THEN title ELSE ? END, updated_at = ?
        WHERE id = ?
        """,
        (number, title, at, document_id),
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


def add_chunks(tx: Writer, document_id: str, number: int, spans: Iterable[tuple[str, ChunkSpan, str, str]]) -> None:
    """Insert the chunks of a revision; one equal to a chunk of the live revision shares its search row and vector.

    Args:
        tx: the transaction.
        document_id: the document.
        number: the revision.
        spans: (chunk id, span, body, text hash) each.
    """
    known = {
        row["text_hash"]: row["row_id"]
        for row in tx.execute(
            """
            SELECT text_hash, row_id FROM chunk JOIN document ON document.id = chunk.document_id
            WHERE document.id = ? AND chunk.revision = document.live_revision AND row_id IS NOT NULL
            """,
            (document_id,),
        ).fetchall()
    }
    tx.executemany(
        """
        INSERT INTO chunk (id, document_id, revision, position, start, end, heading, body, text_hash, row_id, opening)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (chunk_id, document_id, number, span.position, span.start, span.end, json.dumps(span.heading), body, digest,
             known.pop(digest, None), span.opening)
            for chunk_id, span, body, digest in spans
        ],
    )  # fmt: skip


def chunks(db: Reader, document_id: str, number: int) -> list[StoredChunk]:
    """Return the chunks of a revision in order."""
    rows = db.execute(
        "SELECT * FROM chunk WHERE document_id = ? AND revision = ? ORDER BY position", (document_id, number)
    ).fetchall()
    return [_chunk(row) for row in rows]


def chunks_by_id(db: Reader, ids: Sequence[str]) -> list[StoredChunk]:
    """Return chunks in the order of the ids asked for."""
    marks = ",".join("?" * len(ids))
    rows = db.execute(f"SELECT * FROM chunk WHERE id IN ({marks})", tuple(ids)).fetchall()
    found = {row["id"]: _chunk(row) for row in rows}
    return [found[one] for one in ids if one in found]


def _chunk(row: Mapping[str, Any]) -> StoredChunk:
    return StoredChunk(
        id=row["id"], document_id=row["document_id"], revision=row["revision"], position=row["position"],
        start=row["start"], end=row["end"], heading=tuple(json.loads(row["heading"])), body=row["body"],
        text_hash=row["text_hash"], row_id=row["row_id"], opening=row["opening"],
    )  # fmt: skip


def search_row(db: Reader, chunk: StoredChunk, *, vector: bytes, generation_id: int) -> NewRow:
    """Return the search row to be of a chunk."""
    place = place_of(db, chunk.document_id)
    return NewRow(
        space_id=place.space_id, kind="chunk", group_key=chunk.document_id, position=chunk.position, text=chunk.text,
        vector=vector, generation_id=generation_id, owner=place.owner, names=row_names(chunk.text),
    )  # fmt: skip


def set_chunk_row(tx: Writer, chunk_id: str, row_id: int) -> None:
    """Link a chunk to the search row that holds its vector."""
    tx.execute("UPDATE chunk SET row_id = ? WHERE id = ?", (row_id, chunk_id))


def chunk_rows(db: Reader, document_id: str, number: int) -> list[int]:
    """Return the search rows of a revision's chunks."""
    rows = db.execute(
        "SELECT row_id FROM chunk WHERE document_id = ? AND revision = ? AND row_id IS NOT NULL",
        (document_id, number),
    ).fetchall()
    return [row["row_id"] for row in rows]


def mark_deleted(tx: Writer, document_id: str, *, at: Micros) -> None:
    """Take a document out of every listing; its customId is free again."""
    tx.execute(
        "UPDATE document SET deleted_at = ?, updated_at = ? WHERE id = ? AND deleted_at IS NULL", (at, at, document_id)
    )


def listing(
    scope: Scope,
    db: Reader,
    *,
    limit: int,
    page: int | None = None,
    cursor: str | None = None,
    sort: str = "createdAt",
    order: str = "desc",
    statuses: Sequence[str] = (),
    filepath: str | None = None,
    ids: Sequence[str] | None = None,
) -> Page[Document]:
    """Return a page of documents of the scope's spaces.

    Args:
        scope: whose documents.
        db: the store.
        limit: rows a page.
        page: 1-based page number, when no cursor is used.
        cursor: where the page before ended; stable under inserts.
        sort: createdAt or updatedAt.
        order: asc or desc.
        statuses: only these, when any are named.
        filepath: only this path, or everything below it when it ends in a slash.
        ids: only these documents.
    """
    visible, arguments = spaces.bounded(scope, db, "document")
    where = [visible, "document.deleted_at IS NULL"]
    if ids is not None:
        where.append("document.id IN (SELECT value FROM json_each(?))")
        arguments.append(json.dumps(list(ids)))
    if statuses:
        where.append(f"document.status IN ({','.join('?' * len(statuses))})")
        arguments += statuses
    if filepath is not None:
        where.append("(document.filepath = ? OR (? LIKE '%/' AND instr(document.filepath, ?) = 1))")
        arguments += [filepath] * 3
    column = {"createdAt": "document.created_at", "updatedAt": "document.updated_at"}[sort]
    return keyset(
        db, SELECT_DOCUMENT, "document", where, arguments, column=column, key="document.id", order=order, limit=limit,
        page=page, cursor=cursor, make=_document,
    )  # fmt: skip
