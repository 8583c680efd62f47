"""Reads what the broker knows: who lives, what was started, what still waits. Hints for the sweeper and `/v1/lanes`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import cast

from redis import Redis
from redis.exceptions import RedisError

from memory.errors import BrokerDown
from memory.ports import QUEUES, BrokerFacts, Heartbeat, Held
from memory.records import Micros
from workers.heartbeat import HEARTBEAT, read_heartbeat
from workers.in_flight import STARTED

# Queues whose messages are work items of the ledger.
ITEM_QUEUES = ("background", "host")
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
        queued=frozenset(held for message in messages if (held := _held(message)) is not None),
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
    oldest = {name: at for name, message in heads if message is not None and (at := _sent_at(message)) is not None}
    return lengths, answers[len(QUEUES)], messages, oldest


def _heartbeats(client: Redis, now: int) -> tuple[Heartbeat, ...]:
    keys = sorted(client.scan_iter(match=f"{HEARTBEAT}*", count=1000))
    pipe = client.pipeline(transaction=False)
    for key in keys:
        pipe.get(key)
        pipe.pttl(key)
    answers = pipe.execute() if keys else []
    found = zip(keys, answers[0::2], answers[1::2], strict=True)
    return tuple(
        read_heartbeat(key.decode()[len(HEARTBEAT) :], text, left_ms=left, now=now)
        for key, text, left in found
        if text is not None
    )


def _started(client: Redis) -> Mapping[Held, str]:
    keys = sorted(client.scan_iter(match=f"{STARTED}*", count=1000))
    workers = cast("list[bytes | None]", client.mget(keys)) if keys else []
    marks = zip(keys, workers, strict=True)
    return {_key_held(key.decode()): worker.decode() for key, worker in marks if worker is not None}


def _key_held(key: str) -> Held:
    tenant, item, attempt = key[len(STARTED) :].rsplit(":", 2)
    return tenant, int(item), int(attempt)


def _sent_at(message: bytes) -> Micros | None:
    at = json.loads(message).get("headers", {}).get("sent_at")
    return round(at * 1_000_000) if isinstance(at, (int, float)) else None


def _held(message: bytes) -> Held | None:
    held = json.loads(message).get("headers", {}).get("held")
    return None if not held or held[1] is None else (held[0], held[1], held[2])
