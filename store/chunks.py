"""Chunks: the spans of a revision, and the search rows that hold their vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.chunk_body import headed
from memory.names import row_names
from memory.records import ChunkSpan
from store.connection import Reader, Writer
from store.documents import place_of
from store.rows import NewRow


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


def add(tx: Writer, document_id: str, number: int, spans: Iterable[tuple[str, ChunkSpan, str, str]]) -> None:
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


def of(db: Reader, document_id: str, number: int) -> list[StoredChunk]:
    """Return the chunks of a revision in order."""
    rows = db.execute(
        "SELECT * FROM chunk WHERE document_id = ? AND revision = ? ORDER BY position", (document_id, number)
    ).fetchall()
    return [_chunk(row) for row in rows]


def by_id(db: Reader, ids: Sequence[str]) -> list[StoredChunk]:
    """Return chunks in the order of the ids asked for."""
    marks = ",".join("?" * len(ids))
    rows = db.execute(f"SELECT * FROM chunk WHERE id IN ({marks})", tuple(ids)).fetchall()
    found = {row["id"]: _chunk(row) for row in rows}
    return [found[one] for one in ids if one in found]


def at(db: Reader, document_id: str, number: int, positions: Sequence[int]) -> list[StoredChunk]:
    """Return the chunks of a revision at some positions, in order; a position that has none is left out."""
    rows = db.execute(
        """
        SELECT * FROM chunk WHERE document_id = ? AND revision = ? AND position IN (SELECT value FROM json_each(?))
        ORDER BY position
        """,
        (document_id, number, json.dumps(list(positions))),
    ).fetchall()
    return [_chunk(row) for row in rows]


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


def set_row(tx: Writer, chunk_id: str, row_id: int) -> None:
    """Link a chunk to the search row that holds its vector."""
    tx.execute("UPDATE chunk SET row_id = ? WHERE id = ?", (row_id, chunk_id))


def row_ids(db: Reader, document_id: str, number: int) -> list[int]:
    """Return the search rows of a revision's chunks."""
    rows = db.execute(
        "SELECT row_id FROM chunk WHERE document_id = ? AND revision = ? AND row_id IS NOT NULL",
        (document_id, number),
    ).fetchall()
    return [row["row_id"] for row in rows]
