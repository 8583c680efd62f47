"""The Celery app: queues, and the settings that make Redis a transport one can rely on.

Celery is only asked to carry messages. Results, retries, fan-in and "later" live in the store: see
`docs/decisions/0001-truth-in-sqlite-transport-in-redis.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from celery import Celery
from kombu.entity import Exchange, Queue

from memory.ports import QUEUES
from memory.settings import Settings
from workers import redis_transport
from workers.address import celery_url

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# At least three times the longest task, so that nothing is delivered again while it runs.
VISIBILITY_SECONDS = 1800
# Must exceed the second that a worker's blocking pop lasts.
WORKER_SOCKET_SECONDS = 15.0
# A caller is told within about a second that the broker does not answer.
SENDER_SOCKET_SECONDS = 1.0


def make_app(settings: Settings) -> Celery:
    """Make the app of a worker process.

    Args:
        settings: of this process.

    Returns:
        An app without tasks and without a result backend.
    """
    return _app(settings, socket_seconds=WORKER_SOCKET_SECONDS)


def make_sender(settings: Settings) -> Celery:
    """Make an app that only sends, and gives up quickly.

    Args:
        settings: of this process.

    Returns:
        An app without tasks and without a result backend.
    """
    return _app(settings, socket_seconds=SENDER_SOCKET_SECONDS)


def task(
    app: Celery, name: str, **options: Any
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Register a function as a task of this app alone: `@app.task` with types.

    Args:
        app: the worker's app.
        name: the explicit task name, e.g. `embed.texts`.
        **options: Celery's.

    Returns:
        A decorator that leaves the function's type as it was.
    """
    return cast(
        "Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]",
        app.task(name=name, shared=False, **options),
    )


def _app(settings: Settings, *, socket_seconds: float) -> Celery:
    redis_transport.use()
    # set_as_current would make the last app of a process everybody's default.
    app = Celery("memlane", set_as_current=False, broker=celery_url(settings), fixups=[])
    app.conf.update(
        task_queues=[_queue(name) for name in QUEUES],
        task_default_queue="host",
        task_create_missing_queues=False,  # a misspelt name must not make a queue that nobody reads
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        result_expires=600,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_acks_on_failure=True,
        task_acks_on_timeout=True,
        task_publish_retry=False,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_consumer="workers.consumer:QuickConsumer",
        worker_enable_remote_control=False,  # its reply queues and subscriptions are load without a reader
        worker_send_task_events=bool(settings.task_events),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_pool_limit=10,
        broker_transport_options=_transport_options(socket_seconds),
        beat_max_loop_interval=5,
    )
    return app


def _queue(name: str) -> Any:
    # Without its own exchange and routing key a queue gets those of the default queue.
    exchange: Any = Exchange(name, type="direct")  # type: ignore[no-untyped-call]
    # A question that a dead worker held is of no use to another: whoever asked has long gone to a server directly.
    no_ack = name == "interactive"
    return Queue(name, exchange, routing_key=name, no_ack=no_ack)  # type: ignore[no-untyped-call]


def _transport_options(socket_seconds: float) -> dict[str, Any]:
    return {
        "max_retries": 0,  # of a connection; else a sender tries for 4 s before it says that the broker is down
        "visibility_timeout": VISIBILITY_SECONDS,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "health_check_interval": 10,
        "socket_keepalive": True,
        "socket_timeout": socket_seconds,
        "socket_connect_timeout": min(5.0, socket_seconds),
    }
