"""What memories rest on: the places where each was said, and the memories that lose all of them."""

from __future__ import annotations

from dataclasses import dataclass

from memory.records import Memory, Micros, Scope
from store import spaces
from store.connection import Reader, Writer
from store.hydration import load_memories
from store.memories import VersionRef, version_ref


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """Where a memory was said."""

    kind: str  # document, episode or direct
    document_id: str | None = None
    revision: int | None = None
    chunk_id: str | None = None
    episode_id: str | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    job_id: str | None = None


def add_source(tx: Writer, memory_id: str, new: NewSource, *, at: Micros) -> bool:
    """Record one more place where a memory was said.

    Returns:
        Whether it counts as further support: False when the same document or episode says so already.
    """
    known = tx.execute(
        """
        SELECT 1 FROM source WHERE memory_id = ? AND kind = ? AND document_id IS ? AND episode_id IS ?
        AND retired_at IS NULL
        """,
        (memory_id, new.kind, new.document_id, new.episode_id),
    ).fetchone()
    tx.execute(
        """
        INSERT INTO source (memory_id, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id,
                            recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (memory_id, new.kind, new.document_id, new.revision, new.chunk_id, new.episode_id, new.start, new.end,
         new.quote, new.job_id, at),
    )  # fmt: skip
    return known is None


def copy_sources(tx: Writer, old_id: str, new_id: str, *, at: Micros) -> None:
    """Let a restored version rest on the sources of the version it restores; retired ones stay retired."""
    tx.execute(
        """
        INSERT INTO source (memory_id, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id,
                            recorded_at, retired_at, reason)
        SELECT ?, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id, ?, retired_at, reason
        FROM source WHERE memory_id = ?
        """,
        (new_id, at, old_id),
    )


def retire_sources(tx: Writer, document_id: str, *, before_revision: int | None, reason: str, at: Micros) -> None:
    """Retire what a document was a source of: all of it, or what revisions before `before_revision` said."""
    tx.execute(
        """
        UPDATE source SET retired_at = ?, reason = ? WHERE document_id = ? AND retired_at IS NULL
        AND (? IS NULL OR revision < ?)
        """,
        (at, reason, document_id, before_revision, before_revision),
    )


def sole_sources(db: Reader, document_id: str, *, but_revision: int | None) -> list[VersionRef]:
    """Return the memories that rest on a document alone.

    Args:
        db: the store.
        document_id: the document.
        but_revision: leave out those that this revision or a later one says too; None: whatever the revision.
    """
    rows = db.execute(
        """
        SELECT memory.* FROM memory WHERE forgotten_at IS NULL
          AND EXISTS (SELECT 1 FROM source WHERE memory_id = memory.id AND document_id = ?1 AND retired_at IS NULL)
          AND NOT EXISTS (SELECT 1 FROM source WHERE memory_id = memory.id AND retired_at IS NULL
                          AND (document_id IS NOT ?1 OR revision >= ?2))
          AND EXISTS (SELECT 1 FROM validity WHERE row_id = memory.row_id AND retired_at IS NULL
                      AND valid_to = 4611686018427387904)
        ORDER BY memory.recorded_at, memory.id
        """,
        (document_id, but_revision),
    ).fetchall()
    return [version_ref(row) for row in rows]


def only_documents(db: Reader, memory_id: str) -> frozenset[str]:
    """Return the documents that say what a memory says; none when something else says it too."""
    query = "SELECT document_id FROM source WHERE memory_id = ? AND retired_at IS NULL"
    rows = db.execute(query, (memory_id,)).fetchall()
    said = frozenset(row["document_id"] for row in rows)
    return frozenset() if None in said else said


def of_document(scope: Scope, db: Reader, document_id: str) -> tuple[Memory, ...]:
    """Return the memories that rest on a document, in the order they were recorded."""
    visible, values = spaces.bounded(scope, db, "memory")
    rows = db.execute(
        f"""
        SELECT DISTINCT memory.id, memory.recorded_at FROM memory JOIN source ON source.memory_id = memory.id
        WHERE document_id = ? AND retired_at IS NULL AND {visible} ORDER BY memory.recorded_at, memory.id
        """,
        (document_id, *values),
    ).fetchall()
    loaded = load_memories(db, [row["id"] for row in rows])
    return tuple(loaded[row["id"]] for row in rows)
