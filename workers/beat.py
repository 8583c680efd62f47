"""The clock's ticks: which tasks are sent how often. Two beats are harmless, because a tick carries its time slot."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Mapping
from typing import Any

from celery.beat import BeatLazyFunc, ScheduleEntry, Scheduler, SchedulingError, Service

from memory.settings import Settings
from workers.announcing import announce
from workers.app import make_app

log = logging.getLogger(__name__)

CHECKPOINT_SECONDS = 60.0
# A change of the pause file is to reach every worker within 5 s; each looks once a second.
WATCH_SECONDS = 2.0
# Reads leave out what is past its time by themselves; this is how long it may stay in the lists of what is live.
EXPIRE_SECONDS = 60.0
# New memories are in their buckets soon enough; each look reads a few rows.
BUCKET_SECONDS = 15.0


class MemoryScheduler(Scheduler):  # type: ignore[misc]
    """Celery's scheduler without a file, which says once per outage that it cannot send."""

    failing = False

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send a tick; one that cannot be sent is left out.

        Args:
            entry: what is due.
            producer: of the scheduler's connection.
        """
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            if not self.failing:
                log.warning("ticks cannot be sent: %s", error)
            self.failing = True
        else:
            self.failing = False


def schedule(settings: Settings) -> Mapping[str, Mapping[str, Any]]:
    """Return Celery's beat schedule.

    Args:
        settings: `sweep_seconds` and `time_factor`.

    Returns:
        Entries by task name.
    """
    return {
        "ledger.sweep": _entry("ledger.sweep", settings.sweep_seconds / settings.time_factor),
        "node.watch": _entry("node.watch", WATCH_SECONDS / settings.time_factor),
        "bucket.fill": _entry("bucket.fill", BUCKET_SECONDS / settings.time_factor),
        "memory.expire": _entry("memory.expire", EXPIRE_SECONDS / settings.time_factor),
        "store.checkpoint": _entry("store.checkpoint", CHECKPOINT_SECONDS),
    }


def slot(seconds: float, now: float) -> int:
    """Return the number of the time slot that a moment lies in; every beat counts alike.

    Args:
        seconds: length of a slot.
        now: seconds since the epoch.

    Returns:
        The number of whole slots since the epoch.
    """
    return int(now // seconds)


def run_beat(settings: Settings) -> int:
    """Send ticks until SIGTERM or SIGINT.

    Args:
        settings: of this process.

    Returns:
        The exit code.
    """
    app = make_app(settings)
    app.conf.beat_schedule = dict(schedule(settings))
    service = Service(app, scheduler_cls=MemoryScheduler)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    announce(f"beat@{settings.node}")
    service.start()  # returns on SystemExit
    return 0


def _leave(number: int, frame: object) -> None:
    raise SystemExit(0)


def _entry(task: str, seconds: float) -> Mapping[str, Any]:
    return {
        "task": task,
        "schedule": seconds,
        "kwargs": {"slot": BeatLazyFunc(lambda: slot(seconds, time.time()))},
        # Ticks must not pile up behind a long task.
        "options": {"queue": "host", "expires": 2 * seconds},
    }
