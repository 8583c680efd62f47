"""`wait: true`: hold the answer until the job has ended, for a while and for a few callers at a time."""

from __future__ import annotations

from typing import Any

from api import render
from api.context import host, limits
from api.reply import Reply
from memory.records import Accepted, Scope
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
    if not wait or accepted.job_id is None:
        return {**render.accepted(accepted), **more}, 202
    with limits().waiting() as held:
        seconds = host().settings.wait_seconds if held else 0.0
        job = jobs.wait(scope, host(), accepted.job_id, seconds=seconds)
    return {**render.finished(accepted, job), **more}, 202 if job.is_open else 200
