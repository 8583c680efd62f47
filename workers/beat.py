"""The clock's ticks: which tasks are sent how often. Two beats are harmless, because a tick carries its time slot."""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from typing import Any

from celery import Celery
from celery.beat import BeatLazyFunc, Service

from memory.settings import Settings

CHECKPOINT_SECONDS = 60.0


def schedule(settings: Settings) -> Mapping[str, Mapping[str, Any]]:
    """Return Celery's beat schedule.

    Args:
        settings: `sweep_seconds` and `time_factor`.

    Returns:
        Entries by task name.
    """
    return {
        "ledger.sweep": _entry("ledger.sweep", settings.sweep_seconds / settings.time_factor),
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


def run_beat(app: Celery, settings: Settings) -> None:
    """Send ticks until SIGTERM or SIGINT.

    Args:
        app: the process's app.
        settings: of this process.
    """
    app.conf.beat_schedule = dict(schedule(settings))
    service = Service(app, scheduler_cls=app.conf.beat_scheduler)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    service.start()  # returns on SystemExit


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
