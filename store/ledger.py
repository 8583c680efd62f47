"""What is owed: jobs, their work items and the tallies that count them; `store.sendings` has the items' leases."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from memory.errors import NotFound
from memory.records import Job, JobState, Micros, Page, Paging, Scope, WorkItem
from store import job_bounds
from store.connection import Reader, Writer
from store.paging import keyset

# While a job is open, what its items wait for (a model server that does not answer) shows as its warning.
_JOB = """
SELECT job.*, space.name AS space,
    (SELECT count(*) FROM work_item WHERE job_id = job.id) AS items_total,
    (SELECT count(*) FROM work_item WHERE job_id = job.id AND state = 'done') AS items_done,
    (SELECT count(*) FROM work_item WHERE job_id = job.id AND state = 'failed') AS items_failed,
    (SELECT max(reason) FROM work_item WHERE job_id = job.id AND state = 'ready') AS waits_for,
    (SELECT json_object(
        'groups', count(*), 'attempts', sum(attempt), 'facts', sum(coalesce(json_extract(payload, '$.found.facts'), 0)),
        'refused', sum(coalesce(json_extract(payload, '$.found.refused_in_all'), 0)),
        'bad_answers', sum(coalesce(json_extract(payload, '$.found.bad'), 0)),
        'cut', sum(coalesce(json_extract(payload, '$.found.cut'), 0)))
     FROM work_item WHERE job_id = job.id AND task = 'extract.group' AND queue = 'background'
     HAVING count(*) > 0) AS extraction
FROM job JOIN space ON space.id = job.space_id
"""


# Of the job of an item, beside the item's own columns.
CAUSE = "(SELECT caused_by FROM job WHERE job.id = work_item.job_id) AS caused_by"


def add_job(
    tx: Writer,
    *,
    id: str,
    space_id: int,
    kind: str,
    document_id: str | None = None,
    revision: int | None = None,
    session_id: str | None = None,
    caused_by: str | None = None,
    at: Micros,
) -> None:
    """Add a queued job.

    Args:
        tx: the transaction that accepts what is owed.
        id: job_...
        space_id: the space's number.
        kind: document or conversation.
        document_id: of a document job.
        revision: of a document job, 1-based.
        session_id: of a conversation job.
        caused_by: id of the request that it comes from; None when nobody asked for it.
        at: present time.
    """
    tx.execute(
        "INSERT INTO job"
        " (id, space_id, kind, state, document_id, revision, session_id, caused_by, created_at, updated_at)"
        " VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)",
        (id, space_id, kind, document_id, revision, session_id, caused_by, at, at),
    )


def add_items(
    tx: Writer,
    *,
    job_id: str,
    task: str,
    queue: str,
    payloads: Sequence[Mapping[str, Any]],
    continuation: str | None,
    tally_payload: Mapping[str, Any] | None = None,
    at: Micros,
) -> None:
    """Add ready items, counted by one tally when there is a continuation.

    Args:
        tx: the transaction.
        job_id: whose items they are.
        task: explicit task name.
        queue: host, background or fetch.
        payloads: one small JSON object an item: ids, never texts. With `"dream": true` it waits for all others.
        continuation: name of what runs when every item is done or failed. With no payloads nothing is added and the
            caller runs it.
        tally_payload: JSON handed to the continuation.
        at: present time.
    """
    tally_id = None
    if continuation is not None and payloads:
        tally_id = tx.execute(
            "INSERT INTO tally (job_id, remaining, continuation, payload) VALUES (?, ?, ?, ?)",
            (job_id, len(payloads), continuation, json.dumps(tally_payload or {})),
        ).lastrowid
    tx.executemany(
        "INSERT INTO work_item (job_id, tally_id, task, queue, payload, state, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, 'ready', ?, ?)",
        [(job_id, tally_id, task, queue, json.dumps(payload), at, at) for payload in payloads],
    )


def get_job(db: Reader | Writer, job_id: str) -> Job:
    """Return a job by its id, of whichever space.

    Raises:
        NotFound: there is none.
    """
    row = db.execute(f"{_JOB} WHERE job.id = ?", (job_id,)).fetchone()
    if row is None:
        raise NotFound(f"No job has the id {job_id}.")
    return _job(row)


def state_of(db: Reader | Writer, job_id: str) -> JobState:
    """Return a job's state, without counting its items.

    Raises:
        NotFound: there is none.
    """
    row = db.execute("SELECT state FROM job WHERE id = ?", (job_id,)).fetchone()
    if row is None:
        raise NotFound(f"No job has the id {job_id}.")
    state: JobState = row["state"]
    return state


def find_job(scope: Scope, db: Reader | Writer, job_id: str) -> Job:
    """Return a job of the scope's spaces.

    Raises:
        NotFound: there is none in them.
    """
    visible, values = job_bounds.visible(scope, db)
    row = db.execute(f"{_JOB} WHERE job.id = ? AND {visible}", (job_id, *values)).fetchone()
    if row is None:
        raise NotFound(f"No job has the id {job_id}.")
    return _job(row)


def list_jobs(scope: Scope, db: Reader, *, state: JobState | None, **paging: Unpack[Paging]) -> Page[Job]:
    """Return one page of the scope's jobs, newest first.

    Args:
        scope: whose spaces.
        db: the store.
        state: only jobs in this state.
        **paging: which page.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    visible, arguments = job_bounds.visible(scope, db)
    where = [visible]
    if state is not None:
        where.append("job.state = ?")
        arguments.append(state)
    return keyset(
        db, _JOB, "job", where, arguments, column="job.created_at", key="job.id", order="desc", make=_job,
        **paging,
    )  # fmt: skip


def finish_job(
    tx: Writer, job_id: str, *, state: JobState, reason: str | None = None, warning: str | None = None, at: Micros
) -> bool:
    """End an open job; items it still has out are cancelled.

    Args:
        tx: the transaction.
        job_id: which.
        state: done, partial, failed or cancelled.
        reason: why, for a person.
        warning: what is missing although it is done.
        at: present time.

    Returns:
        False when the job had ended before; nothing is changed then.
    """
    ended = tx.execute(
        "UPDATE job SET state = ?, reason = ?, warning = ?, updated_at = ?, finished_at = ?"
        " WHERE id = ? AND state IN ('queued', 'running')",
        (state, reason, warning, at, at, job_id),
    )
    if ended.rowcount == 0:
        return False
    tx.execute(
        "UPDATE work_item SET state = 'cancelled', lease_until = NULL, updated_at = ?"
        " WHERE job_id = ? AND state IN ('ready', 'leased')",
        (at, job_id),
    )
    return True


def cancel_job(tx: Writer, job_id: str, *, reason: str, at: Micros) -> bool:
    """Cancel an open job: what is committed stays, and the reason says how much that is.

    Args:
        tx: the transaction.
        job_id: which.
        reason: why, the beginning of a sentence.
        at: present time.

    Returns:
        False when the job had ended before.
    """
    job = get_job(tx, job_id)
    kept = f"{reason}; {job.items_done} of {job.items_total} work items were done and are kept."
    return finish_job(tx, job_id, state="cancelled", reason=kept, at=at)


def reopen_job(tx: Writer, job_id: str, *, at: Micros) -> int:
    """Queue an ended job again with its failed and cancelled items; the tallies of failed ones will run again.

    Args:
        tx: the transaction.
        job_id: which.
        at: present time.

    Returns:
        How many items are to be done again.
    """
    tx.execute(
        "UPDATE job SET state = 'queued', reason = NULL, warning = NULL, finished_at = NULL,"
        " updated_at = ? WHERE id = ?",
        (at, job_id),
    )
    # A cancelled item was never counted, so its tally still waits for it.
    tx.execute(
        "UPDATE tally SET remaining = remaining + (SELECT count(*) FROM work_item"
        " WHERE tally_id = tally.id AND state = 'failed') WHERE job_id = ?",
        (job_id,),
    )
    again = tx.execute(
        "UPDATE work_item SET state = 'ready', failures = 0, not_before = 0, reason = NULL, updated_at = ?"
        " WHERE job_id = ? AND state IN ('failed', 'cancelled')",
        (at, job_id),
    )
    return again.rowcount


def open_items(db: Reader | Writer, job_id: str) -> int:
    """Return how many items of a job are ready or out."""
    query = "SELECT count(*) FROM work_item WHERE job_id = ? AND state IN ('ready', 'leased')"
    return int(db.execute(query, (job_id,)).fetchone()[0])


def open_jobs_of(db: Reader | Writer, document_id: str) -> list[str]:
    """Return the ids of a document's open jobs, oldest first."""
    query = "SELECT id FROM job WHERE document_id = ? AND state IN ('queued', 'running') ORDER BY created_at, id"
    return [row["id"] for row in db.execute(query, (document_id,)).fetchall()]


def first_reason(db: Reader | Writer, job_id: str) -> str | None:
    """Return why the first failed item of a job failed; None when none did."""
    query = "SELECT reason FROM work_item WHERE job_id = ? AND state = 'failed' ORDER BY id LIMIT 1"
    row = db.execute(query, (job_id,)).fetchone()
    return row["reason"] if row is not None else None


def leased(db: Reader | Writer, tenant: str, item_id: int, attempt: int) -> WorkItem | None:
    """Return an item if this attempt holds its lease; None for a late, repeated or unknown one.

    Args:
        db: the tenant's file.
        tenant: its name.
        item_id: which item.
        attempt: the sending that somebody reports on.
    """
    query = f"SELECT work_item.*, {CAUSE} FROM work_item WHERE id = ? AND attempt = ? AND state = 'leased'"
    row = db.execute(query, (item_id, attempt)).fetchone()
    return work_item(tenant, row) if row is not None else None


def work_item(tenant: str, row: Mapping[str, Any]) -> WorkItem:
    """Read an item's row, which has `CAUSE` too."""
    return WorkItem(
        id=row["id"], tenant=tenant, job_id=row["job_id"], task=row["task"], queue=row["queue"],
        payload=json.loads(row["payload"]), attempt=row["attempt"], caused_by=row["caused_by"],
    )  # fmt: skip


def _job(row: Mapping[str, Any]) -> Job:
    is_open = row["state"] in ("queued", "running")
    return Job(
        id=row["id"], space=row["space"], kind=row["kind"], state=row["state"], document_id=row["document_id"],
        revision=row["revision"], session_id=row["session_id"], reason=row["reason"],
        warning=row["warning"] or (row["waits_for"] if is_open else None), items_total=row["items_total"],
        items_done=row["items_done"], items_failed=row["items_failed"], created_at=row["created_at"],
        updated_at=row["updated_at"], finished_at=row["finished_at"],
        extraction=json.loads(row["extraction"]) if row["extraction"] else None,
    )  # fmt: skip
