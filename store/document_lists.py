"""Documents as they are listed: pages of a space, what lies at a path, several by id."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Unpack

from memory.records import Document, Micros, Page, Paging, Scope
from store import spaces
from store.connection import Reader
from store.documents import SELECT_DOCUMENT, document_of
from store.paging import keyset

# A path, or everything below it when it ends in a slash; takes the path three times.
AT_PATH = "(document.filepath = ? OR (? LIKE '%/' AND instr(document.filepath, ?) = 1))"


def all_metadata(scope: Scope, db: Reader) -> list[tuple[str, dict[str, Any]]]:
    """Return (id, metadata) of every document of the scope's spaces."""
    visible, values = spaces.bounded(scope, db, "document")
    rows = db.execute(f"SELECT id, metadata FROM document WHERE deleted_at IS NULL AND {visible}", values).fetchall()
    return [(row["id"], json.loads(row["metadata"])) for row in rows]


def visible_ids(scope: Scope, db: Reader, *, filepath: str | None = None) -> list[tuple[str, str]]:
    """Return (space, id) of every document that a scope sees, oldest first.

    Args:
        scope: whose documents.
        db: the store.
        filepath: only this path, or everything below it when it ends in a slash.
    """
    visible, values = spaces.bounded(scope, db, "document")
    at_path = f" AND {AT_PATH}" if filepath is not None else ""
    rows = db.execute(
        f"""
        SELECT space.name AS space, document.id FROM document JOIN space ON space.id = document.space_id
        WHERE deleted_at IS NULL AND {visible}{at_path} ORDER BY document.created_at, document.id
        """,
        (*values, *([filepath] * 3 if filepath is not None else ())),
    ).fetchall()
    return [(row["space"], row["id"]) for row in rows]


def seen(scope: Scope, db: Reader, ids: Sequence[str]) -> dict[str, Document]:
    """Return those of these documents that a scope sees, by id."""
    visible, values = spaces.bounded(scope, db, "document")
    rows = db.execute(
        f"""
        {SELECT_DOCUMENT} WHERE document.id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL AND {visible}
        """,
        (json.dumps(list(ids)), *values),
    ).fetchall()
    return {row["id"]: document_of(row) for row in rows}


def was_deleted(scope: Scope, db: Reader, document_id: str) -> bool:
    """Tell whether a document that a scope saw has been deleted."""
    visible, values = spaces.bounded(scope, db, "document")
    query = f"SELECT 1 FROM document WHERE id = ? AND deleted_at IS NOT NULL AND {visible}"
    return db.execute(query, (document_id, *values)).fetchone() is not None


def listing(
    scope: Scope,
    db: Reader,
    *,
    sort: str = "createdAt",
    order: str = "desc",
    statuses: Sequence[str] = (),
    touched_since: Micros | None = None,
    filepath: str | None = None,
    ids: Sequence[str] | None = None,
    **paging: Unpack[Paging],
) -> Page[Document]:
    """Return a page of documents of the scope's spaces.

    Args:
        scope: whose documents.
        db: the store.
        sort: createdAt or updatedAt.
        order: asc or desc.
        statuses: only these, when any are named.
        touched_since: only what was updated then or later.
        filepath: only this path, or everything below it when it ends in a slash.
        ids: only these documents.
        **paging: which page.
    """
    visible, arguments = spaces.bounded(scope, db, "document")
    where = [visible, "document.deleted_at IS NULL"]
    if ids is not None:
        where.append("document.id IN (SELECT value FROM json_each(?))")
        arguments.append(json.dumps(list(ids)))
    if statuses:
        where.append(f"document.status IN ({','.join('?' * len(statuses))})")
        arguments += statuses
    if touched_since is not None:
        where.append("document.updated_at >= ?")
        arguments.append(touched_since)
    if filepath is not None:
        where.append(AT_PATH)
        arguments += [filepath] * 3
    column = {"createdAt": "document.created_at", "updatedAt": "document.updated_at"}[sort]
    return keyset(
        db, SELECT_DOCUMENT, "document", where, arguments, column=column, key="document.id", order=order,
        make=document_of, **paging,
    )  # fmt: skip
