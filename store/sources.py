"""What revisions were taken from: files that were sent and pages that were fetched."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memory.errors import NotFound
from memory.records import Micros, NewSource
from store.connection import Reader, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSource:
    """The source of one revision."""

    document_id: str
    revision: int
    kind: str  # file or url
    name: str | None
    media_type: str | None  # as declared; once it is read, as what it was read
    url: str | None
    final_url: str | None
    size: int  # length of the body in bytes
    title: str | None  # what the source calls itself
    extracted_by: str | None  # the reader; None until its text is in the revision
    warning: str | None  # what its text lacks
    body: bytes | None  # None unless it was asked for, and of a page until it is fetched


_COLUMNS = "document_id, revision, kind, name, media_type, url, final_url, bytes, title, extracted_by, warning"


def add(tx: Writer, document_id: str, number: int, new: NewSource) -> None:
    """Keep what a revision is to be taken from."""
    tx.execute(
        """
        INSERT INTO revision_source (document_id, revision, kind, name, media_type, url, bytes, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (document_id, number, new.kind, new.name, new.media_type, new.url, len(new.body or b""), new.body),
    )


def find(db: Reader, document_id: str, number: int, *, body: bool = False) -> StoredSource | None:
    """Return the source of a revision; None when it was sent as text.

    Args:
        db: the store.
        document_id: the document.
        number: the revision.
        body: whether the body is wanted.
    """
    row = db.execute(
        f"SELECT {_COLUMNS}, {'body' if body else 'NULL'} AS body FROM revision_source"
        " WHERE document_id = ? AND revision = ?",
        (document_id, number),
    ).fetchone()
    return _source(row) if row else None


def get_file(db: Reader, document_id: str, number: int) -> StoredSource:
    """Return the source of a revision with its body.

    Raises:
        NotFound: it was sent as text, or its page has not been fetched.
    """
    found = find(db, document_id, number, body=True)
    if found is None or found.body is None:
        raise NotFound("This document was not sent as a file; its text is in `content`.", field="id")
    return found


def set_fetched(
    tx: Writer, document_id: str, number: int, *, body: bytes, media_type: str | None, final_url: str
) -> None:
    """Keep a page as it was fetched."""
    tx.execute(
        """
        UPDATE revision_source SET body = ?, bytes = ?, media_type = ?, final_url = ?
        WHERE document_id = ? AND revision = ?
        """,
        (body, len(body), media_type, final_url, document_id, number),
    )


def set_reading(tx: Writer, document_id: str, number: int, *, at: Micros) -> None:
    """Say of a document that its newest revision is being read, unless it has got further meanwhile."""
    tx.execute(
        """
        UPDATE document SET status = 'extracting', updated_at = ?
        WHERE id = ? AND latest_revision = ? AND status = 'queued'
        """,
        (at, document_id, number),
    )


def set_read(
    tx: Writer,
    document_id: str,
    number: int,
    *,
    text: str,
    title: str | None,
    media_type: str,
    extracted_by: str,
    warning: str | None,
    dated: tuple[Micros, str | None] | None = None,
) -> None:
    """Put the text of a source into its revision, and say how it was read."""
    tx.execute("UPDATE revision SET content = ? WHERE document_id = ? AND revision = ?", (text, document_id, number))
    if dated is not None:
        tx.execute(
            "UPDATE document SET document_date = ?, document_zone = ? WHERE id = ? AND document_date IS NULL",
            (*dated, document_id),
        )
    tx.execute(
        """
        UPDATE revision_source SET title = ?, media_type = ?, extracted_by = ?, warning = ?
        WHERE document_id = ? AND revision = ?
        """,
        (title, media_type, extracted_by, warning, document_id, number),
    )


def title(db: Reader, document_id: str, number: int) -> str | None:
    """Return what the source of a revision calls itself; None when there is none or it does not."""
    found = find(db, document_id, number)
    return found.title if found else None


def warning(db: Reader, document_id: str, number: int) -> str | None:
    """Return what the text of a revision's source lacks; None when nothing or there is no source."""
    found = find(db, document_id, number)
    return found.warning if found else None


def _source(row: Any) -> StoredSource:
    return StoredSource(
        document_id=row["document_id"], revision=row["revision"], kind=row["kind"], name=row["name"],
        media_type=row["media_type"], url=row["url"], final_url=row["final_url"], size=row["bytes"],
        title=row["title"], extracted_by=row["extracted_by"], warning=row["warning"], body=row["body"],
    )  # fmt: skip


def texts_of(db: Reader, document_ids: Sequence[str]) -> Iterator[str]:
    """Yield what the sources of documents say in words: names, addresses, titles, and bodies that are plain text."""
    found = db.execute(
        "SELECT * FROM revision_source WHERE document_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(document_ids)),),
    )
    for row in found:
        yield from filter(None, (row["name"], row["url"], row["final_url"], row["title"], row["warning"]))
        with contextlib.suppress(UnicodeDecodeError):
            yield (row["body"] or b"").decode("utf-8")
