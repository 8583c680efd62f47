"""The end of an erasure's rows: what names the target without being of it, and answers that were kept for repeats."""

from __future__ import annotations

from store.connection import Writer
from store.erasing import Pass
from store.erasing_memories import blank_candidates, drop_candidates, unknown_tables
from store.erasing_targets import SPACES

# Who waits for a refusal has read it by then; its words may quote what was asked.
REFUSAL_MICROS = 60_000_000


def sweep(p: Pass, *, request_id: str) -> None:
    """Erase what is left once no row of the target is.

    Args:
        p: the erasure's last transaction.
        request_id: of the erasure's own request, which is settled after this.
    """
    kind = p.target.kind
    if kind == "subject":
        _subject(p)
    elif kind == "space":
        _space(p)
    elif kind == "tenant":
        _tenant(p, request_id)
    p.counts["answers"] += _answers(p.tx)
    _refusals(p)


def _subject(p: Pass) -> None:
    waiting = p.rows("SELECT candidate_seq FROM review WHERE user_id = :target AND candidate_seq IS NOT NULL")
    blank_candidates(p.tx, [row["candidate_seq"] for row in waiting], at=p.at)
    for table in ("tombstone", "review", *unknown_tables(p.tx, "user_id")):
        p.tx.execute(f"DELETE FROM {table} WHERE user_id = :target", p.target.values)
    p.bury("subject", p.target.id)


def _space(p: Pass) -> None:
    # All of one name; read before the rows go that say which have it.
    ids = [row[0] for row in p.rows(f"SELECT * FROM {SPACES}")]
    _questions(p.tx, f"space_id IN {SPACES}", p)
    for table in ("tombstone", "change", *unknown_tables(p.tx, "space_id")):
        p.drop(table, "space_id", ids)
    p.counts["spaces"] += p.drop("space", "id", ids)
    p.bury("space", p.target.id)


def _tenant(p: Pass, request_id: str) -> None:
    _questions(p.tx, "1", p)
    for table in ("tombstone", "change", "idempotency", "setting", *unknown_tables(p.tx, "space_id")):
        p.tx.execute(f"DELETE FROM {table}")
    p.tx.execute("DELETE FROM request WHERE id <> ? AND (state <> 'waiting' OR actor_kind = 'pipeline')", (request_id,))
    p.counts["spaces"] += p.tx.execute("DELETE FROM space").rowcount


def _questions(tx: Writer, condition: str, p: Pass) -> None:
    written = p.rows(f"SELECT seq FROM candidate WHERE {condition}")
    p.counts["candidates"] += drop_candidates(tx, [row["seq"] for row in written], p.note)
    of_space = f"SELECT id FROM decision WHERE {condition}"
    tx.execute(f"DELETE FROM review WHERE {condition}", p.target.values)
    tx.execute(f"UPDATE review SET decision_id = NULL WHERE decision_id IN ({of_space})", p.target.values)
    tx.execute(f"UPDATE judgement SET decision_id = NULL WHERE decision_id IN ({of_space})", p.target.values)
    p.counts["decisions"] += tx.execute(f"DELETE FROM decision WHERE {condition}", p.target.values).rowcount


def _answers(tx: Writer) -> int:
    """Blank the kept answers about things that are gone; a repeat of such a request is refused and makes nothing."""
    return tx.execute(
        """
        UPDATE idempotency SET body_hash = '', response = '{}' WHERE body_hash <> '' AND (
            (json_extract(response, '$.id') LIKE 'doc_%'
             AND json_extract(response, '$.id') NOT IN (SELECT id FROM document))
            OR EXISTS (SELECT 1 FROM json_each(response, '$.results') AS made
                       WHERE json_extract(made.value, '$.id') NOT IN (SELECT id FROM document))
            OR (json_extract(response, '$.id') LIKE 'ses_%' AND json_extract(response, '$.id') NOT IN (
                SELECT id FROM session WHERE conversation_id IS NOT NULL))
            OR json_extract(response, '$.request') IN (
                SELECT request.id FROM request, json_each(request.result, '$.ids') AS made
                WHERE request.state = 'done' AND made.value NOT IN (SELECT id FROM memory)))
        """
    ).rowcount


def _refusals(p: Pass) -> None:
    p.tx.execute(
        """
        UPDATE request SET result = json_object('code', json_extract(result, '$.code'), 'details', json('{}'),
                                                'message', 'This was refused; its words went with an erasure.')
        WHERE state = 'refused' AND settled_at < ?
        """,
        (p.at - REFUSAL_MICROS,),
    )
