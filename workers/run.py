"""Runs one worker process from start to end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery.signals import setup_logging

from memory.settings import Settings
from workers.announcing import announce
from workers.app import make_app
from workers.consumer import consume_while
from workers.heartbeat import heartbeat_key, start_heartbeat, watch_queue_wait
from workers.in_flight import InFlight
from workers.lanes import Lane, Process, prepare
from workers.logs import follow_requests
from workers.transport import RedisReplies, connect, make_queue

log = logging.getLogger(__name__)


def run(lane: str, settings: Settings) -> int:
    """Run a worker until SIGTERM or SIGINT; running tasks are finished first.

    Args:
        lane: interactive, background, host or reconcile.
        settings: of this process.

    Returns:
        The exit code.
    """
    # A receiver of this signal keeps Celery from setting up its own logs.
    setup_logging.connect(_keep_logs)
    app = make_app(settings)
    client = connect(settings)
    keep = settings.lease_seconds / settings.time_factor
    process = Process(
        settings=settings,
        app=app,
        client=client,
        queue=make_queue(settings),
        replies=RedisReplies(client),
        in_flight=InFlight(client, worker=f"{lane}@{settings.node}", keep_seconds=keep),
    )
    return work(lane, process, prepare(lane, process))


def work(queue: str, process: Process, lane: Lane) -> int:
    """Consume a queue until told to stop.

    Args:
        queue: its name.
        process: the process's parts, with tasks registered.
        lane: how the worker runs.

    Returns:
        The exit code.
    """
    state = _Consuming(process.in_flight.worker, lane.wanted)
    beat = start_heartbeat(
        process.client, process.in_flight, slots=lane.slots, consuming=lambda: state.on, condition=lane.condition
    )
    state.changed = beat.hurry
    lane.tell(beat.hurry)
    process.app.steps["consumer"].add(consume_while(queue, state.wanted))
    watch_queue_wait(process.in_flight, process.client)
    follow_requests()
    worker = _worker(queue, process, lane)
    try:
        worker.start()
    finally:
        _end(process, (beat.stop, *lane.at_end, lambda: process.client.delete(heartbeat_key(process.in_flight.worker))))
    return int(worker.exitcode or 0)


class _Consuming:
    """Whether the worker takes work; says so once."""

    def __init__(self, worker: str, wanted: Callable[[], bool]) -> None:
        self.on = False
        self._worker = worker
        self._wanted = wanted
        self._said = False
        self.changed: Callable[[], None] = lambda: None

    def wanted(self) -> bool:
        before, self.on = self.on, False
        try:
            # What raises here leaves the queue switched off, so the heartbeat must not say otherwise.
            self.on = self._wanted()
        finally:
            if before != self.on:
                self.changed()
        if self.on and not self._said:
            self._said = True
            announce(self._worker)
        return self.on


def _worker(queue: str, process: Process, lane: Lane) -> Any:
    return process.app.Worker(
        hostname=process.in_flight.worker,
        pool_cls=lane.pool,
        concurrency=lane.slots,
        queues=[queue, *lane.beside],
        loglevel="INFO",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=not process.settings.task_events,  # Flower lists workers by it
    )


def _end(process: Process, actions: tuple[Callable[[], object], ...]) -> None:
    for action in actions:
        try:
            action()
        except Exception as error:
            # One part that cannot be closed must not keep the others open.
            log.warning("ending %s: %r", process.in_flight.worker, error)


def _keep_logs(**_: Any) -> None:
    return None
