"""`wait: true`: hold the answer until the job has ended, for a while and for a few callers at a time."""

from __future__ import annotations

from typing import Any

from api import render
from api.context import host, limits
from api.reply import Reply
from memory.errors import NotFound
from memory.records import Accepted, Job, Scope
from services import jobs


def settled(scope: Scope, accepted: Accepted, *, wait: bool, **more: Any) -> Reply:
    """Answer for something accepted: 200 when its job has ended, else 202.

    Args:
        scope: of the write.
        accepted: what was accepted.
        wait: whether the caller wants to wait; when too many wait already, nobody is made to.
        **more: further fields of the answer.

    Returns:
        The answer with its status.
    """
    job = waited(scope, accepted.job_id, wait=wait)
    if job is None:
        return {**render.accepted(accepted), **more}, 202
    return {**render.finished(accepted, job), **more}, 202 if job.is_open else 200


def waited(scope: Scope, job_id: str | None, *, wait: bool) -> Job | None:
    """Return the job after waiting for its end, for as long as a caller may; None when nobody waits.

    Args:
        scope: of the write.
        job_id: None: there is nothing to wait for.
        wait: whether the caller wants to.
    """
    if not wait or job_id is None:
        return None
    with limits().waiting() as held:
        try:
            return jobs.wait(scope, host(), job_id, seconds=host().settings.wait_seconds if held else 0.0)
        except NotFound:
            # It was accepted, and somebody has erased it since.
            return None
