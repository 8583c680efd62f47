"""Takes out again what an import has made rows of, some at a time: nobody can see its spaces, so nobody sees a half."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from store.connection import Writer
from store.erasing_memories import ids_json
from store.transfer_plan import ROW_BITS

_SPACES = "space_id IN (SELECT value FROM json_each(:spaces))"
_JOBS = f"job_id IN (SELECT id FROM job WHERE {_SPACES})"
_DOCUMENTS = f"document_id IN (SELECT id FROM document WHERE {_SPACES})"
_MEMORIES = f"memory_id IN (SELECT id FROM memory WHERE {_SPACES})"
# The number of a search row says of which space it is; there is no other index for that.
_ROWS = (
    f"{{row}} BETWEEN (SELECT min(value) << {ROW_BITS:d} FROM json_each(:spaces))"
    f" AND (SELECT (max(value) + 1 << {ROW_BITS:d}) - 1 FROM json_each(:spaces))"
    f" AND {{row}} >> {ROW_BITS:d} IN (SELECT value FROM json_each(:spaces))"
)
_OF_ROWS = _ROWS.format(row="row_id")
# Table, key and condition, from what rests on others to what others rest on. Work comes first: a writer that began
# meanwhile has vectors made for rows that have none, of these spaces too, and what has no item any more is not kept.
_STAGES = (
    ("work_item", "id", _JOBS),
    ("tally", "id", _JOBS),
    ("job", "id", _SPACES),
    ("bucket_memory", "memory_id, bucket_id", f"bucket_id IN (SELECT id FROM bucket WHERE {_SPACES})"),
    ("bucket", "id", _SPACES),
    ("review", "id", _SPACES),
    ("judgement", "candidate_seq, round, memory_id", f"candidate_seq IN (SELECT seq FROM candidate WHERE {_SPACES})"),
    ("decision", "id", _SPACES),
    ("candidate", "seq", _SPACES),
    ("tombstone", "memory_id", _SPACES),
    ("source", "id", _MEMORIES),
    ("belief", "id", _MEMORIES),
    # A version before the one that it follows.
    ("memory", "rowid", f"{_SPACES} ORDER BY rowid DESC"),
    ("chunk", "id", _DOCUMENTS),
    ("validity", "id", _OF_ROWS),
    ("vector", "row_id, generation_id", _OF_ROWS),
    ("search_row", "id", _ROWS.format(row="id")),
    ("episode", "id", f"session_id IN (SELECT id FROM session WHERE {_SPACES})"),
    ("session", "id", _SPACES),
    ("revision_source", "document_id, revision", _DOCUMENTS),
    ("revision", "document_id, revision", _DOCUMENTS),
    ("document", "id", _SPACES),
)
_LAST = (
    f"DELETE FROM import_space WHERE {_SPACES}",
    "DELETE FROM space WHERE id IN (SELECT value FROM json_each(:spaces))",
)
_ALL = -1


def undo(tx: Writer, spaces: Sequence[int]) -> None:
    """Take out whatever is in spaces, and the spaces."""
    undo_some(tx, spaces, stage=0, most=_ALL)


def undo_some(tx: Writer, spaces: Sequence[int], *, stage: int, most: int) -> int | None:
    """Take out some of what is in spaces, and with the last of it the spaces.

    Args:
        tx: the transaction.
        spaces: their numbers; of no other space anything is touched.
        stage: where the call before has ended; 0 at first.
        most: rows; -1 for all.

    Returns:
        The stage to go on with; None when nothing is left.
    """
    left, named = most, {"spaces": ids_json(spaces)}
    try:
        for number, (table, key, condition) in enumerate(_STAGES[stage:], stage):
            query = f"DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {condition} LIMIT :most)"
            left -= tx.execute(query, {**named, "most": left}).rowcount if most != _ALL else 0
            if most == _ALL:
                tx.execute(query, {**named, "most": _ALL})
            elif left <= 0:
                return number
        for statement in _LAST:
            tx.execute(statement, named)
    except sqlite3.IntegrityError:
        if most == _ALL:
            raise
        return 0  # something has come in behind this, such as a vector that was under way
    return None
