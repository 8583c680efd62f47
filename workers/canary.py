"""The canary: a task that only says that this worker still takes work. The node's agent sends it and reads the mark.

A worker can stand still although its process and its heartbeat live: the heartbeat has a thread of its own, and what
has stopped is the consumer.
"""

from __future__ import annotations

import logging
from typing import Any

from celery import Celery
from kombu.entity import Exchange, Queue
from redis import Redis
from redis.exceptions import RedisError

from nodeagent.marks import CANARY_TASK, MARK_LIFE_SECONDS, canary_queue, encode_mark, mark_key, own_mark
from workers.app import task

log = logging.getLogger(__name__)


def register(app: Celery, client: Redis, worker: str) -> str:
    """Give the app the canary task and its queue, and say which process this worker is.

    Args:
        app: the process's app.
        client: where the mark is set.
        worker: `<lane>@<node>`.

    Returns:
        The queue that the worker has to consume beside its lane, whether or not its lane is switched on.
    """

    @task(app, CANARY_TASK)
    def node_canary(*, number: int) -> None:
        set_mark(client, worker, number)

    name = canary_queue(worker)
    exchange: Any = Exchange(name, type="direct")  # type: ignore[no-untyped-call]
    app.amqp.queues.add(Queue(name, exchange, routing_key=name))  # type: ignore[no-untyped-call]
    set_mark(client, worker, 0)
    return name


def set_mark(client: Redis, worker: str, number: int) -> None:
    """Set the mark of this process; without a broker nothing happens, for the next canary does it again.

    Args:
        client: where to.
        worker: `<lane>@<node>`.
        number: of the canary.
    """
    try:
        client.set(mark_key(worker), encode_mark(own_mark(number)), px=round(MARK_LIFE_SECONDS * 1000))
    except RedisError as error:
        log.warning("canary %d of %s is not marked: %s", number, worker, error)
