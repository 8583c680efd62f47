"""Erases memories and whatever was derived from, decided about or asked about them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memory.records import Micros
from store.connection import Reader, Writer
from store.rows import announce

Note = Callable[[str], None]

# Tables that the functions here and in `store.erasing` treat by name. Any other with a column that names what is erased
# loses the rows.
KNOWN = frozenset({
    "space", "document", "revision", "chunk", "session", "episode", "search_row", "vector", "validity", "memory",
    "source", "candidate", "tombstone", "request", "job", "tally", "work_item", "idempotency", "decision", "judgement",
    "review", "change", "erasure", "erased", "fence", "generation",
})  # fmt: skip
_NAMED = "IN (SELECT value FROM json_each(?))"
# A candidate belongs to whom its document or conversation does. What was written directly is settled in the commit
# that keeps it, and then no more than a note of what was said.
_SAYS_THE_SAME = f"""
    EXISTS (SELECT 1 FROM memory WHERE memory.id {_NAMED} AND memory.space_id = candidate.space_id
            AND memory.equality_key = candidate.equality_key AND (
                (candidate.document_id IS NULL AND candidate.episode_id IS NULL AND candidate.state = 'settled')
                OR (? AND memory.user_id IS coalesce(
                    (SELECT user_id FROM document WHERE document.id = candidate.document_id),
                    (SELECT user_id FROM session JOIN episode ON session_id = session.id
                     WHERE episode.id = candidate.episode_id)))))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What went with memories."""

    decisions: int
    candidates: int
    open_jobs: set[str]  # whose open candidates were taken away


def ids_json(values: Iterable[Any]) -> str:
    """Return ids as the JSON list that `json_each` reads."""
    return json.dumps(list(values))


def note_metadata(text: str, note: Note) -> None:
    """Note the texts among metadata values."""
    for value in json.loads(text).values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                note(one)


def roots(db: Reader, ids: Sequence[str]) -> list[str]:
    """Return the chains that memories belong to."""
    found = db.execute(f"SELECT DISTINCT root_id FROM memory WHERE id {_NAMED} ORDER BY root_id", (ids_json(ids),))
    return [row["root_id"] for row in found.fetchall()]


def bury_statements(tx: Writer, ids: Sequence[str], bury: Callable[..., None]) -> None:
    """Keep what memories say as hashes, so that older sources do not teach it again."""
    found = tx.execute(
        f"""
        SELECT DISTINCT space.name, equality_key, user_id, agent_id FROM memory JOIN space ON space.id = space_id
        WHERE memory.id {_NAMED}
        """,
        (ids_json(ids),),
    ).fetchall()
    for row in found:
        bury("statement", *tuple(row))


def drop_memories(tx: Writer, ids: Sequence[str], *, equal: bool, at: Micros, note: Note) -> Gone:
    """Erase versions with all that hangs on them; what is left of their chains closes up.

    Args:
        tx: the transaction.
        ids: of memories.
        equal: whether what other sources say in the same words goes from the candidates too.
        at: now.
        note: is told every text that goes.
    """
    named = (ids_json(ids),)
    _note_memories(tx, named, note)
    chains = roots(tx, ids)
    row_ids = [row["row_id"] for row in tx.execute(f"SELECT row_id FROM memory WHERE id {_NAMED}", named).fetchall()]
    decisions = _blank_decisions(tx, "memory_id", named) + _blank_decisions(tx, "other_id", named)
    candidates, open_jobs = _blank_candidates(tx, named, equal, note, at)
    _end_reviews(tx, named, at)
    for table in ("judgement", "source", "tombstone"):
        tx.execute(f"DELETE FROM {table} WHERE memory_id {_NAMED}", named)
    drop_unknown(tx, "memory_id", ids)
    tx.execute(f"UPDATE memory SET parent_id = NULL WHERE parent_id {_NAMED}", named)
    tx.execute(f"DELETE FROM memory WHERE id {_NAMED}", named)
    _close_up(tx, chains)
    drop_rows(tx, row_ids, at=at)
    return Gone(decisions=decisions, candidates=candidates, open_jobs=open_jobs)


def _note_memories(tx: Writer, named: tuple[str], note: Note) -> None:
    said = tx.execute(f"SELECT statement, metadata, forget_reason FROM memory WHERE id {_NAMED}", named).fetchall()
    for row in said:
        note(row["statement"])
        note(row["forget_reason"] or "")
        note_metadata(row["metadata"], note)
    for row in tx.execute(f"SELECT quote FROM source WHERE memory_id {_NAMED}", named).fetchall():
        note(row["quote"] or "")


def _blank_decisions(tx: Writer, column: str, named: tuple[str]) -> int:
    """Take the texts out of decisions; what a judge and a person said stays for calibration."""
    done = tx.execute(f"UPDATE decision SET inputs = '{{}}', {column} = NULL WHERE {column} {_NAMED}", named)
    return done.rowcount


def _blank_candidates(tx: Writer, named: tuple[str], equal: bool, note: Note, at: Micros) -> tuple[int, set[str]]:
    """Take the texts out of candidates, of jobs that stay, that became one of these memories or say the same.

    The rows stay, so that results on their way still fit their items, and a repeated extraction adds nothing.
    """
    found = tx.execute(
        f"""
        SELECT seq, job_id, statement, quote, state FROM candidate WHERE memory_id {_NAMED} OR written_id {_NAMED}
        OR {_SAYS_THE_SAME}
        """,
        (*named * 3, equal),
    ).fetchall()
    for row in found:
        note(row["statement"])
        note(row["quote"])
    blank_candidates(tx, [row["seq"] for row in found], at=at)
    return len(found), {row["job_id"] for row in found if row["state"] != "settled"}


def blank_candidates(tx: Writer, found: Sequence[int], *, at: Micros) -> None:
    """Take the texts out of candidates, and what was asked about them away."""
    seqs = (ids_json(found),)
    _blank_decisions(tx, "candidate_seq", seqs)
    tx.execute(f"DELETE FROM judgement WHERE candidate_seq {_NAMED}", seqs)
    tx.execute(f"DELETE FROM review WHERE candidate_seq {_NAMED}", seqs)
    tx.execute(
        f"""
        UPDATE candidate SET statement = '', quote = '', speaker = NULL, said_zone = NULL, entities = '[]',
               relations = '[]', equality_key = '', vector = NULL, memory_id = NULL, written_id = NULL,
               state = 'settled', outcome = 'dropped', outcome_reason = 'erased', settled_at = coalesce(settled_at, ?)
        WHERE seq {_NAMED}
        """,
        (at, *seqs),
    )


def _end_reviews(tx: Writer, named: tuple[str], at: Micros) -> None:
    """End conflicts with an erased memory; whatever else was said about one goes."""
    tx.execute(
        f"""
        UPDATE review SET memory_id = NULL, state = 'resolved', resolution = 'moot', actor_kind = 'pipeline',
               actor_id = 'erasure', reason = 'its memory was erased', resolved_at = ?
        WHERE memory_id {_NAMED} AND kind = 'contradiction' AND candidate_seq IS NOT NULL AND state = 'open'
        """,
        (at, *named),
    )
    tx.execute(f"DELETE FROM review WHERE memory_id {_NAMED}", named)


def _close_up(tx: Writer, chains: Sequence[str]) -> None:
    """Number the versions that are left of chains anew, without gaps, each after the one before."""
    for root in chains:
        left = tx.execute("SELECT id FROM memory WHERE root_id = ? ORDER BY version", (root,)).fetchall()
        before: str | None = None
        for number, row in enumerate(left, 1):
            tx.execute(
                "UPDATE memory SET root_id = ?, parent_id = ?, version = ? WHERE id = ?",
                (left[0]["id"], before, number, row["id"]),
            )
            before = row["id"]


def drop_candidates(tx: Writer, seqs: Sequence[int], note: Note) -> int:
    """Erase the candidates of jobs that go; returns how many."""
    named = (ids_json(seqs),)
    for row in tx.execute(f"SELECT statement, quote FROM candidate WHERE seq {_NAMED}", named).fetchall():
        note(row["statement"])
        note(row["quote"])
    _blank_decisions(tx, "candidate_seq", named)
    for table in ("judgement", "review"):
        tx.execute(f"DELETE FROM {table} WHERE candidate_seq {_NAMED}", named)
    drop_unknown(tx, "candidate_seq", seqs)
    return tx.execute(f"DELETE FROM candidate WHERE seq {_NAMED}", named).rowcount


def drop_rows(tx: Writer, row_ids: Sequence[int], *, at: Micros) -> None:
    """Erase search rows with their vectors, windows and terms, and have readers load their spaces anew."""
    named = (ids_json(row_ids),)
    for table, column in (("vector", "row_id"), ("validity", "row_id"), ("search_row", "id")):
        tx.execute(f"DELETE FROM {table} WHERE {column} {_NAMED}", named)
    # One announcement is enough for a space: whoever sees it reads all of the space again.
    for row_id in {row_id >> 32: row_id for row_id in row_ids}.values():
        announce(tx, row_id, "erase", at=at)


def recount(tx: Writer, ids: Sequence[str], *, at: Micros) -> None:
    """Count anew what supports memories that have lost a source."""
    for memory_id in ids:
        (row_id,) = tx.execute(
            """
            UPDATE memory SET updated_at = ?, support = max(1, (
                SELECT count(*) FROM (SELECT DISTINCT kind, document_id, episode_id FROM source
                                      WHERE memory_id = memory.id AND retired_at IS NULL)))
            WHERE id = ? RETURNING row_id
            """,
            (at, memory_id),
        ).fetchone()
        announce(tx, row_id, "metadata", at=at)


def drop_unknown(tx: Writer, column: str, values: Sequence[Any]) -> None:
    """Delete the rows that name something erased from tables that are not treated by name."""
    for table in unknown_tables(tx, column):
        tx.execute(f"DELETE FROM {table} WHERE {column} {_NAMED}", (ids_json(values),))


def unknown_tables(db: Reader, column: str) -> list[str]:
    """Return the tables that have a column and are not treated by name."""
    found = db.execute(
        """
        SELECT tables.name FROM pragma_table_list AS tables JOIN pragma_table_info (tables.name) AS columns
        WHERE tables.type = 'table' AND tables.schema = 'main' AND columns.name = ? AND tables.name NOT LIKE 'sqlite%'
        """,
        (column,),
    ).fetchall()
    return sorted(row["name"] for row in found if row["name"] not in KNOWN)
