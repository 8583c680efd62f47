"""Leases of work items: each sending has a number, and (item, number) names the one lease that a result may settle."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.records import Micros, WorkItem
from store.connection import Reader, Writer
from store.ledger import CAUSE, work_item

# The partial index serves only queries that repeat its condition word for word; if the condition stood before the state
# that is wanted, it would be what is looked up, and all that is ready be read.
_OPEN = "state IN ('ready', 'leased')"
_READY = f"state = 'ready' AND {_OPEN} AND queue = ? AND not_before <= ?"
# Of the jobs that have something ready, the oldest: as many as are asked for that have nothing out are among them. Of
# each the first items, with how many of its own come before.
_MINE = f"""
    state = 'ready' AND {_OPEN} AND queue = :queue AND not_before <= :now
    AND (json_extract(payload, '$.dream') IS 1) = :dream
"""
_LEASED = f"state = 'leased' AND {_OPEN} AND queue"
_OUT = f"SELECT job_id FROM work_item WHERE {_LEASED} = ?"
_NEXT = f"""
    WITH RECURSIVE waiting (job_id) AS (
        SELECT min(job_id) FROM work_item WHERE {_MINE}
        UNION ALL
        SELECT (SELECT min(job_id) FROM work_item WHERE {_MINE} AND work_item.job_id > waiting.job_id)
        FROM waiting WHERE waiting.job_id IS NOT NULL LIMIT :jobs
    )
    SELECT id, waiting.job_id, row_number() OVER (PARTITION BY waiting.job_id ORDER BY id) AS turn
    FROM waiting JOIN work_item ON id IN (
        SELECT id FROM work_item WHERE {_MINE} AND work_item.job_id = waiting.job_id ORDER BY id LIMIT :most
    )
"""
# The queues that items are sent through; the table allows no other.
QUEUES = ("background", "host", "sources")


# What keeps erased files from being purged may stay for as long as a backup takes; each try writes the whole file anew.
PURGE_AGAIN_MICROS: Micros = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """An item that is out."""

    item: WorkItem
    failures: int  # attempts that counted before this one
    seen_at: Micros  # when it was sent, or last seen in a queue or on a worker
    lease_until: Micros
    node: str | None  # the worker it was last seen on


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """A tally that has reached 0."""

    job_id: str
    continuation: str
    payload: Mapping[str, Any]


def lease_ready(
    tx: Writer, tenant: str, queue: str, *, most: int, now: Micros, until: Micros, dream: bool = False
) -> list[WorkItem]:
    """Lease ready items of a queue, each under a new attempt number; their jobs are running then.

    Jobs take turns: the next item is of the job that has the fewest out, of equal ones of the oldest, so that a short
    job does not wait for all of a long one that was there before it.

    Args:
        tx: the transaction.
        tenant: whose file it is.
        queue: host, background or sources.
        most: how many at most.
        now: present time; items that wait for later are left.
        until: when the leases run out.
        dream: lease items of dreams instead of all others.

    Returns:
        The items, in the order they were made.
    """
    out = Counter(row["job_id"] for row in tx.execute(_OUT, (queue,)).fetchall())
    wanted = {"queue": queue, "now": now, "dream": dream, "jobs": most + len(out), "most": most}
    ready = tx.execute(_NEXT, wanted).fetchall()
    turns = sorted(ready, key=lambda row: (out[row["job_id"]] + row["turn"], row["job_id"], row["id"]))
    chosen = json.dumps([row["id"] for row in turns[:most]])
    rows = tx.execute(
        "UPDATE work_item SET state = 'leased', attempt = attempt + 1, lease_until = ?, node = NULL,"
        f" updated_at = ? WHERE id IN (SELECT value FROM json_each(?)) RETURNING *, {CAUSE}",
        (until, now, chosen),
    ).fetchall()
    items = sorted((work_item(tenant, row) for row in rows), key=lambda item: item.id)
    tx.executemany(
        "UPDATE job SET state = 'running', updated_at = ? WHERE id = ? AND state = 'queued'",
        [(now, job_id) for job_id in sorted({item.job_id for item in items})],
    )
    return items


def ready_queues(db: Reader | Writer, *, now: Micros) -> set[str]:
    """Return the queues that have an item ready to be sent; looks at the first such item of each only."""
    query = f"SELECT EXISTS (SELECT 1 FROM work_item WHERE {_READY})"
    return {queue for queue in QUEUES if db.execute(query, (queue, now)).fetchone()[0]}


def count_out(db: Reader | Writer, queue: str) -> int:
    """Return how many items of a queue are leased."""
    query = f"SELECT count(*) FROM work_item WHERE {_LEASED} = ?"
    return int(db.execute(query, (queue,)).fetchone()[0])


def leases(db: Reader, tenant: str) -> list[Lease]:
    """Return every item that is out, oldest first."""
    # By queue, which the index begins with: all that is ready would be read else.
    query = f"SELECT work_item.*, {CAUSE} FROM work_item WHERE {_LEASED} IN (?, ?, ?) ORDER BY id"
    return [
        Lease(
            item=work_item(tenant, row), failures=row["failures"], seen_at=row["updated_at"],
            lease_until=row["lease_until"], node=row["node"],
        )
        for row in db.execute(query, QUEUES).fetchall()
    ]  # fmt: skip


def extend(tx: Writer, item: WorkItem, *, node: str | None, until: Micros, at: Micros) -> None:
    """Extend the lease of an item that was seen in its queue or, with `node`, on a worker."""
    tx.execute(
        "UPDATE work_item SET lease_until = ?, node = coalesce(?, node), updated_at = ?"
        " WHERE id = ? AND attempt = ? AND state = 'leased'",
        (until, node, at, item.id, item.attempt),
    )


def give_back(
    tx: Writer, items: Sequence[WorkItem], *, not_before: Micros = 0, reason: str | None = None, at: Micros
) -> None:
    """Make leased items ready again, without counting anything against them.

    Args:
        tx: the transaction.
        items: as leased; one that has been settled or sent again is left.
        not_before: the earliest time to send them again.
        reason: what they wait for, for a person.
        at: present time.
    """
    tx.executemany(
        "UPDATE work_item SET state = 'ready', lease_until = NULL, not_before = ?, reason = ?, updated_at = ?"
        " WHERE id = ? AND attempt = ? AND state = 'leased'",
        [(not_before, reason, at, item.id, item.attempt) for item in items],
    )


def mark_done(tx: Writer, item: WorkItem, *, at: Micros) -> None:
    """Settle an item as done."""
    tx.execute(
        "UPDATE work_item SET state = 'done', lease_until = NULL, reason = NULL, updated_at = ? WHERE id = ?",
        (at, item.id),
    )


def fail_attempt(tx: Writer, item: WorkItem, *, reason: str, most: int, at: Micros) -> bool:
    """Count a failed attempt; the item becomes ready again, or failed after the last one.

    Args:
        tx: the transaction.
        item: as leased; a lease that is settled already is left.
        reason: why, for a person.
        most: how many failures end the item.
        at: present time.

    Returns:
        True when the item is failed for good now.
    """
    row = tx.execute(
        "UPDATE work_item SET failures = failures + 1, reason = ?, lease_until = NULL, updated_at = ?,"
        " state = CASE WHEN failures + 1 >= ? THEN 'failed' ELSE 'ready' END"
        " WHERE id = ? AND attempt = ? AND state = 'leased' RETURNING state",
        (reason, at, most, item.id, item.attempt),
    ).fetchone()
    return row is not None and row["state"] == "failed"


def failures_of(db: Reader | Writer, item: WorkItem) -> int:
    """Return how many attempts of an item have counted as failures."""
    return int(db.execute("SELECT failures FROM work_item WHERE id = ?", (item.id,)).fetchone()[0])


def has_tally(db: Reader | Writer, item: WorkItem) -> bool:
    """Return whether a tally counts the item."""
    row = db.execute("SELECT tally_id FROM work_item WHERE id = ?", (item.id,)).fetchone()
    return row["tally_id"] is not None


def count_down(tx: Writer, item: WorkItem) -> Fired | None:
    """Count a settled item in its tally.

    Args:
        tx: the transaction that settles the item.
        item: which.

    Returns:
        The tally when this item was its last; None otherwise, and when no tally counts the item.
    """
    row = tx.execute(
        "UPDATE tally SET remaining = remaining - 1"
        " WHERE id = (SELECT tally_id FROM work_item WHERE id = ?) RETURNING *",
        (item.id,),
    ).fetchone()
    if row is None or row["remaining"] > 0:
        return None
    return Fired(job_id=row["job_id"], continuation=row["continuation"], payload=json.loads(row["payload"]))


def writer_has_work(db: Reader, *, before: Micros) -> bool:
    """Return whether a request or a ready candidate older than `before` waits for the writer, or files to be purged."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM request WHERE state = 'waiting' AND recorded_at <= ?)"
        " OR EXISTS (SELECT 1 FROM candidate WHERE state <> 'settled' AND state = 'ready' AND recorded_at <= ?"
        " AND generation_id = (SELECT id FROM generation WHERE state = 'serving'))"
        " OR EXISTS (SELECT 1 FROM erasure WHERE state = 'purging' AND coalesce(tried_at, 0) + ? <= ?)"
    )
    return bool(db.execute(query, (before, before, PURGE_AGAIN_MICROS, before)).fetchone()[0])
