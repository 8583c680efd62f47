"""What losing a node in mid-load costs: failed requests, and the time until its work runs elsewhere."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import requests

from benchmarks.backlog import Backlog
from benchmarks.namespaces import Network
from benchmarks.simulated_fleet import SimulatedFleet
from inference.fake_service import ServiceTime
from memory.fleet import FleetLane
from memory.settings import Settings
from ops.launched import wait_until
from workers.broker_facts import read_facts
from workers.transport import connect

# So long that a node holds something at nearly every moment.
HELD_CALL_SECONDS = 0.5
# Interactive requests go on for this long after the loss.
AFTER_SECONDS = 15.0
ASKING = 2


def lose_nodes(fleet: SimulatedFleet, backlog: Backlog, interactive: str, background: str) -> dict[str, float]:
    """Freeze every process of an interactive and a background node under load.

    Args:
        fleet: running.
        backlog: of it.
        interactive: name of the interactive node.
        background: name of the background node.

    Returns:
        Failed and all interactive requests, and seconds until what the background node held was done.
    """

    @contextmanager
    def lost() -> Iterator[None]:
        for name in (interactive, background):
            fleet.freeze(name)
        try:
            yield
        finally:
            for name in (interactive, background):
                fleet.freeze(name, number=signal.SIGCONT)
            fleet.await_workers(interactive, background)

    return _lose(fleet, backlog, background, lost, "a node is lost", "the lost node's items")


def lose_link(folder: Path, service: ServiceTime) -> dict[str, float]:
    """Cut the links of an interactive and a background node that are network namespaces.

    Args:
        folder: for the stack.
        service: of a model call.

    Returns:
        As `lose_nodes`.
    """
    lanes: dict[str, FleetLane] = {"i0": "interactive", "i1": "interactive", "b0": "background", "b1": "background"}
    network = Network(list(lanes), folder)

    @contextmanager
    def lost() -> Iterator[None]:
        for name in ("i0", "b0"):
            network.cut(name)
        try:
            yield
        finally:
            for name in ("i0", "b0"):
                network.mend(name)
            fleet.await_workers("i0", "b0")

    with SimulatedFleet(folder, lanes, service=service, network=network) as fleet:
        backlog = Backlog(fleet.up)
        found = _lose(fleet, backlog, "b0", lost, "a link is cut", "the cut node's items")
        backlog.close()
    return found


def _lose(
    fleet: SimulatedFleet,
    backlog: Backlog,
    victim: str,
    lost: Callable[[], AbstractContextManager[None]],
    when: str,
    whose: str,
) -> dict[str, float]:
    for node in fleet.nodes.values():
        if node.lane == "background":
            node.take(HELD_CALL_SECONDS)
    job = backlog.add(400)
    backlog.await_done(job, 4, seconds=60)
    outcomes: list[bool] = []
    slowest: list[float] = []
    stop = threading.Event()
    asking = [threading.Thread(target=_ask, args=(fleet, stop, outcomes, slowest, n)) for n in range(ASKING)]
    for thread in asking:
        thread.start()
    with lost():
        began = time.monotonic()
        time.sleep(1.0)  # a result that was sent already is settled by then
        held = backlog.leased(_started(fleet, f"background@{victim}"))
        if not held:
            raise RuntimeError(f"{victim} held nothing when it was lost")
        wait_until(lambda: not backlog.unfinished(held), seconds=120, what=f"what {victim} held is done")
        elsewhere = time.monotonic() - began
        time.sleep(max(0.0, AFTER_SECONDS - elsewhere))
        stop.set()
        for thread in asking:
            thread.join()
    backlog.cancel(job)
    return {
        f"failed interactive requests while {when}": outcomes.count(False),
        f"interactive requests while {when}": len(outcomes),
        f"slowest of them while {when}, s": max(slowest),
        f"seconds until {whose} ran elsewhere": elsewhere,
    }


def _started(fleet: SimulatedFleet, worker: str) -> list[int]:
    """Return the items that a worker has started, whether they have ended or not."""
    client = connect(Settings(data_dir=str(fleet.up.data_dir), redis_url=fleet.broker_url))
    facts = read_facts(client)
    client.close()
    return [item for (_, item, _), by in facts.started.items() if by == worker]


def _ask(fleet: SimulatedFleet, stop: threading.Event, outcomes: list[bool], slowest: list[float], thread: int) -> None:
    """Search until told to stop; an answer with an error, or none, has failed."""
    number = 0
    while not stop.is_set():
        number += 1
        body = {"q": f"thread {thread} asks for pump {number}", "rerank": True}
        began = time.monotonic()
        try:
            outcomes.append(requests.post(f"{fleet.up.url}/v4/search", json=body, timeout=60).ok)
        except requests.RequestException:
            outcomes.append(False)
        slowest.append(time.monotonic() - began)
