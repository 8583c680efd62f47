"""One run of the fault test: a fleet, clients, faults, and at the end the question whether all is as promised."""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import requests

from benchmarks.simulated_fleet import SimulatedFleet
from inference.fake_service import ServiceTime
from memory.fleet import FleetLane
from ops.launched import Launched
from tests.faults import checks
from tests.faults.broker import Broker
from tests.faults.chaos import Chaos, Log
from tests.faults.work import Client

NODES: dict[str, FleetLane] = {"i0": "interactive", "i1": "interactive", "b0": "background"}
CLIENTS = 3
# Waits are divided by this: a writer's lease lives 3 s, an item's 24 s, a sweep comes every 0.6 s.
FACTOR = 5
# Heartbeats, which are not divided, live 10 s, and an attempt may be lost three times.
SETTLE_SECONDS = 120.0
# From here on a run has the long outages too.
LONG_SECONDS = 240.0


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    problems: tuple[str, ...]
    summary: str
    log: tuple[str, ...]


def run(seed: int, seconds: float, folder: Path, *, echo: bool = False) -> Outcome:
    """Run clients against a fleet in which things go wrong.

    Args:
        seed: of clients and faults.
        seconds: how long faults are inflicted.
        folder: for everything; must be empty and have a short path.
        echo: print the log as it is written.

    Returns:
        What is not as it was promised, and how it came about.
    """
    rng, log = random.Random(seed), Log(echo=echo)
    broker = Broker(folder)
    environment = {
        "REDIS_URL": broker.url, "MEMLANE_TIME_FACTOR": str(FACTOR), "MEMLANE_FALLBACK_SECONDS": "10",
        "MEMLANE_BACKGROUND_TIMEOUT": "10",
    }  # fmt: skip
    with ExitStack() as ending:
        broker.start()
        ending.callback(broker.kill)
        fleet = SimulatedFleet(folder, NODES, service=ServiceTime(call=0.02), slots=2, environment=environment)
        ending.enter_context(fleet)
        chaos = Chaos(fleet, broker, rng, log, long=seconds >= LONG_SECONDS)
        for name in fleet.nodes:
            chaos.poison_again(name)
        clients = [Client(number, seed, fleet.up.url) for number in range(1, CLIENTS + 1)]
        fence = checks.FenceWatch(fleet.up.data_dir / "tenants" / "default.db")
        for thread in (fence, *clients):
            thread.start()
        inflicted: list[str] = []
        problems: list[str] = []
        try:
            inflicted = chaos.run(seconds)
        except Exception:
            # The log says what led to it, so it is reported like everything else.
            problems.append(f"the test itself failed: {traceback.format_exc()}")
        problems += [f"{client.name} ended before the faults did" for client in clients if not client.is_alive()]
        problems += [] if inflicted else ["nothing was inflicted"]
        log("all is well from here on")
        problems += _finish(fleet.up, clients, log)
        fence.stopping.set()
        fence.join()
        problems += fence.problems()
        problems += checks.problems(fleet.up, broker.url, [one.accepted for one in clients])
        return Outcome(tuple(problems), _summary(fleet.up, clients, inflicted, fence.tokens), tuple(log.lines))


def _finish(up: Launched, clients: list[Client], log: Log) -> list[str]:
    """Let the clients end and the work settle; returns what went wrong with that."""
    for client in clients:
        client.stopping.set()
    for client in clients:
        client.join(SETTLE_SECONDS)
    problems = [f"{client.name}: {client.error!r}" for client in clients if client.error is not None]
    problems += [f"{client.name} does not end" for client in clients if client.is_alive()]
    began = time.monotonic()
    while left := (checks.open_work(up) or not _healthy(up)):
        if time.monotonic() - began > SETTLE_SECONDS:
            return [*problems, f"{left} things are not settled after {SETTLE_SECONDS:.0f} s"]
        time.sleep(0.2)
    log(f"settled {time.monotonic() - began:.1f} s after the clients ended")
    return problems


def _healthy(up: Launched) -> bool:
    try:
        return bool(requests.get(up.url + "/v1/health", timeout=10).json()["status"] == "ok")
    except requests.RequestException:
        return False


def _summary(up: Launched, clients: list[Client], inflicted: list[str], tokens: list[int]) -> str:
    accepted = [one.accepted for one in clients]
    searches = sum((Counter(one.searches) for one in accepted), Counter[int]())
    lines = [
        f"{len(inflicted)} faults of {len(set(inflicted))} kinds",
        f"{sum(len(one.documents) for one in accepted)} documents, "
        f"{sum(len(document.jobs) for one in accepted for document in one.documents)} revisions, "
        f"{sum(map(len, (n for one in accepted for n in one.conversations.values())))} messages, "
        f"{sum(len(lineage.texts) for one in accepted for lineage in one.lineages)} versions of memories",
        f"searches by status {dict(searches)} (0: no connection, the API was being killed)",
        f"{len(tokens)} writers held the fence, token {tokens[-1] if tokens else 0}",
        f"jobs failed with a reason: {dict(Counter(checks.failures(up)))}",
    ]
    return "\n".join(lines)
