"""Follows jobs: one line for each change until nothing is under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memlane import views
from memlane.call import Call
from memlane.http import Json

Pause = Callable[[float], None]

# Often enough to look alive, seldom enough to cost nothing.
WATCH_SECONDS = 0.5
OPEN = ("queued", "running")
BAD = ("failed", "cancelled")


def watch(call: Call, job_id: str, *, space: str | None, pause: Pause) -> int:
    """Follow one job to its end.

    Returns:
        0 when it is done, 1 when it failed or was cancelled.
    """

    def looks() -> Iterator[Sequence[Json]]:
        for job in call.client.watch_job(job_id, space=space):
            yield [job]
        # It is at its end, or the server tells nothing more by itself.
        yield from _polled(lambda: [call.client.job(job_id, space=space)], pause)

    return _follow(call, looks())


def watch_all(call: Call, *, pause: Pause, **which: Any) -> int:
    """Follow the newest jobs until none is under way.

    Returns:
        0, or 1 when one that was seen under way failed or was cancelled.
    """
    return _follow(call, _polled(lambda: call.client.jobs(**which)["jobs"], pause))


def _polled(look: Callable[[], Sequence[Json]], pause: Pause) -> Iterator[Sequence[Json]]:
    while True:
        yield look()
        pause(WATCH_SECONDS)


def _follow(call: Call, looks: Iterator[Sequence[Json]]) -> int:
    shown: dict[str, tuple[str, str]] = {}
    alone_failed = False
    for entries in looks:
        for job in entries:
            now = (str(job["state"]), views.progress(job))
            if shown.get(job["id"]) != now:
                alone_failed |= job["state"] in BAD and (job["id"] in shown or len(entries) == 1)
                shown[job["id"]] = now
                call.output.event(job, views.job_line(job))
        if not any(job["state"] in OPEN for job in entries):
            break
    return 1 if alone_failed else 0
