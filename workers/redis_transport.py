"""Kombu's Redis transport without redis-py's own retries.

redis-py retries a refused connection after 1, 2 and 4 seconds, inside the call: a sender hears late that the broker is
down, and an acknowledgement holds up a worker's whole event loop. Kombu and the consumer retry by themselves.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis
from redis.backoff import NoBackoff
from redis.retry import Retry


class Channel(redis.Channel):
    """A channel whose connections fail at once."""

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
