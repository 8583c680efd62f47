"""Adapter of the port `Scratchpads`: each is one key of the broker that goes by itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, cast

from redis import Redis
from redis.exceptions import RedisError

from memory.errors import BrokerDown, TooLarge
from memory.records import Scope
from memory.scratchpad import Note, Scratchpad, decode, encode

# PAD, a hash of whose it is, ":" and the tenant. What a caller named is in no key.
PAD = "scratchpad:"
# The same keys in a sorted set by the broker's time at which they go, so that they can be counted.
INDEX = "scratchpads:"
_PAGE = 1000
_TENANT = len(PAD) + 64 + 1  # where the tenant begins
FULL = "There are {most} scratchpads, as many as one tenant may have; they go by themselves when nobody writes to them."


class RedisScratchpads:
    """Scratchpads in a Redis or Valkey server."""

    def __init__(self, client: Redis) -> None:
        """Keep the client.

        Args:
            client: one of `workers.transport.connect`.
        """
        self._client = client

    def read(self, scope: Scope) -> Scratchpad:
        """Return the scratchpad of a session; an empty one when there is none.

        Args:
            scope: of one space, with the session.

        Raises:
            BrokerDown: the broker cannot be reached.
        """
        key = _key(scope)
        try:
            with self._client.pipeline(transaction=True) as pipe:
                pipe.get(key)
                pipe.pttl(key)
                held, left = cast("tuple[bytes | None, int]", tuple(pipe.execute()))
        except RedisError as error:
            raise BrokerDown() from error
        return Scratchpad() if held is None else Scratchpad(notes=decode(held), seconds_left=max(0, left) / 1000)

    def write(
        self, scope: Scope, change: Callable[[Sequence[Note]], Sequence[Note]], *, keep_seconds: float, most: int
    ) -> Scratchpad:
        """Change the scratchpad of a session; writers at the same time come one after the other.

        Args:
            scope: of one space, with the session.
            change: from the notes that are there to those that will be; may be called again; none: it goes.
            keep_seconds: how long it is kept from now on.
            most: scratchpads that a tenant may have.

        Returns:
            The scratchpad as it is then.

        Raises:
            TooLarge: it would be one more than `most`; also what `change` raises. Nothing was kept.
            BrokerDown: the broker cannot be reached; nothing was kept.
        """
        key, index = _key(scope), INDEX + scope.tenant
        life = max(1, round(keep_seconds * 1000))

        def changed(pipe: Any) -> Scratchpad:
            seconds, micros = pipe.time()
            now = seconds + micros / 1e6
            held = pipe.get(key)
            notes = tuple(change(() if held is None else decode(held)))
            if held is None and notes:
                pipe.watch(index)  # of two that would be the last one only one may be
                if pipe.zcount(index, now, "+inf") >= most:
                    raise TooLarge(FULL.format(most=most))
            pipe.multi()
            pipe.zremrangebyscore(index, "-inf", now)
            if notes:
                pipe.set(key, encode(notes), px=life)
                pipe.zadd(index, {key: now + life / 1000})
            else:
                pipe.delete(key)
                pipe.zrem(index, key)
            return Scratchpad(notes=notes, seconds_left=life / 1000 if notes else None)

        try:
            # redis-py says of `changed` that it returns nothing, and hands on what it returns.
            told = cast("Callable[[Any], None]", changed)
            return cast("Scratchpad", self._client.transaction(told, key, value_from_callable=True))
        except RedisError as error:
            raise BrokerDown() from error

    def clear(self, tenant: str) -> int:
        """Remove every scratchpad of a tenant.

        Args:
            tenant: whose.

        Returns:
            How many were removed.

        Raises:
            BrokerDown: the broker cannot be reached.
        """
        # A pattern could not name the tenant: there may be characters in it that mean something there.
        own = tenant.encode()
        try:
            keys = [one for one in self._client.scan_iter(match=f"{PAD}*", count=_PAGE) if one[_TENANT:] == own]
            removed = sum(self._client.delete(one) for one in keys)
            self._client.delete(INDEX + tenant)
        except RedisError as error:
            raise BrokerDown() from error
        return removed


def _key(scope: Scope) -> str:
    named = json.dumps([scope.space, scope.user, scope.agent, scope.session], ensure_ascii=False)
    return f"{PAD}{hashlib.sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()}:{scope.tenant}"
