"""What was believed of a memory before a reinforcement or a change of its metadata or kind."""

from __future__ import annotations

from collections.abc import Iterator

from memory.records import Micros
from store.connection import Reader, Writer
from store.segment_rows import MEMORY_FACTS

# The state that held at a time is the first one that was retired after it; without one, the memory has it.
_THEN = """
    (SELECT belief.id FROM belief WHERE belief.memory_id = memory.id AND belief.retired_at > {at:d}
     ORDER BY belief.retired_at, belief.id LIMIT 1)
"""


def keep(tx: Writer, memory_id: str, *, at: Micros) -> None:
    """Keep what is believed of a memory, which the caller is about to overwrite."""
    tx.execute(
        """
        INSERT INTO belief (memory_id, confidence, support, metadata, kind, retired_at)
        SELECT id, confidence, support, metadata, kind, ? FROM memory WHERE id = ?
        """,
        (at, memory_id),
    )


def then(known_at: Micros) -> str:
    """Return the query of what was believed of memories at a time; `{marks}` stands for their ids.

    Its rows have `memory_id`, `changed_at` (when it was last overwritten before that; NULL: never), and `confidence`,
    `support`, `metadata` and `kind`, which are NULL when they have not changed since.
    """
    return f"""
        SELECT memory.id AS memory_id, belief.confidence, belief.support, belief.metadata,
               coalesce(belief.kind, memory.kind) AS kind,
               (SELECT max(retired_at) FROM belief AS before
                WHERE before.memory_id = memory.id AND before.retired_at <= {known_at:d}) AS changed_at
        FROM memory LEFT JOIN belief ON belief.id = {_THEN.format(at=known_at)}
        WHERE memory.id IN ({{marks}})
    """


def facts_then(db: Reader, space_id: int, known_at: Micros) -> Iterator[tuple[int, str, str]]:
    """Yield (row id, own facts, metadata), both JSON, of the memories of a space of which other things were believed.

    Args:
        db: the store.
        space_id: the space.
        known_at: when; memories whose facts are the same now are left out.
    """
    # In the place of the table, for this one query.
    memory = f"""
        SELECT memory.row_id, coalesce(belief.kind, memory.kind) AS kind, belief.confidence, belief.support,
               memory.is_static, memory.speaker, memory.version, belief.metadata
        FROM main.memory AS memory JOIN belief ON belief.id = {_THEN.format(at=known_at)}
        WHERE memory.space_id = ?
    """
    yield from map(tuple, db.execute(f"WITH memory AS ({memory}) {MEMORY_FACTS}", (space_id,)).fetchall())
