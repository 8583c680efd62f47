"""Each worker process says every few seconds that it lives and what it holds; the sweeper and `/v1/lanes` read it."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from celery.signals import task_prerun
from redis import Redis
from redis.exceptions import RedisError

from memory.ports import Heartbeat
from workers.broker_clock import BrokerClock
from workers.in_flight import InFlight
from workers.ticker import Ticker

log = logging.getLogger(__name__)

HEARTBEAT = "heartbeat:"
BEAT_SECONDS = 3.0
# Three beats may be missed before a worker counts as gone.
LIFE_SECONDS = 10.0
# What reading raises when it was written by something else, or by another version.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, OverflowError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a worker says of its node's models."""

    healthy: bool = True
    reason: str = ""
    failing: tuple[str, ...] = ()  # roles of servers
    bad_answers: int = 0  # of the language model, since the process started


def start_heartbeat(
    client: Redis,
    in_flight: InFlight,
    *,
    slots: int,
    consuming: Callable[[], bool],
    condition: Callable[[], Condition] = Condition,
) -> Ticker:
    """Start this process's heartbeat.

    Args:
        client: where to.
        in_flight: what the process holds.
        slots: how many tasks it runs at a time.
        consuming: whether it takes from its queue at the moment.
        condition: how its node's models do.

    Returns:
        The thread, to be stopped at the end.
    """

    def beat() -> None:
        said = _say(in_flight, slots, consuming(), condition())
        client.set(heartbeat_key(in_flight.worker), said, px=round(LIFE_SECONDS * 1000))

    return Ticker("heartbeat", BEAT_SECONDS, beat)


def heartbeat_key(worker: str) -> str:
    """Return the key of a worker's heartbeat.

    Args:
        worker: `<lane>@<node>`.

    Returns:
        `heartbeat:<lane>@<node>`.
    """
    return f"{HEARTBEAT}{worker}"


def read_heartbeat(worker: str, text: bytes, *, left_ms: int, now: int) -> Heartbeat:
    """Read what a worker said.

    Args:
        worker: `<lane>@<node>`.
        text: the value of its key.
        left_ms: what remains of the key's life, which tells when it was said.
        now: the broker's time in microseconds.

    Returns:
        The heartbeat, dated by the broker's clock.
    """
    said = json.loads(text)
    return Heartbeat(
        worker=worker,
        pid=int(said["pid"]),
        at=now - (round(LIFE_SECONDS * 1000) - left_ms) * 1000,
        slots=int(said["slots"]),
        consuming=bool(said["consuming"]),
        queue_wait=float(said["queue_wait"]),
        in_flight=tuple((str(tenant), int(item), int(attempt)) for tenant, item, attempt in said["in_flight"]),
        calls=int(said.get("calls", 0)),
        healthy=bool(said.get("healthy", True)),
        reason=str(said.get("reason", "")),
        failing=tuple(map(str, said.get("failing", ()))),
        bad_answers=int(said.get("bad_answers", 0)),
    )


def watch_queue_wait(in_flight: InFlight, client: Redis) -> None:
    """Note how long each task waited in its queue, by the broker's clock, which the sender has dated it by.

    Args:
        in_flight: where to note it.
        client: tells the broker's time; while it cannot, nothing is noted.
    """
    clock = BrokerClock()

    def started(task: Any, **_: Any) -> None:
        sent_at = (task.request.headers or {}).get("sent_at")
        if isinstance(sent_at, (int, float)):
            try:
                in_flight.queue_wait = max(0.0, clock.seconds(client) - sent_at)
            except RedisError as error:
                log.debug("how long a task has waited is not known: %s", error)

    task_prerun.connect(started, weak=False)


def _say(in_flight: InFlight, slots: int, consuming: bool, condition: Condition) -> str:
    said = {
        "pid": os.getpid(),
        "slots": slots,
        "consuming": consuming,
        "queue_wait": round(in_flight.queue_wait, 4),
        "in_flight": in_flight.held(),
        "calls": in_flight.calls,
        **asdict(condition),
    }
    return json.dumps(said)
