"""What people notice of a long backlog of candidates: changes, writes, searches and a new page, with and without."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psutil

from benchmarks.candidates import Candidates
from benchmarks.histories import history
from benchmarks.ingest import p95
from benchmarks.simulated_fleet import SimulatedFleet
from ops.launched import Launched, wait_until

SPACE = "backlog"
# People are not a load test: the next call comes a little after the last answer.
PAUSE_SECONDS = 0.05
WATCH_SECONDS = 20.0


class People:
    """Those who use the API of a stack."""

    def __init__(self, up: Launched, candidates: Candidates, choose: random.Random) -> None:
        """Keep the stack, and what they choose by."""
        self.candidates = candidates
        self._up = up
        self._choose = choose
        self._made = 0
        self.known: list[str] = []

    def calls(self) -> dict[str, Callable[[], Any]]:
        """Return what they do, by name."""
        return {"PATCH": self._change, "POST /v4/memories": self._write, "POST /v4/search": self._search}

    def _words(self) -> str:
        self._made += 1
        return self._choose.choice(self.known).split(".")[0] + f" number{self._made}."

    def _change(self) -> None:
        one = self.known.pop(self._choose.randrange(len(self.known)))
        answer = self._up.http.patch(
            f"{self._up.url}/v4/memories", timeout=60,
            json={"content": one, "newContent": self._words(), "containerTag": SPACE},
        )  # fmt: skip
        answer.raise_for_status()

    def _write(self) -> None:
        self._up.post("/v4/memories", memories=[{"content": self._words()}], containerTag=SPACE)

    def _search(self) -> None:
        self._up.post("/v4/search", q=self._words(), containerTag=SPACE, limit=10)


def waiting_backlog(
    fleet: SimulatedFleet, people: People, *, size: int, calls: int, background: Sequence[str], seed: int
) -> dict[str, float]:
    """Compare what people do with and without candidates that wait for judges.

    Args:
        fleet: running.
        people: of it.
        size: memories of the space, and candidates that wait.
        calls: of each kind.
        background: names of the nodes with judges.
        seed: of the history.

    Returns:
        Milliseconds, seconds and shares.
    """
    told = history(seed=seed, count=size, touching=0.1)
    known = people.candidates.add(SPACE, told.known)
    people.candidates.await_settled(known, seconds=600)
    people.known = list(told.known)
    figures = {"none wait: a page is searchable after, s": _page_seconds(fleet.up)}
    figures |= {f"none wait: {name}": value for name, value in _times(people, calls).items()}
    # The judges of what was written have to be done, or a part of the backlog is of another kind.
    wait_until(lambda: people.candidates.waiting() == 0, seconds=600, what="nothing waits")
    began = time.monotonic()
    people.candidates.add(SPACE, told.said)
    figures["10,000 wait: seconds to store them"] = time.monotonic() - began
    wait_until(lambda: people.candidates.out() > 0, seconds=60, what="judges are asked")
    with _watched(fleet) as seen:
        time.sleep(WATCH_SECONDS)
    figures["10,000 wait: the writer's share of a core"] = seen[0]
    figures |= {f"10,000 wait: {name}": value for name, value in _times(people, calls).items()}
    figures["10,000 wait: a page is searchable after, s"] = _page_seconds(fleet.up)
    most = max(_sampled(people.candidates.out, seconds=5))
    figures["10,000 wait: items that are out / slots"] = most / len(background)
    figures["10,000 wait: candidates that waited at the end"] = people.candidates.waiting()
    return figures


def _times(people: People, calls: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, call in people.calls().items():
        times = []
        for _ in range(calls):
            began = time.perf_counter()
            call()
            times.append((time.perf_counter() - began) * 1000)
            time.sleep(PAUSE_SECONDS)
        figures |= {f"{name} p50 ms": statistics.median(times), f"{name} p95 ms": p95(times)}
    return figures


def _page_seconds(up: Launched) -> float:
    """Return how long it takes until a new page is found, which needs an embedding of the background lane."""
    began = time.monotonic()
    sent = up.post("/v3/documents", content=f"The canal was dug in {began}.", containerTag="pages")

    def live() -> bool:
        found = up.get(f"/v3/documents/{sent['id']}")
        return found["status"] in ("indexing", "done", "failed")

    wait_until(live, seconds=600, what="a page is searchable")
    return time.monotonic() - began


def _sampled(look: Callable[[], float], *, seconds: float) -> list[float]:
    found, until = [look()], time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.05)
        found.append(look())
    return found


@contextmanager
def _watched(fleet: SimulatedFleet) -> Iterator[list[float]]:
    """Yield a list that holds afterwards how much of a core the writer took during the block, 0..1."""
    (writer,) = fleet.up.children("workers reconcile")[:1]
    before, began = _cpu(writer), time.monotonic()
    seen: list[float] = []
    yield seen
    seen.append((_cpu(writer) - before) / (time.monotonic() - began))


def _cpu(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)
