"""Adapter of the port `BrokerTraces`: takes messages of erased work out of the queues and has the file written anew."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, cast

from redis import Redis
from redis.exceptions import RedisError, ResponseError

from memory.errors import BrokerDown
from memory.ports import QUEUES, Held

# Messages of a queue that are read at a time.
_PAGE = 500
REWRITE_SECONDS = 30.0
_POLL_SECONDS = 0.05
# Of kombu: messages that a worker has and has not acknowledged, and when they were taken.
_UNACKED, _UNACKED_INDEX = "unacked", "unacked_index"


class RedisTraces:
    """Queues and the append-only file of a Redis or Valkey server."""

    def __init__(self, client: Redis) -> None:
        """Keep the client.

        Args:
            client: one of `workers.transport.connect`.
        """
        self._client = client

    def drop(self, gone: Callable[[Held], bool]) -> int:
        """Remove the messages of attempts that are gone; results that wait for the writer are messages too.

        Args:
            gone: whether an attempt's work item exists no more.

        Returns:
            How many were removed.

        Raises:
            BrokerDown: the broker cannot be reached.
        """
        try:
            return sum(self._drop_waiting(name, gone) for name in QUEUES) + self._drop_taken(gone)
        except RedisError as error:
            raise BrokerDown() from error

    def _drop_waiting(self, queue: str, gone: Callable[[Held], bool]) -> int:
        dropped, start = 0, 0
        while messages := cast("list[bytes]", self._client.lrange(queue, start, start + _PAGE - 1)):
            for message in messages:
                if _of(json.loads(message), gone):
                    dropped += int(self._client.lrem(queue, 1, cast("str", message)))
                else:
                    start += 1
        return dropped

    def _drop_taken(self, gone: Callable[[Held], bool]) -> int:
        dropped = 0
        for tag, carried in self._client.hscan_iter(_UNACKED, count=_PAGE):
            if _of(json.loads(carried)[0], gone):
                dropped += int(self._client.hdel(_UNACKED, tag))
                self._client.zrem(_UNACKED_INDEX, tag)
        return dropped

    def rewrite(self) -> str | None:
        """Have the append-only file written anew and wait for it.

        Returns:
            None when it was; else why not.

        Raises:
            BrokerDown: the broker cannot be reached, or did not finish in time.
        """
        try:
            return self._rewrite()
        except ResponseError as error:
            return f"the broker refuses to write its append-only file anew: {error}"
        except RedisError as error:
            raise BrokerDown() from error

    def _rewrite(self) -> str | None:
        if not self._persistence()["aof_enabled"]:
            return "the broker keeps no append-only file; what else it writes to its disk is up to its configuration"
        self._wait()
        self._client.bgrewriteaof()
        self._wait()
        status = self._persistence().get("aof_last_bgrewrite_status")
        return None if status == "ok" else f"the broker says of writing its append-only file anew: {status}"

    def _wait(self) -> None:
        until = time.monotonic() + REWRITE_SECONDS
        while True:
            state = self._persistence()
            if not state["aof_rewrite_in_progress"] and not state.get("aof_rewrite_scheduled"):
                return
            if time.monotonic() > until:
                raise BrokerDown("The broker has not finished writing its append-only file anew.")
            time.sleep(_POLL_SECONDS)

    def _persistence(self) -> dict[str, Any]:
        return self._client.info("persistence")


def _of(message: dict[str, Any], gone: Callable[[Held], bool]) -> bool:
    held = message.get("headers", {}).get("held")
    return bool(held) and held[1] is not None and gone((held[0], held[1], held[2]))
