"""Adapters of the ports `Queue` and `Replies` on Celery and Redis; a dead broker is reported within about a second."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, cast

from celery import Celery
from kombu.exceptions import OperationalError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry

from memory.errors import BrokerDown
from memory.records import Micros
from memory.settings import Settings
from services import request_ids
from workers.address import redis_url
from workers.app import make_sender
from workers.broker_clock import BrokerClock

# One blocking pop lasts this long at most, so that the socket's time-out can notice a broker that hangs.
POP_SECONDS = 0.5
REPLY_SOCKET_SECONDS = 1.5
# What of a payload may be shown. Celery shows all of it unless it is told what to show.
SHOWN = ("tenant", "item", "attempt", "slot")
# A failure that took longer than this was not a stale connection.
STALE_SECONDS = 0.2


class CeleryQueue:
    """Sends tasks by name."""

    def __init__(self, app: Celery) -> None:
        """Keep the app.

        Args:
            app: one of `workers.app.make_sender`.
        """
        self._app = app
        self._clock = BrokerClock()

    def send(self, task: str, payload: Mapping[str, Any], *, queue: str) -> None:
        """Send a task by its explicit name.

        The headers carry when it was sent, by the broker's clock, which attempt of which item it is, and the request of
        a caller that it is for.

        Args:
            task: e.g. `embed.texts`.
            payload: keyword arguments, JSON.
            queue: one of `memory.ports.QUEUES`.

        Raises:
            BrokerDown: nothing was sent.
        """
        began = time.monotonic()
        try:
            self._publish(task, payload, queue=queue)
        except BrokerDown:
            # A pooled connection is stale after the broker's return, which shows at once. A broker that hangs does not.
            if time.monotonic() - began > STALE_SECONDS:
                raise
            self._publish(task, payload, queue=queue)

    def _publish(self, task: str, payload: Mapping[str, Any], *, queue: str) -> None:
        held = [payload.get(name) for name in ("tenant", "item", "attempt")]
        try:
            with self._app.producer_or_acquire() as producer, producer.channel.conn_or_acquire() as client:
                self._app.send_task(
                    task,
                    kwargs=dict(payload),
                    queue=queue,
                    headers={
                        "sent_at": self._clock.seconds(client),
                        "held": held,
                        "request_id": request_ids.current(),
                    },
                    retry=False,
                    declare=(),  # a message goes to its queue by name, which its workers declare
                    argsrepr="()",
                    kwargsrepr=shown(payload),
                    producer=producer,
                )
        except (OperationalError, RedisError, OSError) as error:
            raise BrokerDown() from error


def shown(payload: Mapping[str, Any]) -> str:
    """Return what logs, events and Flower show of a payload: whose it is, never a text, a vector or an error's words.

    Args:
        payload: of a task.

    Returns:
        Such as `tenant=default item=12 attempt=1`; empty when it belongs to no work item.
    """
    return " ".join(f"{name}={payload[name]}" for name in SHOWN if isinstance(payload.get(name), (str, int)))


class RedisReplies:
    """Reply lists and the broker's clock."""

    def __init__(self, client: Redis) -> None:
        """Keep the client.

        Args:
            client: one of `connect`.
        """
        self._client = client
        self._clock = BrokerClock()

    def now(self) -> Micros:
        """Return the broker's time.

        Returns:
            Microseconds since the epoch, UTC.

        Raises:
            BrokerDown: it cannot be reached.
        """
        try:
            return round(self._clock.seconds(self._client) * 1_000_000)
        except RedisError as error:
            raise BrokerDown() from error

    def wait(self, reply: str, *, seconds: float) -> Mapping[str, Any]:
        """Return the answer pushed to a reply list.

        Args:
            reply: the list's key.
            seconds: how long to wait at most.

        Returns:
            The answer, a JSON object.

        Raises:
            TimeoutError: nothing came in time.
            BrokerDown: the broker went away meanwhile.
        """
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                # A timeout of 0 would wait for ever.
                found = self._client.blpop([reply], timeout=max(0.01, min(POP_SECONDS, left)))
            except RedisError as error:
                raise BrokerDown() from error
            if found is not None:
                return cast("Mapping[str, Any]", json.loads(cast("tuple[bytes, bytes]", found)[1]))
        raise TimeoutError(f"no answer within {seconds:.1f} s")

    def push(self, reply: str, answer: Mapping[str, Any], *, keep_seconds: float) -> None:
        """Push an answer, which goes by itself when nobody takes it.

        Args:
            reply: the list's key.
            answer: a JSON object.
            keep_seconds: how long the list lives.

        Raises:
            BrokerDown: nothing was pushed.
        """
        try:
            with self._client.pipeline(transaction=True) as pipe:
                pipe.rpush(reply, json.dumps(answer))
                pipe.pexpire(reply, max(1, round(keep_seconds * 1000)))
                pipe.execute()
        except RedisError as error:
            raise BrokerDown() from error


def connect(settings: Settings) -> Redis:
    """Return a client that says quickly when the broker is not there; it connects on first use.

    Args:
        settings: of this process.

    Returns:
        A thread-safe client with its own pool.
    """
    # redis-py's own default waits seconds between its retries; one more try is enough for a stale socket.
    retry = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
    return Redis.from_url(
        redis_url(settings),
        socket_timeout=REPLY_SOCKET_SECONDS,
        socket_connect_timeout=1.0,
        health_check_interval=10,
        retry=retry,
    )


def make_queue(settings: Settings) -> CeleryQueue:
    """Return the queue of this process.

    Args:
        settings: of this process.

    Returns:
        An adapter of the port `Queue`.
    """
    return CeleryQueue(make_sender(settings))
