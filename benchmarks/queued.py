"""A very long queue: it lies in the ledger, so neither the broker nor anybody's memory may notice."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import psutil

from benchmarks.backlog import Backlog
from benchmarks.simulated_fleet import SimulatedFleet
from memory.settings import Settings
from ops.launched import Launched, wait_until
from workers.transport import connect

ANSWERS = 60
CALL_SECONDS = 1.0


def many_queued(fleet: SimulatedFleet, backlog: Backlog, background: Sequence[str], *, count: int) -> dict[str, float]:
    """Compare answers, broker and memory with and without a long queue.

    Args:
        fleet: running.
        backlog: of it.
        background: names of the background nodes.
        count: items to queue.

    Returns:
        Ratios, and what the broker held.
    """
    for name in background:
        fleet.nodes[name].take(CALL_SECONDS)
    calls = routes(fleet.up)
    times = {name: answer_time(call) for name, call in calls.items()}
    wait_until(lambda: _processing(fleet.up) == 0, seconds=120, what="the documents are done")
    memory, broker = parts_rss(fleet.up), broker_bytes(fleet)
    began = time.monotonic()
    job = backlog.add(count)
    added = time.monotonic() - began
    backlog.await_done(job, 1, seconds=60)
    full = {name: answer_time(call) for name, call in calls.items()}
    held = in_broker(fleet)
    figures = {f"100,000 queued: {name} p50 / with none": full[name] / times[name] for name in calls}
    # The view of the lanes says how many items wait, so it counts them.
    timed = [full[name] / times[name] for name in calls if name != "GET /v1/lanes"]
    figures |= {
        "100,000 queued: slowest API answer p50 / with none": max(timed),
        "100,000 queued: items in the broker / slots": held / len(background),
        "100,000 queued: broker's memory / with none": broker_bytes(fleet) / broker,
        "100,000 queued: memory of all parts / with none": parts_rss(fleet.up) / memory,
        "100,000 queued: items": count,
        "100,000 queued: seconds to add them": added,
    }
    figures["100,000 queued: seconds to cancel them"] = backlog.cancel(job)
    return figures


def routes(up: Launched) -> dict[str, Callable[[], Any]]:
    """Return calls of the API that people wait for; none needs a model."""
    sent = up.post("/v3/documents", content="A page about queues.", containerTag="queued", wait=True)
    return {
        "GET /v1/health": lambda: up.get("/v1/health"),
        "GET /v3/documents": lambda: up.get("/v3/documents", containerTag="queued", limit=10),
        "GET /v3/documents/{id}": lambda: up.get(f"/v3/documents/{sent['id']}"),
        "GET /v1/jobs/{id}": lambda: up.get(f"/v1/jobs/{sent['jobId']}"),
        "POST /v3/documents": lambda: up.post("/v3/documents", content="Another.", containerTag="queued"),
        "POST /v4/search": lambda: up.post("/v4/search", q="a page", containerTag="queued"),
        "GET /v1/lanes": lambda: up.get("/v1/lanes"),
    }


def _processing(up: Launched) -> int:
    return int(up.get("/v3/documents/processing", limit=1)["totalCount"])


def answer_time(call: Callable[[], Any]) -> float:
    """Return the median seconds of a call."""
    times = []
    for _ in range(ANSWERS):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def parts_rss(up: Launched) -> int:
    """Return the resident memory of the stack's processes but the broker, bytes."""
    found = [one for one in up.children("") if "valkey" not in one.name()]
    return sum(_rss(one) for one in found)


def _rss(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def broker_bytes(fleet: SimulatedFleet) -> int:
    """Return what the broker's data takes."""
    client = connect(Settings(data_dir=str(fleet.up.data_dir)))
    used = int(client.info("memory")["used_memory_dataset"])
    client.close()
    return used


def in_broker(fleet: SimulatedFleet) -> int:
    """Return how many background messages the broker holds, waiting or handed out."""
    client = connect(Settings(data_dir=str(fleet.up.data_dir)))
    total = int(client.llen("background")) + int(client.hlen("unacked"))
    client.close()
    return total
