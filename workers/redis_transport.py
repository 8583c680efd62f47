"""Kombu's Redis transport without redis-py's own retries, and with the broker's clock instead of each worker's.

redis-py retries a refused connection after 1, 2 and 4 seconds, inside the call: a sender hears late that the broker is
down, and an acknowledgement holds up a worker's whole event loop. Kombu and the consumer retry by themselves.

Kombu dates a message that is worked on by the worker's clock and gives it to others by theirs: a node whose clock is an
hour ahead would give away everybody's work every few seconds.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual
from kombu.utils.json import dumps
from redis.backoff import NoBackoff
from redis.retry import Retry

from workers.broker_clock import BrokerClock

# Messages given back in one look, the latest of those that are due first; Kombu's own number.
RESTORED_AT_ONCE = 10


class QoS(redis.QoS):
    """What a worker has taken and not yet acknowledged, dated by the broker's clock."""

    def __init__(self, channel: Any, prefetch_count: int = 0) -> None:
        """Begin with nothing taken.

        Args:
            channel: Kombu's.
            prefetch_count: as Kombu's.
        """
        super().__init__(channel, prefetch_count)  # type: ignore[no-untyped-call]
        self._clock = BrokerClock()

    def append(self, message: Any, delivery_tag: str) -> None:
        """Note that a message was taken.

        Args:
            message: Kombu's, just popped.
            delivery_tag: of the message.
        """
        route = message.delivery_info
        noted = dumps([message._raw, route["exchange"], route["routing_key"]])  # type: ignore[no-untyped-call]
        with self.channel.conn_or_acquire() as client:
            pipe = client.pipeline()
            pipe.zadd(self.unacked_index_key, {delivery_tag: self._clock.seconds(client)})
            pipe.hset(self.unacked_key, delivery_tag, noted)
            pipe.execute()
        virtual.QoS.append(self, message, delivery_tag)  # type: ignore[no-untyped-call]

    def ack(self, delivery_tag: str) -> None:
        """Forget a message that was noted; one of a queue without acknowledgements never was.

        Kombu would keep the tag of such a one for ever.

        Args:
            delivery_tag: of the message.
        """
        if delivery_tag in self._delivered:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]

    def restore_visible(self, start: int = 0, num: int = RESTORED_AT_ONCE, interval: int = 10) -> None:
        """Put back what was taken longer ago than the visibility timeout, unless another worker does so just now.

        Args:
            start: how many of those that are due to leave out.
            num: how many to put back at most; 0 for all.
            interval: of so many calls, one looks.
        """
        self._vrestore_count += 1
        if (self._vrestore_count - 1) % (interval or 1):
            return
        with self.channel.conn_or_acquire() as client:
            due = self._clock.seconds(client) - self.visibility_timeout
            try:
                with redis.Mutex(client, self.unacked_mutex_key, self.unacked_mutex_expire):
                    tags = client.zrange(
                        self.unacked_index_key, due, 0, desc=True, byscore=True, offset=num and start, num=num
                    )
                    for tag in tags:
                        self.restore_by_tag(tag, client)  # type: ignore[no-untyped-call]
            except redis.MutexHeld:
                return


class Channel(redis.Channel):
    """A channel whose connections fail at once, and whose messages are dated by the broker."""

    QoS = QoS

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[no-untyped-call]
        return {**parameters, "retry": Retry(NoBackoff(), 0)}

    def _create_client(self, asynchronous: bool = False) -> Any:
        # A client only borrows connections from its pool, yet making one costs 0.15 ms; Kombu makes three a message.
        if asynchronous:
            return super()._create_client(asynchronous=True)  # type: ignore[no-untyped-call]
        kept = self.__dict__.get("_kept")
        if kept is None or kept.connection_pool is not self.pool:
            kept = self._kept = super()._create_client()  # type: ignore[no-untyped-call]
        return kept


class Transport(redis.Transport):
    """A transport that makes such channels."""

    Channel = Channel


def use() -> None:
    """Make every `redis://`, `rediss://` and `redis+socket://` broker of this process use this transport."""
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
