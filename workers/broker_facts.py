"""Reads what the broker knows: who lives, what was started, what still waits. Hints for the sweeper and `/v1/lanes`."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar, cast

from redis import Redis
from redis.exceptions import RedisError

from memory.errors import BrokerDown
from memory.ports import QUEUES, BrokerFacts, Heartbeat, Held
from memory.records import Micros
from workers.heartbeat import HEARTBEAT, UNREADABLE, read_heartbeat
from workers.in_flight import STARTED

log = logging.getLogger(__name__)

Read = TypeVar("Read")

# Queues whose messages are work items of the ledger.
ITEM_QUEUES = ("background", "host", "sources")
# The dispatcher keeps about two items per slot out, so a longer queue is something else's and not worth reading.
READ_MESSAGES = 200


def read_facts(client: Redis) -> BrokerFacts:
    """Read the facts.

    Args:
        client: one of `workers.transport.connect`.

    Returns:
        What the broker knows now. A message being popped while this runs may be missing from both `queued` and
        `in_flight`; the sweeper must not act on one reading of a fresh lease.

    Raises:
        BrokerDown: it cannot be reached.
    """
    try:
        return _read(client)
    except RedisError as error:
        raise BrokerDown() from error


def _read(client: Redis) -> BrokerFacts:
    seconds, micros = client.time()
    now = int(seconds) * 1_000_000 + int(micros)
    # Queues before heartbeats: an attempt that moves on meanwhile is then seen in one of them.
    lengths, unacked, messages, oldest = _queues(client)
    return BrokerFacts(
        at=now,
        heartbeats=_heartbeats(client, now),
        started=_started(client),
        queued=frozenset(held for message in messages if (held := _tolerant("a message", _held, message)) is not None),
        queued_complete=all(lengths[name] <= READ_MESSAGES for name in ITEM_QUEUES),
        queue_lengths=lengths,
        unacked=unacked,
        oldest_sent=oldest,
    )


def _queues(client: Redis) -> tuple[Mapping[str, int], int, Sequence[bytes], Mapping[str, Micros]]:
    pipe = client.pipeline(transaction=True)
    for name in QUEUES:
        pipe.llen(name)
    pipe.hlen("unacked")
    for name in ITEM_QUEUES:
        pipe.lrange(name, -READ_MESSAGES, -1)  # the end that is popped next
    for name in QUEUES:
        pipe.lindex(name, -1)
    answers = pipe.execute()
    lengths = dict(zip(QUEUES, answers, strict=False))
    messages = [message for part in answers[len(QUEUES) + 1 : -len(QUEUES)] for message in part]
    heads = zip(QUEUES, answers[-len(QUEUES) :], strict=True)
    found = {
        name: _tolerant(f"a message of the queue {name}", _sent_at, message)
        for name, message in heads
        if message is not None
    }
    oldest = {name: at for name, at in found.items() if at is not None}
    return lengths, answers[len(QUEUES)], messages, oldest


def _heartbeats(client: Redis, now: int) -> tuple[Heartbeat, ...]:
    keys = sorted(client.scan_iter(match=f"{HEARTBEAT}*", count=1000))
    if not keys:
        return ()
    pipe = client.pipeline(transaction=False)
    pipe.mget(keys)
    for key in keys:
        pipe.pttl(key)
    texts, *left = pipe.execute()
    found = (
        _tolerant(f"the heartbeat {one[0]!r}", partial(_heartbeat, now=now), *one)
        for one in zip(keys, texts, left, strict=True)
        if one[1] is not None
    )
    return tuple(beat for beat in found if beat is not None)


def _started(client: Redis) -> Mapping[Held, str]:
    keys = sorted(client.scan_iter(match=f"{STARTED}*", count=1000))
    workers = cast("list[bytes | None]", client.mget(keys)) if keys else []
    found = zip(keys, workers, strict=True)
    marks = (_tolerant(f"the mark {key!r}", _mark, key, worker) for key, worker in found if worker is not None)
    return dict(mark for mark in marks if mark is not None)


def _tolerant(what: str, read: Callable[..., Read], *written: Any) -> Read | None:
    """Read what another process wrote; None, and one line in the log, when it cannot be read."""
    try:
        return read(*written)
    except UNREADABLE as error:
        _say(f"{what} cannot be read: {error!r}")
        return None


@lru_cache(maxsize=256)
def _say(words: str) -> None:
    # Said once and not with every sweep, hence the cache.
    log.warning("%s", words)


def _heartbeat(key: bytes, text: bytes, left_ms: int, *, now: int) -> Heartbeat:
    return read_heartbeat(key.decode()[len(HEARTBEAT) :], text, left_ms=left_ms, now=now)


def _mark(key: bytes, worker: bytes) -> tuple[Held, str]:
    tenant, item, attempt = key.decode()[len(STARTED) :].rsplit(":", 2)
    return (tenant, int(item), int(attempt)), worker.decode()


def _sent_at(message: bytes) -> Micros | None:
    at = json.loads(message).get("headers", {}).get("sent_at")
    return round(at * 1_000_000) if isinstance(at, (int, float)) else None


def _held(message: bytes) -> Held | None:
    held = json.loads(message).get("headers", {}).get("held")
    return None if not held or held[1] is None else (str(held[0]), int(held[1]), int(held[2]))
