"""Each worker process says every few seconds that it lives and what it holds; the sweeper and `/v1/lanes` read it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from celery.signals import task_prerun
from redis import Redis

from memory.ports import Heartbeat
from workers.in_flight import InFlight
from workers.ticker import Ticker

HEARTBEAT = "heartbeat:"
BEAT_SECONDS = 3.0
# Three beats may be missed before a worker counts as gone.
LIFE_SECONDS = 10.0


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
        pid=said["pid"],
        at=now - (round(LIFE_SECONDS * 1000) - left_ms) * 1000,
        slots=said["slots"],
        consuming=said["consuming"],
        queue_wait=said["queue_wait"],
        in_flight=tuple((tenant, item, attempt) for tenant, item, attempt in said["in_flight"]),
        healthy=bool(said.get("healthy", True)),
        reason=str(said.get("reason", "")),
        failing=tuple(map(str, said.get("failing", ()))),
        bad_answers=int(said.get("bad_answers", 0)),
    )


def watch_queue_wait(in_flight: InFlight) -> None:
    """Note how long each task waited in its queue.

    The sender's clock and this machine's are compared, so it is a figure for people, not for deadlines.

    Args:
        in_flight: where to note it.
    """

    def started(task: Any, **_: Any) -> None:
        sent_at = (task.request.headers or {}).get("sent_at")
        if isinstance(sent_at, (int, float)):
            in_flight.queue_wait = max(0.0, time.time() - sent_at)

    task_prerun.connect(started, weak=False)


def _say(in_flight: InFlight, slots: int, consuming: bool, condition: Condition) -> str:
    said = {
        "pid": os.getpid(),
        "slots": slots,
        "consuming": consuming,
        "queue_wait": round(in_flight.queue_wait, 4),
        "in_flight": in_flight.held(),
        **asdict(condition),
    }
    return json.dumps(said)
