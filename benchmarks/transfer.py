"""Export and import of a store over HTTP: how long each takes, what memory it costs, and what a search feels of it.

`python -m benchmarks.transfer` starts a stack on a throw-away folder whose store has 10,000 memories, exports it, with
vectors and without, and brings each export into another tenant. Meanwhile one question that was asked before is asked
again ten times a second. `load` is the machine's run queue before and after.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil

from benchmarks import filled_store
from benchmarks.http_load import api_process
from benchmarks.own_stack import Api, conditions
from benchmarks.report import finish, parser_of
from benchmarks.search_data import base_and_queries
from memlane.http import Client
from ops.launched import Launched, running
from services import control, keys
from services.clock import system_clock
from services.identifiers import TimeSortedIds

TAG = "transfer"
PAUSE_SECONDS = 0.1
MEBIBYTE = 1024**2


class Probe:
    """Asks one question again and again and keeps how long each answer took."""

    def __init__(self, url: str, question: str) -> None:
        """Prepare to ask a stack."""
        self._url, self._question = url, question
        self._ended = threading.Event()
        self.milliseconds: list[float] = []

    def _ask(self) -> None:
        api = Api(self._url)
        while not self._ended.wait(PAUSE_SECONDS):
            began = time.perf_counter()
            api.post("/v4/search", {"q": self._question, "containerTag": TAG, "limit": 10})
            self.milliseconds.append((time.perf_counter() - began) * 1000)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Ask for as long as the block runs."""
        thread = threading.Thread(target=self._ask)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def told(self) -> str:
        """Return the figures in words."""
        if not self.milliseconds:
            return "none was asked"
        p50, p95 = (float(np.percentile(self.milliseconds, part)) for part in (50, 95))
        return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, n {len(self.milliseconds)}"


def measured(own: Launched, folder: Path, question: str) -> dict[str, str]:
    """Export and import, and return the figures."""
    load, server, lines = os.getloadavg()[0], api_process(own), {}
    with Probe(own.url, question).asking():  # the first answer loads the space
        time.sleep(1.0)
    idle = Probe(own.url, question)
    with idle.asking():
        time.sleep(5.0)
    lines["search, idle"] = idle.told()
    for name, vectors in (("bare", False), ("with vectors", True)):
        path = folder / f"{name}.jsonl"
        probe, resident = Probe(own.url, question), server.memory_info().rss
        began = time.perf_counter()
        with probe.asking(), Client(own.url) as client, path.open("wb") as file:
            counts = client.export(file.write, vectors=vectors)
        seconds, size = time.perf_counter() - began, path.stat().st_size / MEBIBYTE
        lines[f"export {name}"] = (
            f"{sum(counts.values())} lines, {size:.1f} MiB in {seconds:.1f} s ({size / seconds:.1f} MiB/s), "
            f"API {(server.memory_info().rss - resident) / MEBIBYTE:+.1f} MiB; search {probe.told()}"
        )
        lines[f"import {name}"] = _brought_in(own, server, path, name.replace(" ", "-"), question)
    lines["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} after"
    return lines


def _brought_in(own: Launched, server: psutil.Process, path: Path, tenant: str, question: str) -> str:
    with control.opened(own.data_dir, clock=system_clock, new_id=TimeSortedIds(system_clock)) as opened:
        secret = keys.create(opened, tenant=tenant, actor_kind="person", label="benchmark").secret
    probe, resident = Probe(own.url, question), server.memory_info().rss
    with probe.asking(), Client(own.url, secret) as client, path.open("rb") as file:
        began = time.perf_counter()
        made = client.import_export(file)
        accepted = time.perf_counter() - began
        while (made := client.import_state(made["id"]))["state"] in ("waiting", "importing"):
            time.sleep(PAUSE_SECONDS)
        there = time.perf_counter() - began
    if made["state"] != "finished":
        raise RuntimeError(f"the import ended as {made['state']}: {made['reason']}")
    return (
        f"accepted after {accepted:.1f} s, there after {there:.1f} s, found {made['searchable']}; "
        f"API {(server.memory_info().rss - resident) / MEBIBYTE:+.1f} MiB; search {probe.told()}"
    )


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("transfer", __doc__)
    parser.add_argument("--memories", type=int, default=10_000, help="how many there are (10000)")
    options = parser.parse_args()
    texts, base, _ = base_and_queries()
    with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder:
        filled_store.fill(Path(folder) / "data", TAG, texts, base, options.memories)
        with running(Path(folder) / "data") as own:
            report = conditions(seed=0) | {"memories": str(options.memories)} | measured(own, Path(folder), texts[0])
    return finish(report, options, width=22)


if __name__ == "__main__":
    raise SystemExit(main())
