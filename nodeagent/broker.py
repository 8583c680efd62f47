"""The agent's connection to the broker: everything it needs to know in one round trip, everything it says in another.

It is a thin one of its own. The workers read reports, so this package lies below theirs and cannot use their transport.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry

from memory.errors import BrokerDown, InvalidInput
from memory.fleet import LANES, NodeReport
from memory.inventory import INVENTORY_KEY
from memory.pausing import PAUSED_KEY
from memory.records import Micros
from nodeagent.marks import CANARY_TASK, Mark, canary_queue, decode_mark, encode_mark, mark_key
from nodeagent.message import task_message
from nodeagent.report import LIFE_SECONDS, encode, node_key

log = logging.getLogger(__name__)

CONNECT_SECONDS = 1.0
ANSWER_SECONDS = 1.5
_LIFE_MS = round(LIFE_SECONDS * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts:
    """What is known of one worker of the node."""

    worker: str  # <lane>@<node>
    beats: bool  # its heartbeat is there
    full: bool  # it says that every slot of it holds a work item
    mark: Mark | None  # what its last canary left
    waiting: int  # canaries in its queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the broker says at one moment."""

    now: Micros
    inventory: bytes | None
    paused: bytes | None
    workers: tuple[WorkerFacts, ...]


class Broker:
    """The broker as one node's agent sees it; connects on first use and says quickly when it is not there."""

    def __init__(self, url: str, node: str) -> None:
        """Prepare; nothing is sent.

        Args:
            url: `redis://`, `rediss://` or `unix://`.
            node: the agent's.

        Raises:
            InvalidInput: the address cannot be read.
        """
        self._node = node
        # No name of a node holds a colon.
        self._seat, self._waiting = f"agent:{node}", f"agent:{node}:waiting"
        self._workers = tuple(f"{lane}@{node}" for lane in LANES)
        # redis-py's own default waits seconds between its retries; one more try is enough for a stale socket.
        retry = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
        try:
            self._client = Redis.from_url(
                url, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=CONNECT_SECONDS, retry=retry
            )
        except ValueError as error:
            raise InvalidInput(f"REDIS_URL cannot be read: {error}.", field="REDIS_URL") from error

    def read(self) -> Facts:
        """Return what the broker says now.

        Returns:
            The facts; a worker that is not there has neither heartbeat nor mark.

        Raises:
            BrokerDown: it cannot be reached.
        """
        try:
            pipe = self._client.pipeline(transaction=False)
            pipe.time()
            pipe.mget([INVENTORY_KEY, PAUSED_KEY])
            for worker in self._workers:
                pipe.mget([f"heartbeat:{worker}", mark_key(worker)])
                pipe.llen(canary_queue(worker))
            (seconds, micros), (inventory, paused), *rest = pipe.execute()
        except RedisError as error:
            raise BrokerDown(f"The broker cannot be reached: {error}") from error
        return Facts(
            now=int(seconds) * 1_000_000 + int(micros),
            inventory=inventory,
            paused=paused,
            workers=tuple(map(_worker_facts, self._workers, rest[0::2], rest[1::2])),
        )

    def say(self, report: NodeReport) -> None:
        """Keep a report, which goes by itself when no other follows.

        Args:
            report: of this node.

        Raises:
            BrokerDown: it was not kept.
        """
        self._do(lambda: self._client.set(node_key(self._node), encode(report), px=_LIFE_MS))

    def seat(self) -> tuple[Mark | None, Mark | None]:
        """Return the agent that works for the node, and one that waits to.

        Returns:
            Their marks, whose number means nothing; None where there is none, or it cannot be read.

        Raises:
            BrokerDown: it cannot be reached.
        """
        found: list[bytes | None] = self._do(lambda: self._client.mget([self._seat, self._waiting]))
        holder, waiting = (_read_mark("the agent", text) for text in found)
        return holder, waiting

    def take_seat(self, mark: Mark) -> None:
        """Take or keep the node's seat for as long as a report lives.

        Args:
            mark: of this agent.

        Raises:
            BrokerDown: it was not taken.
        """
        self._do(lambda: self._client.set(self._seat, encode_mark(mark), px=_LIFE_MS))

    def wait_for_seat(self, mark: Mark) -> None:
        """Let the agent that works know that another one waits.

        Args:
            mark: of this agent.

        Raises:
            BrokerDown: it is not told.
        """
        self._do(lambda: self._client.set(self._waiting, encode_mark(mark), px=_LIFE_MS))

    def leave_seat(self, *, seat: bool, waiting: bool) -> None:
        """Give up what this agent has of the two.

        Args:
            seat: whether it holds the seat.
            waiting: whether it waits for it.

        Raises:
            BrokerDown: it goes by itself a little later.
        """
        keys = [*([self._seat] if seat else []), *([self._waiting] if waiting else [])]
        if keys:
            self._do(lambda: self._client.delete(*keys))

    def send_canary(self, worker: str, number: int) -> None:
        """Send a worker its canary.

        Args:
            worker: `<lane>@<node>`.
            number: comes back in its mark.

        Raises:
            BrokerDown: it was not sent.
        """
        queue = canary_queue(worker)
        message = task_message(CANARY_TASK, {"number": number}, queue=queue, origin=f"agent@{self._node}")
        self._do(lambda: self._client.lpush(queue, message))

    def leave(self) -> None:
        """Take the report away: an agent that was stopped says nothing about its node.

        Raises:
            BrokerDown: it goes by itself a little later.
        """
        self._do(lambda: self._client.delete(node_key(self._node)))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _do(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except RedisError as error:
            raise BrokerDown(f"The broker cannot be reached: {error}") from error


def _worker_facts(worker: str, texts: Sequence[bytes | None], waiting: int) -> WorkerFacts:
    beat, mark = texts
    return WorkerFacts(
        worker=worker, beats=beat is not None, full=_is_full(beat), mark=_read_mark(worker, mark), waiting=waiting
    )


def _is_full(beat: bytes | None) -> bool:
    try:
        said = json.loads(beat or b"{}")
        return len(said.get("in_flight", ())) >= int(said.get("slots", 1))
    except (ValueError, TypeError, AttributeError) as error:
        log.debug("a heartbeat cannot be read: %s", error)
        return False


def _read_mark(worker: str, text: bytes | None) -> Mark | None:
    try:
        return None if text is None else decode_mark(text)
    except InvalidInput as error:
        log.warning("%s: %s", worker, error)
        return None
