"""What was believed of a memory before a reinforcement or a change of its metadata or kind."""

from __future__ import annotations

from collections.abc import Iterator

from memory.records import Micros
from store.connection import Reader, Writer
from store.segment_rows import MEMORY_FACTS

# The state that held at a time is the first one that was retired after it; without one, the memory has it.
_HELD = """
    (SELECT belief.id FROM belief WHERE belief.memory_id = memory.id AND belief.retired_at > ?2
     ORDER BY belief.retired_at, belief.id LIMIT 1)
"""
# What was believed of memories at a time: ?1 is a JSON list of their ids and ?2 the time. `changed_at` is when it was
# last overwritten before that (NULL: never); what has not changed since is NULL.
THEN = f"""
    SELECT memory.id AS memory_id, belief.confidence, belief.support, belief.metadata,
           coalesce(belief.kind, memory.kind) AS kind,
           (SELECT max(retired_at) FROM belief AS before
            WHERE before.memory_id = memory.id AND before.retired_at <= ?2) AS changed_at
    FROM memory LEFT JOIN belief ON belief.id = {_HELD}
    WHERE memory.id IN (SELECT value FROM json_each(?1))
"""
# The facts of the memories of a space (?1) of which other things were believed at a time (?2). In the place of the
# table, for this one query.
_FACTS_THEN = f"""
    WITH memory AS (
        SELECT memory.row_id, coalesce(belief.kind, memory.kind) AS kind, belief.confidence, belief.support,
               memory.is_static, memory.speaker, memory.version, belief.metadata
        FROM main.memory AS memory JOIN belief ON belief.id = {_HELD}
        WHERE memory.space_id = ?1
    ) {MEMORY_FACTS}
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


def facts_then(db: Reader, space_id: int, known_at: Micros) -> Iterator[tuple[int, str, str]]:
    """Yield (row id, own facts, metadata), both JSON, of the memories of a space of which other things were believed.

    Args:
        db: the store.
        space_id: the space.
        known_at: when; memories whose facts are the same now are left out.
    """
    yield from map(tuple, db.execute(_FACTS_THEN, (space_id, known_at)).fetchall())
