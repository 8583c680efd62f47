"""Moves what belongs to one space into another, a batch at a time: the ids stay, and so do windows and sources.

Every table with a column `space_id` is in one of the three groups below; a test holds that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from memory.records import Micros
from store import retention, rows
from store.connection import Reader, Writer
from store.memories import VersionRef

# Search rows of a transaction, about: 50 memories take some 45 ms. A document or a chain of versions goes whole.
BATCH = 50
# What names two things the same way once they share a space.
LONGEST_NAME = 255

# Moved by the functions here, in this order; search rows go with their document or memory.
WHOLES = ("document", "session", "memory", "search_row")
# Moved with what they belong to, if that moves at all, else as they are.
LOOSE: Mapping[str, str] = {
    "job": "id", "candidate": "seq", "decision": "id", "review": "id", "tombstone": "memory_id",
}  # fmt: skip
# What a space holds, by what a merge calls it. Live documents have one index and deleted ones another.
_HELD = (
    ("documents", "document WHERE space_id = ? AND deleted_at IS NULL"),
    ("documents", "document WHERE space_id = ? AND deleted_at IS NOT NULL"),
    ("sessions", "session WHERE space_id = ?"), ("memories", "memory WHERE space_id = ?"),
    *((f"{table}s", f"{table} WHERE space_id = ?") for table in LOOSE),
)  # fmt: skip
# Of the space itself: they stay with its number.
STAY = frozenset({"change", "deletion", "merge", "merge_source", "bucket", "import_space"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One transaction of a merge."""

    tx: Writer
    source: int  # number of the space that is emptied
    source_name: str
    target: int
    asked_at: Micros  # when the merge was asked for
    at: Micros
    counts: Counter[str]


def move_loose(move: Move) -> int:
    """Move what is left of jobs, candidates, decisions, reviews and tombstones; returns how many."""
    moved = 0
    for table, key in LOOSE.items():
        found = move.tx.execute(
            f"UPDATE {table} SET space_id = ? WHERE {key} IN (SELECT {key} FROM {table} WHERE space_id = ? LIMIT ?)",
            (move.target, move.source, BATCH),
        ).rowcount
        move.counts[f"{table}s"] += found
        moved += found
    return moved


def _take_along(move: Move, table: str, column: str, values: Sequence[str | int], key: str) -> list[Any]:
    """Move the rows of a table that belong to what moves in the same transaction; returns their keys."""
    # With the sign they are looked up by what they belong to, not by the space, which is full of others.
    taken = move.tx.execute(
        f"""
        UPDATE {table} SET space_id = ? WHERE +space_id = ? AND {column} IN (SELECT value FROM json_each(?))
        RETURNING {key} AS key
        """,
        (move.target, move.source, json.dumps(list(values))),
    ).fetchall()
    move.counts[f"{table}s"] += len(taken)
    return [row["key"] for row in taken]


def _take_jobs(move: Move, column: str, values: Sequence[str]) -> None:
    """Move the jobs of documents or sessions with all that they found, and let that keep its end."""
    query = f"SELECT id FROM job WHERE {column} IN (SELECT value FROM json_each(?)) AND +space_id = ?"
    jobs = [row["id"] for row in move.tx.execute(query, (json.dumps(list(values)), move.source)).fetchall()]
    retention.keep_promise(move.tx, jobs, move.target, joined_at=move.asked_at)
    _take_along(move, "job", "id", jobs, "id")
    _take_candidates(move, "job_id", jobs)


def _take_candidates(move: Move, column: str, values: Sequence[str]) -> None:
    found = _take_along(move, "candidate", column, values, "seq")
    for table in ("decision", "review"):
        _take_along(move, table, "candidate_seq", found, "id")


def move_documents(move: Move) -> int:
    """Move documents with their chunks and jobs; returns how many rows."""
    tx, chunks, moved = move.tx, list[int](), list[str]()
    found = tx.execute(
        """
        SELECT id, custom_id, deleted_at FROM (SELECT * FROM document WHERE space_id = ?1 AND deleted_at IS NULL
                                               ORDER BY created_at, id LIMIT ?2)
        UNION ALL SELECT id, custom_id, deleted_at FROM document WHERE space_id = ?1 AND deleted_at IS NOT NULL LIMIT ?2
        """,
        (move.source, BATCH),
    ).fetchall()
    for row in found:
        if len(moved) + len(chunks) >= BATCH:
            break
        if row["custom_id"] is not None and row["deleted_at"] is None:
            _settle_name(move, "document", "custom_id", row["id"], row["custom_id"], "AND deleted_at IS NULL")
        tx.execute("UPDATE document SET space_id = ? WHERE id = ?", (move.target, row["id"]))
        chunks += _chunk_rows(tx, row["id"])
        moved.append(row["id"])
    rows.move_rows(tx, chunks, move.target, at=move.at)
    _take_jobs(move, "document_id", moved)
    move.counts["documents"] += len(moved)
    move.counts["chunks"] += len(chunks)
    return len(moved) + len(chunks)


def _chunk_rows(db: Reader, document_id: str) -> list[int]:
    query = "SELECT DISTINCT row_id FROM chunk WHERE document_id = ? AND row_id IS NOT NULL"
    return [row["row_id"] for row in db.execute(query, (document_id,)).fetchall()]


def move_sessions(move: Move) -> int:
    """Move sessions with their episodes and jobs; returns how many."""
    found = move.tx.execute(
        "SELECT id, conversation_id FROM session WHERE space_id = ? ORDER BY updated_at, id LIMIT ?",
        (move.source, BATCH),
    ).fetchall()
    for row in found:
        if row["conversation_id"] is not None:
            _settle_name(move, "session", "conversation_id", row["id"], row["conversation_id"], "")
        move.tx.execute("UPDATE session SET space_id = ? WHERE id = ?", (move.target, row["id"]))
    _take_jobs(move, "session_id", [row["id"] for row in found])
    move.counts["sessions"] += len(found)
    return len(found)


def _settle_name(move: Move, table: str, column: str, row_id: str, name: str, live: str) -> None:
    """Give what comes in another name when its own is taken in the target: `<name>~<the space it comes from>`."""
    wanted, number = name, 1
    # Another one of the source may have the longer name already, and keeps it.
    taken = f"SELECT 1 FROM {table} WHERE space_id IN (?, ?) AND {column} = ? AND id <> ? {live}"
    if not move.tx.execute(taken, (move.target, move.target, name, row_id)).fetchone():
        return
    while wanted == name or move.tx.execute(taken, (move.target, move.source, wanted, row_id)).fetchone():
        tail = f"~{move.source_name}" + (f"~{number}" if number > 1 else "")
        wanted, number = name[: LONGEST_NAME - len(tail)] + tail, number + 1
    move.tx.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", (wanted, row_id))
    move.counts["renamed"] += 1


def chains(db: Reader, space_id: int) -> list[str]:
    """Return version chains of a space that together are about a batch, at least one of them; the oldest first."""
    found = db.execute(
        """
        SELECT root_id, (SELECT count(*) FROM memory WHERE root_id = oldest.root_id) AS versions
        FROM (SELECT root_id, recorded_at, id FROM memory INDEXED BY memory_listing WHERE space_id = ?
              ORDER BY recorded_at, id LIMIT ?) AS oldest
        GROUP BY root_id ORDER BY min(recorded_at), min(id)
        """,
        (space_id, BATCH),
    ).fetchall()
    until = list(accumulate(row["versions"] for row in found))
    fit = max(1, sum(versions <= BATCH for versions in until))
    return [row["root_id"] for row in found[:fit]]


def move_chains(move: Move, root_ids: Sequence[str]) -> None:
    """Move every version of some chains, with what was forgotten and asked of them."""
    move.counts["own_ends"] += retention.keep_ends(move.tx, root_ids, move.target, joined_at=move.asked_at)
    found = move.tx.execute(
        "UPDATE memory SET space_id = ? WHERE root_id IN (SELECT value FROM json_each(?)) RETURNING id, row_id",
        (move.target, json.dumps(list(root_ids))),
    ).fetchall()
    ids = [row["id"] for row in found]
    _take_candidates(move, "memory_id", ids)
    for table in ("tombstone", "review", "decision"):
        _take_along(move, table, "memory_id", ids, "memory_id")
    rows.move_rows(move.tx, [row["row_id"] for row in found], move.target, at=move.at)
    move.counts["memories"] += len(found)


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


def is_empty(db: Reader, space_id: int) -> bool:
    """Tell whether nothing that moves is left in a space."""
    first, last = space_id << rows.ROW_BITS, (space_id + 1 << rows.ROW_BITS) - 1
    if db.execute("SELECT 1 FROM search_row WHERE id BETWEEN ? AND ? LIMIT 1", (first, last)).fetchone():
        return False
    return not any(db.execute(f"SELECT 1 FROM {held} LIMIT 1", (space_id,)).fetchone() for _, held in _HELD)


def left(db: Reader, space_ids: Iterable[int]) -> dict[str, int]:
    """Count what is still to be moved out of spaces, by the names that a merge counts by."""
    found = dict.fromkeys((name for name, _ in _HELD), 0)
    for space_id in space_ids:
        for name, held in _HELD:
            found[name] += db.execute(f"SELECT count(*) FROM {held}", (space_id,)).fetchone()[0]
    return found


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
