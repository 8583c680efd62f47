"""What a change of the embedding model leaves to be done: candidates with another model's vector, jobs and items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.records import Micros
from store.connection import Reader, Writer

# The parameters of one statement; SQLite allows 32,766.
_MANY = 10_000


def strange_candidates(db: Reader, generation_id: int) -> list[Mapping[str, Any]]:
    """Return the candidates whose kept vector is not of a generation: `seq`, `job_id`, `space_id` and `state`."""
    query = """
        SELECT seq, job_id, space_id, state FROM candidate
        WHERE vector IS NOT NULL AND generation_id IS NOT ? ORDER BY seq
    """
    return db.execute(query, (generation_id,)).fetchall()


def holders(db: Reader, generation_id: int) -> int:
    """Return how many candidates keep a vector of a generation."""
    query = "SELECT count(*) FROM candidate WHERE vector IS NOT NULL AND generation_id = ?"
    return int(db.execute(query, (generation_id,)).fetchone()[0])


def ready_of_others(db: Reader) -> int:
    """Return how many candidates wait because their vector is not of the serving generation."""
    query = """
        SELECT count(*) FROM candidate WHERE state <> 'settled' AND state = 'ready' AND vector IS NOT NULL
        AND generation_id IS NOT (SELECT id FROM generation WHERE state = 'serving')
    """
    return int(db.execute(query).fetchone()[0])


def await_vectors(tx: Writer, seqs: Sequence[int]) -> None:
    """Let ready candidates wait for a vector again."""
    for start in range(0, len(seqs), _MANY):
        some = tuple(seqs[start : start + _MANY])
        marks = ",".join("?" * len(some))
        tx.execute(
            f"UPDATE candidate SET state = 'waiting', vector = NULL, generation_id = NULL"
            f" WHERE state = 'ready' AND seq IN ({marks})",
            some,
        )


def configure(tx: Writer, generation_id: int | None, *, at: Micros) -> bool:
    """Note which generation the configured model makes vectors of.

    Args:
        tx: the transaction.
        generation_id: of that model; None when it has none yet.
        at: now.

    Returns:
        Whether another model was configured before.
    """
    row = tx.execute(
        "SELECT id FROM generation WHERE configured_at IS NOT NULL ORDER BY configured_at DESC, id DESC LIMIT 1"
    ).fetchone()
    before = row["id"] if row is not None else None
    if generation_id is not None and generation_id != before:
        tx.execute("UPDATE generation SET configured_at = ? WHERE id = ?", (at, generation_id))
    return before is not None and before != generation_id


def forget_leases(tx: Writer, *, at: Micros) -> int:
    """Make the embedding items that are out ready again: what comes of them is another model's. Returns how many."""
    again = tx.execute(
        "UPDATE work_item SET state = 'ready', lease_until = NULL, updated_at = ?"
        " WHERE state IN ('ready', 'leased') AND state = 'leased' AND task = 'embed.texts'",
        (at,),
    )
    return int(again.rowcount)


def open_job(db: Reader, space_id: int, generation_id: int) -> str | None:
    """Return the open job that embeds the rows of a space for a generation."""
    row = db.execute(
        """
        SELECT job.id FROM job JOIN tally ON tally.job_id = job.id
        WHERE job.state IN ('queued', 'running') AND kind = 'reembedding' AND space_id = ?
        AND json_extract(tally.payload, '$.generation') = ? LIMIT 1
        """,
        (space_id, generation_id),
    ).fetchone()
    return None if row is None else str(row["id"])


def jobs_of(db: Reader) -> Mapping[str, int]:
    """Return the open jobs that embed rows anew, each with the generation that it is for."""
    query = """
        SELECT job.id, max(json_extract(tally.payload, '$.generation')) AS generation
        FROM job JOIN tally ON tally.job_id = job.id
        WHERE job.state IN ('queued', 'running') AND kind = 'reembedding'
        GROUP BY job.id HAVING generation IS NOT NULL
    """
    return {row["id"]: row["generation"] for row in db.execute(query).fetchall()}


def open_jobs(db: Reader) -> list[str]:
    """Return the ids of the open jobs that embed anew, oldest first."""
    query = "SELECT id FROM job WHERE state IN ('queued', 'running') AND kind = 'reembedding' ORDER BY created_at, id"
    return [row["id"] for row in db.execute(query).fetchall()]
