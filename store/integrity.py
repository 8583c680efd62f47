"""Whether a tenant's file is whole: each check returns what is wrong, one sentence each, and changes nothing."""

from __future__ import annotations

import sqlite3

from store import chain
from store.connection import Reader, Writer

# A file that was damaged may be so in every row; the first places tell what happened.
MOST_TOLD = 10
# Each query counts rows that must not exist.
_NONE_MAY_EXIST = {
    "{n} search rows have no vector of the serving generation": """
        SELECT count(*) FROM search_row, generation WHERE state = 'serving' AND NOT EXISTS (
            SELECT 1 FROM vector WHERE row_id = search_row.id AND generation_id = generation.id)
    """,
    "{n} vectors are not as long as their generation says": """
        SELECT count(*) FROM vector JOIN generation ON generation.id = generation_id
        WHERE length(data) <> 4 * dimension
    """,
    "{n} memories have no source": """
        SELECT count(*) FROM memory WHERE NOT EXISTS (SELECT 1 FROM source WHERE memory_id = memory.id)
    """,
    "{n} memories have never had a validity window": """
        SELECT count(*) FROM memory WHERE NOT EXISTS (SELECT 1 FROM validity WHERE row_id = memory.row_id)
    """,
    "{n} version chains have more than one live version": """
        SELECT count(*) FROM (
            SELECT root_id FROM memory JOIN validity ON validity.row_id = memory.row_id
            WHERE retired_at IS NULL AND valid_to = 4611686018427387904 GROUP BY root_id HAVING count(*) > 1)
    """,
    "{n} version chains have a gap": """
        SELECT count(*) FROM (SELECT root_id FROM memory GROUP BY root_id HAVING max(version) <> count(*))
    """,
    "{n} chunks of live revisions cannot be found": """
        SELECT count(*) FROM chunk JOIN document ON document.id = document_id AND revision = live_revision
        WHERE deleted_at IS NULL AND row_id IS NULL
    """,
    "{n} open jobs have nothing left to do": """
        SELECT count(*) FROM job WHERE state IN ('queued', 'running')
        AND NOT EXISTS (SELECT 1 FROM work_item WHERE job_id = job.id AND work_item.state IN ('ready', 'leased'))
        AND NOT EXISTS (SELECT 1 FROM candidate WHERE job_id = job.id AND candidate.state <> 'settled')
        AND NOT EXISTS (SELECT 1 FROM request WHERE request.state = 'waiting')
    """,
}


def problems(db: Reader) -> list[str]:
    """Return what is wrong with the rows of a file; empty when nothing is."""
    found = [f"SQLite says: {row[0]}" for row in db.execute("PRAGMA integrity_check(5)").fetchall() if row[0] != "ok"]
    dangling = len(db.execute("PRAGMA foreign_key_check").fetchall())
    if dangling:
        found.append(f"{dangling} rows refer to rows that do not exist")
    for sentence, query in _NONE_MAY_EXIST.items():
        (count,) = db.execute(query).fetchone()
        if count:
            found.append(sentence.format(n=count))
    return [*found, *_ledger(db)]


def _ledger(db: Reader) -> list[str]:
    """Return where the chains of the ledger do not hold."""
    broken = list(chain.breaks(db))
    told = [f"the ledger of session {one.session_id} is broken at seq {one.seq}: {one.reason}" for one in broken]
    rest = len(told) - MOST_TOLD
    return told if rest <= 0 else [*told[:MOST_TOLD], f"the ledger is broken at {rest} more places"]


def check_full_text(tx: Writer) -> list[str]:
    """Compare the full-text index with the text it indexes.

    The plain check says ok to a wrong index; only with rank 1 does FTS5 compare it with the content table.

    Args:
        tx: a write transaction, because FTS5 takes its commands as inserts; this one writes nothing.
    """
    try:
        tx.execute("INSERT INTO search_text (search_text, rank) VALUES ('integrity-check', 1)")
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return ["the full-text index does not match the text; rebuild it with `memlane doctor --repair`"]
    return []


def rebuild_full_text(tx: Writer) -> None:
    """Build the full-text index anew from the stored text."""
    tx.execute("INSERT INTO search_text (search_text) VALUES ('rebuild')")
