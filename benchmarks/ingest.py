"""Start, memory, ingest and search-while-ingesting, each against its measure in the same run.

    python -m benchmarks.ingest [--chunks 1000]

The texts are the long descriptions of the packages installed beside the project: real Markdown prose, the same for
everybody with the same lock file. Raw embedder throughput is measured on the very chunks and statements that the ingest
produced, with the same model server code, alone on the machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from benchmarks.model_server import running as running_server
from benchmarks.own_stack import conditions
from benchmarks.report import finish, judged, parser_of
from inference.wire import ModelServer
from memory.statements import attributed
from ops.launched import Launched, running, wait_until
from services.clock import system_clock
from store.connection import Store

CHUNK_CHARS = 1400
SEARCHES = 200
QUESTIONS = (
    "How is a worker started?",
    "Which Python versions are supported?",
    "What does the licence allow?",
    "How do I report a security problem?",
    "Is there support for Windows?",
    "How are type hints checked?",
)
# Targets of the project; a figure that misses its target is printed as missed, not hidden.
TARGETS = {
    "ready_seconds": ("<=", 6.0),
    "idle_pss_mb": ("<=", 550.0),
    "peak_pss_mb": ("<=", 900.0),
    "ingest_over_raw": (">=", 0.7),
    "search_p95_busy_over_idle": ("<=", 3.0),
}


def texts(characters: int) -> list[str]:
    """Return Markdown texts of about so many characters in all, in a fixed order."""
    found = []
    total = 0
    for one in sorted(metadata.distributions(), key=lambda dist: dist.metadata["Name"].lower()):
        body = str(one.metadata.json.get("description") or "").strip()
        if len(body) < 500:
            continue
        body = body[: max(0, characters - total)]
        found.append(body)
        total += len(body)
        if total >= characters:
            return found
    copies = [f"{body}\n\nEdition {n}.\n" for n in range(2, 50) for body in found]
    for body in copies:
        if total >= characters:
            break
        found.append(body)
        total += len(body)
    return found


def family_pss_mb(process: psutil.Process) -> float:
    """Return the proportional memory of a process and all its descendants."""
    total = 0
    for one in [process, *process.children(recursive=True)]:
        with contextlib.suppress(psutil.Error):
            total += one.memory_full_info().pss
    return total / 1e6


@contextlib.contextmanager
def peak_pss_mb(process: psutil.Process) -> Iterator[list[float]]:
    """Sample the family's memory while the block runs; the list holds the highest."""
    peak = [0.0]
    stop = threading.Event()

    def sample() -> None:
        while not stop.wait(0.5):
            peak[0] = max(peak[0], family_pss_mb(process))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


def search_times(stack: Launched, *, until: Any, at_least: int) -> list[float]:
    """Search with ever new questions until told; returns milliseconds each."""
    times: list[float] = []
    while len(times) < at_least or not until():
        question = f"{QUESTIONS[len(times) % len(QUESTIONS)]} {len(times)}"
        began = time.perf_counter()
        stack.post("/v4/search", q=question, searchMode="hybrid", limit=10)
        times.append((time.perf_counter() - began) * 1000)
        time.sleep(0.02)
    return times


def p95(times: list[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(times, n=20)[-1]


def ingest(stack: Launched, sources: list[str], prefix: str) -> list[str]:
    """Hand the texts in and return the job ids."""
    return [
        stack.post("/v3/documents", content=body, containerTag="bench", customId=f"{prefix}{number}")["jobId"]
        for number, body in enumerate(sources)
    ]


def all_done(stack: Launched) -> bool:
    """Say whether no document is under way."""
    return bool(stack.get("/v3/documents/processing", containerTag="bench", limit=1)["totalCount"] == 0)


def embedded_texts(data_dir: Path) -> tuple[list[str], list[str]]:
    """Return the chunk texts and the statements that the measured ingest embedded."""
    store = Store(data_dir, clock=system_clock)
    with store.read("default") as db:
        first = "document_id IN (SELECT id FROM document WHERE custom_id GLOB 'b*')"
        chunks = [row["body"] for row in db.execute(f"SELECT body FROM chunk WHERE {first}").fetchall()]
        rows = db.execute(f"SELECT statement, speaker, said_at, said_zone FROM candidate WHERE {first}").fetchall()
    store.close()
    return chunks, [attributed(row["statement"], row["speaker"], row["said_at"], row["said_zone"]) for row in rows]


def raw_seconds(batches: list[list[str]]) -> float:
    """Return how long a model server alone takes for these batches, one after the other as the background lane does."""
    with running_server() as server:
        wire = ModelServer(server.background, timeout=300)
        wire.embed(batches[0])
        began = time.perf_counter()
        for batch in batches:
            wire.embed(batch)
        return time.perf_counter() - began


def _cut(rows: list[str], size: int) -> list[list[str]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def measure(chunks: int) -> dict[str, float]:
    """Run everything; returns the figures by name."""
    figures: dict[str, float] = {}
    sources = texts(chunks * CHUNK_CHARS)
    with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder:
        with running(Path(folder) / "warm"):
            pass
        began = time.perf_counter()
        with running(Path(folder) / "data") as stack:
            figures["ready_seconds"] = time.perf_counter() - began
            figures |= idle_memory(stack)
            figures |= timed_ingest(stack, sources)
            figures |= search_while_ingesting(stack, chunks)
        embedded, statements = embedded_texts(Path(folder) / "data")
    figures["chunks"], figures["statements"] = len(embedded), len(statements)
    figures["raw_embedder_seconds"] = raw_seconds(_cut(embedded, 16) + _cut(statements, 32))
    figures["ingest_over_raw"] = figures["raw_embedder_seconds"] / figures["ingest_seconds"]
    return figures


def idle_memory(stack: Launched) -> dict[str, float]:
    """Return the memory of the whole stack some seconds after five questions."""
    for number in range(5):
        stack.post("/v4/search", q=f"nothing yet {number}", searchMode="hybrid")
    time.sleep(6)
    return {"idle_pss_mb": family_pss_mb(stack.supervisor())}


def timed_ingest(stack: Launched, sources: list[str]) -> dict[str, float]:
    """Return how long an ingest takes with nobody searching, and the highest memory meanwhile."""
    with peak_pss_mb(stack.supervisor()) as peak:
        began = time.perf_counter()
        ingest(stack, sources, "b")
        wait_until(lambda: all_done(stack), seconds=3600, what="the ingest is done")
        seconds = time.perf_counter() - began
    return {"ingest_seconds": seconds, "peak_pss_mb": peak[0]}


def search_while_ingesting(stack: Launched, chunks: int) -> dict[str, float]:
    """Return the 95th percentile of searches with nothing else going on, and while other texts are ingested."""
    idle = search_times(stack, until=lambda: True, at_least=SEARCHES)
    ingest(stack, [f"{body}\n\nRevised.\n" for body in texts(chunks * CHUNK_CHARS // 2)], "again")
    busy = search_times(stack, until=lambda: all_done(stack), at_least=1)
    return {
        "search_p95_idle_ms": p95(idle),
        "search_p95_busy_ms": p95(busy),
        "search_p95_busy_over_idle": p95(busy) / p95(idle),
        "searches_while_busy": len(busy),
    }


def main() -> int:
    """Measure, print and keep.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("ingest", __doc__, whole=True)
    parser.add_argument("--chunks", type=int, default=1000, help="about how many chunks to ingest (1000)")
    options = parser.parse_args()
    report = conditions(seed=0) | {"texts": f"sha256 {digest(texts(options.chunks * CHUNK_CHARS))}"}
    report |= judged(measure(options.chunks), TARGETS)
    return finish(report, options, width=28)


def digest(sources: list[str]) -> str:
    """Return the hash that tells one set of texts from another."""
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
