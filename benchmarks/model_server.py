"""The embedded model server measured: throughput, a query's time alone and under load, reranking, memory.

`python -m benchmarks.model_server` starts a server of its own, prints one line per figure and, with `--json FILE`,
keeps them. Unset OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE for it, so that numpy uses the machine's own kernels, and set
OPENBLAS_NUM_THREADS=1, as the server does for itself. On a shared machine trust the processor times (`cpu`) and the
ratios, not the wall times.
"""

from __future__ import annotations

import os
import platform
import random
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.report import kept, parser_of
from inference.batches import micro_batches
from inference.minilm import MiniLM, mean_pool
from inference.process import REST_SECONDS
from inference.tokens import VOCAB_PATH, token_ids
from inference.wire import ModelServer
from memory.errors import ModelUnavailable

SEED = 20261130
QUERY = "where did the person go for a walk last summer"
# Texts of a kind that a long document makes; the model reads 256 of the 380 tokens.
LONG_TOKENS, LONG_TEXTS = 380, 16
RERANK_TOKENS, RERANK_PASSAGES, RERANK_RUNS = 24, 40, 30

Figures = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A started server."""

    pid: int
    interactive: str
    background: str

    def cpu_ms(self) -> float:
        """Return the processor time it has used, in milliseconds."""
        used = psutil.Process(self.pid).cpu_times()
        return 1e3 * float(used.user + used.system)

    def memory_mb(self) -> float:
        """Return its proportional memory in MB."""
        return float(psutil.Process(self.pid).memory_full_info().pss) / 2**20


def sample_texts(count: int, tokens: int) -> list[str]:
    """Return texts of exactly so many tokens, the same in every run."""
    words = [word for word in VOCAB_PATH.read_text().split("\n") if word.isalpha() and word.isascii() and len(word) > 2]
    chooser = random.Random(SEED)
    return [" ".join(chooser.choice(words[:3000]) for _ in range(tokens)) for _ in range(count)]


def raw_rate(texts: list[str]) -> float:
    """Return the texts per second of the model in this process, micro-batched as the server does."""
    model, ids = MiniLM(), token_ids(texts)
    started = time.perf_counter()
    for batch in micro_batches([len(each) for each in ids]):
        mean_pool(*model.run([ids[position] for position in batch]))
    return len(texts) / (time.perf_counter() - started)


def timed(call: Callable[[], object], count: int, pause: float = 0.0) -> list[float]:
    """Return the milliseconds of each of so many calls."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - started))
        time.sleep(pause)
    return times


def measure(seconds: float) -> Figures:
    """Run everything once.

    Args:
        seconds: length of the phase under load.

    Returns:
        Figures by name; the unit is the end of the name.
    """
    long_texts = sample_texts(LONG_TEXTS, LONG_TOKENS)
    figures = {"raw_texts_per_s": raw_rate(long_texts * 4)}
    with running() as server:
        interactive, background = ModelServer(server.interactive), ModelServer(server.background)
        figures["memory_loaded_mb"] = server.memory_mb()
        query = lambda: interactive.embed([QUERY])  # noqa: E731
        figures |= spread("query_idle", timed(query, 200))
        figures["background_alone_texts_per_s"], _ = loaded(background, long_texts, lambda: time.sleep(seconds))
        under: list[float] = []
        loaded_rate, _ = loaded(background, long_texts, lambda: under.extend(timed(query, int(seconds * 10), 0.1)))
        figures["background_with_queries_texts_per_s"] = loaded_rate
        figures |= spread("query_under_load", under)
        figures["memory_after_load_mb"] = server.memory_mb()
        time.sleep(3 * REST_SECONDS)
        figures["memory_idle_again_mb"] = server.memory_mb()
    with running(cores={min(os.sched_getaffinity(0))}) as server:
        interactive = ModelServer(server.interactive)
        texts = sample_texts(RERANK_PASSAGES * RERANK_RUNS, RERANK_TOKENS)
        runs = (texts[at : at + RERANK_PASSAGES] for at in range(0, len(texts), RERANK_PASSAGES))
        weights = {word: 1.0 + len(word) / 4 for word in QUERY.split()}
        before = server.cpu_ms()
        new = lambda: interactive.rerank(QUERY, next(runs), weights)  # noqa: E731
        figures |= spread("rerank_one_core", timed(new, RERANK_RUNS))
        figures["rerank_one_core_cpu_ms"] = (server.cpu_ms() - before) / RERANK_RUNS
        before, kept = server.cpu_ms(), texts[-RERANK_PASSAGES:]
        figures |= spread("rerank_kept", timed(lambda: interactive.rerank(QUERY, kept, weights), RERANK_RUNS))
        figures["rerank_kept_cpu_ms"] = (server.cpu_ms() - before) / RERANK_RUNS
    return figures


def loaded(server: ModelServer, texts: list[str], during: Callable[[], object]) -> tuple[float, int]:
    """Keep the background lane full from two clients while something else is done.

    Returns:
        Texts per second, and texts, embedded meanwhile.
    """
    stop, counts = threading.Event(), [0, 0]

    def fill(client: int) -> None:
        while not stop.is_set():
            server.embed(texts, timeout=60)
            counts[client] += 0 if stop.is_set() else len(texts)

    fillers = [threading.Thread(target=fill, args=(client,)) for client in range(2)]
    started = time.perf_counter()
    for filler in fillers:
        filler.start()
    during()
    stop.set()
    took = time.perf_counter() - started
    for filler in fillers:
        filler.join()
    return sum(counts) / took, sum(counts)


def spread(name: str, times: list[float]) -> Figures:
    """Return median, 95th percentile and largest of some milliseconds."""
    ordered = sorted(times)
    return {
        f"{name}_p50_ms": statistics.median(ordered),
        f"{name}_p95_ms": ordered[int(0.95 * (len(ordered) - 1))],
        f"{name}_max_ms": ordered[-1],
    }


@contextmanager
def running(cores: set[int] | None = None) -> Iterator[Running]:
    """Start an embedded server and stop it afterwards.

    Args:
        cores: processors it may use; all when left out.

    Yields:
        The ready server.
    """
    ports = free_port(), free_port()
    command = [sys.executable, "-m", "inference", "--interactive-port", str(ports[0]), "--background-port"]
    process = subprocess.Popen([*command, str(ports[1])], cwd=Path(__file__).parents[1], stderr=subprocess.DEVNULL)
    try:
        if cores:
            os.sched_setaffinity(process.pid, cores)
        addresses = [f"http://127.0.0.1:{port}" for port in ports]
        wait_until_ready(addresses[0])
        yield Running(pid=process.pid, interactive=addresses[0], background=addresses[1])
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=10)


def wait_until_ready(address: str) -> None:
    """Poll a server's health for at most 30 seconds."""
    client, deadline = ModelServer(address, timeout=2.0), time.monotonic() + 30
    while True:
        try:
            client.health()
            return
        except ModelUnavailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> int:
    """Measure, print, and keep when asked.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("model_server", __doc__)
    parser.add_argument("--seconds", type=float, default=8.0, help="length of each phase under load")
    options = parser.parse_args()
    figures = measure(options.seconds)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, seed {SEED}"
    lines = [f"{name:40} {value:8.1f}" for name, value in figures.items()]
    print("\n".join([machine, *lines]))
    return kept({"machine": machine, **figures}, options)


if __name__ == "__main__":
    raise SystemExit(main())
