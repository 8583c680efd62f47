"""Search over HTTP, at 10,000 memories or as many as are named, against the model's own time to embed the same query.

`python -m benchmarks.search_http` starts a stack on a throw-away folder, writes the memories through the API and asks
without reranking. For each query the model's time is measured in this process just before, so that both meet the same
load of the machine. With `--direct` the memories are put into the store's file before it starts, and `--numpy` leaves
the native part of search out. Goals at 10,000: p50 at most 5 times the model's; not embedding at most 12 ms p50;
a repeated query at most 10 ms p50. At 100,000, what is not embedding: 8 ms p50, with numpy alone 15 ms.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks import filled_store
from benchmarks.http_load import api_process
from benchmarks.model_server import SEED, sample_texts
from benchmarks.own_stack import Api, conditions, stack
from benchmarks.report import finish, held, parser_of
from benchmarks.search_data import base_and_queries, sentences
from inference.minilm import MiniLM, mean_pool
from inference.tokens import token_ids
from memory.settings import environment_name
from ops.launched import running

TAG = "search-http"
SMALL = "small"  # a space for what is loaded once
FEW = 100  # memories of it
MEMORY_TOKENS = 20
QUERY_TOKENS = 10
WRITE = 100  # memories of one request, the most there are
QUERIES = 200
WARM_UP = 20


def fill(api: Api, count: int) -> None:
    """Write so many different memories."""
    texts = [f"{text} number {number}." for number, text in enumerate(sample_texts(count, MEMORY_TOKENS))]
    for start in range(0, count, WRITE):
        memories = [{"content": text} for text in texts[start : start + WRITE]]
        api.post("/v4/memories", {"containerTag": TAG, "memories": memories})
    _wait_for(api, count)


def _wait_for(api: Api, count: int) -> None:
    """Wait until the writer has settled what was answered 202."""
    until = time.monotonic() + 600
    while (found := _total(api)) < count:
        if time.monotonic() > until:
            raise RuntimeError(f"{found} of {count} memories after ten minutes")
        time.sleep(0.2)


def _total(api: Api) -> int:
    listed = api.post("/v4/memories/list", {"containerTags": [TAG], "limit": 1})
    return int(listed["pagination"]["totalItems"])


def milliseconds(call: Callable[[], object]) -> float:
    """Return how long a call took."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def measure(api: Api, model: MiniLM, queries: Sequence[str]) -> dict[str, list[float]]:
    """Time each query three ways: the model alone, a first search, the same search again."""
    taken: dict[str, list[float]] = {"embed": [], "search": [], "repeated": []}
    for number, query in enumerate(queries):
        body = {"q": query, "containerTag": TAG, "limit": 10}
        times = {
            "embed": milliseconds(lambda query=query: mean_pool(*model.run(token_ids([query])))),  # type: ignore[misc]
            "search": milliseconds(lambda body=body: api.post("/v4/search", body)),  # type: ignore[misc]
            "repeated": milliseconds(lambda body=body: api.post("/v4/search", body)),  # type: ignore[misc]
        }
        if number >= WARM_UP:
            for name, value in times.items():
                taken[name].append(value)
    return taken


def _filled(count: int, *, native: bool) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Measure a stack on a store that was filled before it started, and how much its API grew by the rows.

    What a process loads once, whatever the rows (14 MB: patterns, caches of connections), is there before: the same
    questions were asked of a small space.
    """
    texts, base, _ = base_and_queries()
    asked = sentences()[:QUERIES]  # none of those that are remembered
    environment = {environment_name("search_native"): str(int(native))}
    with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder:
        filled_store.fill(Path(folder) / "data", TAG, texts, base, count)
        filled_store.fill(Path(folder) / "data", SMALL, texts, base, FEW)
        with running(Path(folder) / "data", environment) as own:
            api, process = Api(own.url), api_process(own)
            for query in sentences()[QUERIES : 2 * QUERIES]:
                api.post("/v4/search", {"q": query, "containerTag": SMALL, "limit": 10})
            before = process.memory_info().rss
            taken = measure(api, MiniLM(), asked)
            resident = (process.memory_info().rss - before) / count
            return taken, {"resident": f"{resident:.0f} bytes a row {held(resident, '<=', 2253)}"}


def goals(count: int, *, native: bool) -> dict[str, float]:
    """Return the most that figures may be, by name, where so many memories are searched."""
    if count <= 10_000:
        return {"search / embed": 5.0, "not embedding": 12.0, "repeated query": 10.0}
    return {"not embedding": 8.0 if native else 15.0} if count == 100_000 else {}


def summary(taken: dict[str, list[float]], count: int, *, native: bool) -> dict[str, str]:
    """Return the figures by name, each with its goal."""
    p50 = {name: float(np.percentile(values, 50)) for name, values in taken.items()}
    beyond = float(np.percentile(np.array(taken["search"]) - np.array(taken["embed"]), 50))
    lines = {
        name: f"p50 {p50[name]:.1f} ms, p95 {np.percentile(values, 95):.1f} ms, n {len(values)}"
        for name, values in taken.items()
    }
    lines["memories"] = str(count)
    most = goals(count, native=native)
    figures = {
        "search / embed": p50["search"] / p50["embed"],
        "not embedding": beyond,
        "repeated query": p50["repeated"],
    }
    for name, value in figures.items():
        told = f"{value:.2f}" if name == "search / embed" else f"p50 {value:.1f} ms"
        lines[name] = f"{told} {held(value, '<=', most[name])}" if name in most else told
    return lines


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("search_http", __doc__)
    parser.add_argument("--url", help="a running stack; without it one is started on a throw-away folder")
    parser.add_argument("--memories", type=int, default=10_000, help="how many are searched (10000)")
    parser.add_argument("--direct", action="store_true", help="put the memories into the file of a new store")
    parser.add_argument("--numpy", action="store_true", help="leave the native part of search out")
    options = parser.parse_args()
    if options.direct:
        taken, memory = _filled(options.memories, native=not options.numpy)
    else:
        with stack(options.url) as api:
            fill(api, options.memories)
            taken, memory = measure(api, MiniLM(), sample_texts(QUERIES + WARM_UP, QUERY_TOKENS)), {}
    report = conditions(seed=SEED) | summary(taken, options.memories, native=not options.numpy) | memory
    return finish(report, options, width=16)


if __name__ == "__main__":
    raise SystemExit(main())
