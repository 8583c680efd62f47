"""The ledger as JSON."""

from __future__ import annotations

from typing import Any

from api.render import Json, moment, present
from memory.records import Appended, Episode, Job, Session


def session(row: Session) -> Json:
    """Return a session as a list shows it."""
    return {
        "id": row.id, "conversation_id": row.conversation_id, "container_tag": row.space, "user_id": row.user,
        "agent_id": row.agent, "metadata": dict(row.metadata), "episodes": row.episodes, "job_id": row.job_id,
        "created_at": moment(row.created_at), "updated_at": moment(row.updated_at),
    }  # fmt: skip


def episode(row: Episode) -> Json:
    """Return one entry; of an erased one only its place in the chain is left."""
    return {
        "id": row.id, "session_id": row.session_id, "seq": row.index, "kind": row.kind, "role": row.role,
        "name": row.name, "content": None if row.is_erased else row.content,
        "occurred_at": moment(row.said_at, row.said_zone), "recorded_at": moment(row.recorded_at),
        "metadata": dict(row.metadata), "hash": row.chain_hash.hex(), "is_erased": row.is_erased,
    }  # fmt: skip


def appended(done: Appended, job: Job | None) -> Json:
    """Return what was appended and the job that consolidates it.

    Args:
        done: what was appended.
        job: the job as it is now, when it was waited for.
    """
    rows = [episode(one) for one in done.episodes]
    told: dict[str, Any] = {
        "id": rows[0]["id"], "session_id": done.session.id, "conversation_id": done.session.conversation_id,
        "container_tag": done.session.space, "episodes": rows, "status": job.state if job else done.status,
        "job_id": done.job_id,
    }  # fmt: skip
    return {**told, **present({"warning": (job.warning if job else None) or done.warning})}
