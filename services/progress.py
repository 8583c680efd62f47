"""How a job goes on, as it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from memory.records import Job, Scope
from services import jobs
from services.host import Host

# Often enough for a person who watches; a look takes well under a millisecond.
LOOK_SECONDS = 0.25


def watch(
    scope: Scope, host: Host, job_id: str, *, seconds: float, pause: Callable[[float], None] = time.sleep
) -> Iterator[Job | None]:
    """Yield a job as it is, each time it is another, and None after each look at which it was the same.

    Args:
        scope: whose job.
        host: the truth plane's adapters.
        job_id: which.
        seconds: the longest watch.
        pause: waits between two looks.

    Yields:
        The job; the last one has ended, unless the time was over before.

    Raises:
        NotFound: there is none in the scope's spaces, or not any more.
    """
    until = time.monotonic() + seconds
    shown: Job | None = None
    while True:
        job = jobs.get(scope, host, job_id)
        changed = job != shown
        shown = job
        yield job if changed else None
        if not job.is_open or time.monotonic() >= until:
            return
        pause(LOOK_SECONDS)
