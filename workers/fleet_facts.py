"""Adapter of the port `FleetPort`: what the host publishes to the nodes, and what their agents report."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import cast

from redis import Redis
from redis.exceptions import RedisError

from memory.errors import BrokerDown, InvalidInput
from memory.fleet import NodeReport
from nodeagent.report import NODE, decode

log = logging.getLogger(__name__)


class RedisFleet:
    """Keys of the broker."""

    def __init__(self, client: Redis) -> None:
        """Keep the client.

        Args:
            client: one of `workers.transport.connect`.
        """
        self._client = client

    def publish(self, key: str, text: str) -> None:
        """Keep a text under a key, in place of the one before.

        Args:
            key: `paused` or `inventory`.
            text: JSON.

        Raises:
            BrokerDown: it was not kept.
        """
        try:
            self._client.set(key, text)
        except RedisError as error:
            raise BrokerDown() from error

    def published(self, key: str) -> str | None:
        """Return what is kept under a key.

        Args:
            key: `paused` or `inventory`.

        Returns:
            The text; None when there is nothing.

        Raises:
            BrokerDown: it cannot be reached.
        """
        try:
            found = cast("bytes | None", self._client.get(key))
        except RedisError as error:
            raise BrokerDown() from error
        return None if found is None else found.decode(errors="replace")

    def hold(self, key: str, holder: str, seconds: float) -> str:
        """Take or keep a key for a time, unless somebody else has it.

        Args:
            key: of `services.host_seat`.
            holder: who wants it.
            seconds: how long it is kept.

        Returns:
            Who has it then.

        Raises:
            BrokerDown: it cannot be reached.
        """
        life = round(seconds * 1000)
        try:
            self._client.set(key, holder, nx=True, px=life)
            found = cast("bytes | None", self._client.get(key))
            if found == holder.encode():
                self._client.pexpire(key, life)
        except RedisError as error:
            raise BrokerDown() from error
        # It may have ended between the two; whoever wants it asks again soon.
        return holder if found is None else found.decode(errors="replace")

    def release(self, key: str, holder: str) -> None:
        """Give up a key that is held.

        Args:
            key: of `hold`.
            holder: who has it; another's is left alone.

        Raises:
            BrokerDown: it goes by itself a little later.
        """
        try:
            if self._client.get(key) == holder.encode():
                self._client.delete(key)
        except RedisError as error:
            raise BrokerDown() from error

    def reports(self) -> Mapping[str, NodeReport]:
        """Return what the agents said last.

        Returns:
            Reports by node; one that cannot be read is left out, as if its agent were silent, and logged.

        Raises:
            BrokerDown: it cannot be reached.
        """
        try:
            keys = sorted(self._client.scan_iter(match=f"{NODE}*", count=1000))
            texts = cast("list[bytes | None]", self._client.mget(keys)) if keys else []
        except RedisError as error:
            raise BrokerDown() from error
        read: dict[str, NodeReport] = {}
        for key, text in zip(keys, texts, strict=True):
            if text is None:
                continue
            name = key.decode(errors="replace")[len(NODE) :]
            try:
                read[name] = decode(text)
            except InvalidInput as error:
                log.warning("node %s: %s", name, error)
        return read
