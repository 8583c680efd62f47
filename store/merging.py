"""Moves what belongs to one space into another, a batch at a time: the ids stay, and so do windows and sources.

Every table with a column `space_id` is in one of the three groups below; a test holds that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memory.records import Micros
from store import rows
from store.connection import Reader, Writer
from store.memories import VersionRef, by_id

# Search rows of a transaction, about: 100 memories take some 80 ms. A document or a chain of versions goes whole.
BATCH = 100
# What names two things the same way once they share a space.
LONGEST_NAME = 255

# Moved by the functions here, in this order; search rows go with their document or memory.
WHOLES = ("document", "session", "memory", "search_row")
# Moved as they are.
LOOSE: Mapping[str, str] = {
    "job": "id", "candidate": "seq", "decision": "id", "review": "id", "tombstone": "memory_id",
}  # fmt: skip
# Of the space itself: they stay with its number.
STAY = frozenset({"change", "deletion", "merge", "merge_source", "bucket", "import_space"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One transaction of a merge."""

    tx: Writer
    source: int  # number of the space that is emptied
    source_name: str
    target: int
    at: Micros
    counts: Counter[str]

    def tell_readers(self, row_id: int) -> None:
        """Have readers load the space anew that rows have left."""
        rows.announce(self.tx, row_id, "erase", at=self.at)


def move_loose(move: Move) -> int:
    """Move jobs, candidates, decisions, reviews and tombstones; returns how many."""
    moved = 0
    for table, key in LOOSE.items():
        found = move.tx.execute(
            f"UPDATE {table} SET space_id = ? WHERE {key} IN (SELECT {key} FROM {table} WHERE space_id = ? LIMIT ?)",
            (move.target, move.source, BATCH),
        ).rowcount
        move.counts[f"{table}s"] += found
        moved += found
    return moved


def move_documents(move: Move) -> int:
    """Move documents with their chunks; returns how many rows."""
    tx, done = move.tx, 0
    found = tx.execute(
        "SELECT id, custom_id, deleted_at FROM document WHERE space_id = ? ORDER BY created_at, id LIMIT ?",
        (move.source, BATCH),
    ).fetchall()
    for row in found:
        if done >= BATCH:
            break
        if row["custom_id"] is not None and row["deleted_at"] is None:
            _settle_name(move, "document", "custom_id", row["id"], row["custom_id"], "AND deleted_at IS NULL")
        tx.execute("UPDATE document SET space_id = ? WHERE id = ?", (move.target, row["id"]))
        done += 1 + _move_chunks(move, row["id"])
        move.counts["documents"] += 1
    return done


def _move_chunks(move: Move, document_id: str) -> int:
    query = "SELECT DISTINCT row_id FROM chunk WHERE document_id = ? AND row_id IS NOT NULL ORDER BY row_id"
    found = [row["row_id"] for row in move.tx.execute(query, (document_id,)).fetchall()]
    for row_id in found:
        rows.move_row(move.tx, row_id, move.target, at=move.at)
    if found:
        move.tell_readers(found[0])
    move.counts["chunks"] += len(found)
    return len(found)


def move_sessions(move: Move) -> int:
    """Move sessions with their episodes; returns how many."""
    found = move.tx.execute(
        "SELECT id, conversation_id FROM session WHERE space_id = ? ORDER BY created_at, id LIMIT ?",
        (move.source, BATCH),
    ).fetchall()
    for row in found:
        if row["conversation_id"] is not None:
            _settle_name(move, "session", "conversation_id", row["id"], row["conversation_id"], "")
        move.tx.execute("UPDATE session SET space_id = ? WHERE id = ?", (move.target, row["id"]))
    move.counts["sessions"] += len(found)
    return len(found)


def _settle_name(move: Move, table: str, column: str, row_id: str, name: str, live: str) -> None:
    """Give what comes in another name when its own is taken in the target: `<name>~<the space it comes from>`."""
    wanted, number = name, 1
    taken = f"SELECT 1 FROM {table} WHERE space_id = ? AND {column} = ? {live}"
    while move.tx.execute(taken, (move.target, wanted)).fetchone():
        tail = f"~{move.source_name}" + (f"~{number}" if number > 1 else "")
        wanted, number = name[: LONGEST_NAME - len(tail)] + tail, number + 1
    if wanted != name:
        move.tx.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", (wanted, row_id))
        move.counts["renamed"] += 1


def chains(db: Reader, space_id: int) -> list[str]:
    """Return version chains of a space that together are about a batch, at least one of them."""
    found = db.execute(
        """
        SELECT root_id, count(*) AS versions FROM memory WHERE space_id = ? GROUP BY root_id ORDER BY root_id LIMIT ?
        """,
        (space_id, BATCH),
    ).fetchall()
    kept: list[str] = []
    versions = 0
    for row in found:
        if kept and versions + row["versions"] > BATCH:
            break
        kept.append(row["root_id"])
        versions += row["versions"]
    return kept


def move_chain(move: Move, root_id: str) -> VersionRef:
    """Move every version of a chain; returns its first as it is then."""
    found = move.tx.execute("SELECT id, row_id FROM memory WHERE root_id = ? ORDER BY version", (root_id,)).fetchall()
    for row in found:
        rows.move_row(move.tx, row["row_id"], move.target, at=move.at)
        move.tx.execute("UPDATE memory SET space_id = ? WHERE id = ?", (move.target, row["id"]))
    move.tell_readers(found[0]["row_id"])
    move.counts["memories"] += len(found)
    return by_id(move.tx, found[0]["id"])


def take_over_buckets(move: Move) -> None:
    """Let the target have the buckets that it does not have; what is in its own is judged anew for what came in."""
    move.tx.execute(
        """
        UPDATE bucket SET space_id = ?1 WHERE space_id = ?2 AND retired_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM bucket AS other WHERE other.space_id = ?1 AND other.key = bucket.key)
        """,
        (move.target, move.source),
    )
    move.tx.execute(
        "UPDATE bucket SET retired_at = ? WHERE space_id = ? AND retired_at IS NULL", (move.at, move.source)
    )
    move.tx.execute("UPDATE bucket SET swept_at = 0 WHERE space_id = ?", (move.target,))


def take_over_settings(move: Move) -> None:
    """Let the target have what it has not set itself."""
    move.tx.execute(
        """
        UPDATE space SET display_name = coalesce(space.display_name, source.display_name),
               entity_context = coalesce(space.entity_context, source.entity_context)
        FROM space AS source WHERE space.id = ? AND source.id = ?
        """,
        (move.target, move.source),
    )


def is_empty(db: Reader, space_id: int) -> bool:
    """Tell whether nothing that moves is left in a space."""
    first, last = space_id << rows.ROW_BITS, (space_id + 1 << rows.ROW_BITS) - 1
    if db.execute("SELECT 1 FROM search_row WHERE id BETWEEN ? AND ? LIMIT 1", (first, last)).fetchone():
        return False
    tables = (*WHOLES[:-1], *LOOSE)
    return not any(
        db.execute(f"SELECT 1 FROM {table} WHERE space_id = ? LIMIT 1", (space_id,)).fetchone() for table in tables
    )


def absorb(tx: Writer, kept: VersionRef, gone: VersionRef, *, at: Micros) -> None:
    """Let a memory rest on the sources of another that says the same, each source once."""
    tx.execute(
        """
        INSERT INTO source (memory_id, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id,
                            recorded_at)
        SELECT ?1, kind, document_id, revision, chunk_id, episode_id, start, end, quote, job_id, ?3 FROM source
        WHERE memory_id = ?2 AND retired_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM source AS mine WHERE mine.memory_id = ?1 AND mine.kind = source.kind
            AND mine.document_id IS source.document_id AND mine.episode_id IS source.episode_id
            AND mine.kind <> 'direct' AND mine.retired_at IS NULL)
        """,
        (kept.id, gone.id, at),
    )


def vector_of(db: Reader, row_id: int) -> tuple[bytes, int] | None:
    """Return a row's vector with the number of its generation, that of the serving one first; None when it has none."""
    row = db.execute(
        """
        SELECT data, generation_id FROM vector JOIN generation ON generation.id = generation_id
        WHERE row_id = ? ORDER BY state = 'serving' DESC, generation_id DESC LIMIT 1
        """,
        (row_id,),
    ).fetchone()
    return (bytes(row["data"]), int(row["generation_id"])) if row else None
