"""The search core alone, against exact answers and against others, on the same vectors in the same run.

`python -m benchmarks.search` embeds some real sentences, makes rows of them (`benchmarks.search_data`), and lets each
rival answer the same questions in a process of its own: unfiltered, and with a filter that leaves a tenth or a
hundredth of the rows at random. On a shared machine trust the processor times (`cpu`), of all threads. Goals at 100,000
rows: not slower than chromadb, lancedb and sqlite-vec without a filter, 20 times quicker than each with one of a
hundredth, recall of the nearest 40 at least 0.995.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.own_stack import conditions
from benchmarks.report import kept, parser_of, show
from benchmarks.search_data import BASE, NOISE, SEED, base_and_queries, grown
from benchmarks.search_rivals import OURS, RIVALS, Filter, Floats, columns, installed, site_packages

K = 40
ASKED = 100  # questions of each kind
INSERTED = 20  # rows that are added one by one, each asked for at once
CHUNK = 50_000  # rows added at a time
FILTERS: dict[str, Filter | None] = {"none": None, "tenth": ("tenth", 3), "hundredth": ("hundredth", 3)}
SIZES = (1_000, 10_000, 100_000, 1_000_000)
# Others are not asked for more rows: it would take hours to hand them over.
MOST_OF_OTHERS = 100_000


def prepare(folder: Path, sizes: Sequence[int]) -> None:
    """Write the rows, the questions and the exact answers of every size into a folder."""
    _, base, queries = base_and_queries()
    rows = grown(base, max(sizes) + INSERTED)
    rows.tofile(folder / "rows")
    queries[:ASKED].tofile(folder / "queries")
    for size in sizes:
        asked = columns(size)
        for name, only in FILTERS.items():
            slots = np.arange(size) if only is None else np.flatnonzero(asked[only[0]] == only[1])
            nearest = [slots[np.argsort(-_cosines(rows, slots, query))[:K]] for query in queries[:ASKED]]
            np.save(folder / f"{size}-{name}.npy", np.stack([_filled(one) for one in nearest]))


def _cosines(rows: Floats, slots: Any, query: Floats) -> Floats:
    every = rows[: slots[-1] + 1] @ query
    return np.asarray(every[slots], dtype=np.float32)


def _filled(slots: Any) -> Any:
    return np.concatenate((slots, np.full(K - len(slots), -1)))


def measure(name: str, size: int, folder: Path) -> dict[str, Any]:
    """Let one rival answer; for a process of its own."""
    queries = np.fromfile(folder / "queries", dtype=np.float32).reshape(ASKED, -1)
    dimension, asked = queries.shape[1], columns(size)
    rival = RIVALS[name](dimension)
    before, started = psutil.Process().memory_info().rss, time.perf_counter()
    for first in range(0, size, CHUNK):
        count = min(CHUNK, size - first)
        described = {column: values[first : first + count] for column, values in asked.items()}
        rival.add(_rows(folder, first, count, dimension), described)
    report: dict[str, Any] = {"rows/s added": round(size / (time.perf_counter() - started))}
    for kind, only in FILTERS.items():
        rival.search(queries[0], K, only)
        answers, cpu, wall = [], [], []
        for query in queries:
            begun = time.process_time(), time.perf_counter()
            answers.append(rival.search(query, K, only))
            cpu.append(1000 * (time.process_time() - begun[0]))
            wall.append(1000 * (time.perf_counter() - begun[1]))
        report[kind] = _judged(answers, np.load(folder / f"{size}-{kind}.npy"), asked, only) | {
            "cpu p50 ms": _percentile(cpu, 50), "cpu p95 ms": _percentile(cpu, 95),
            "wall p50 ms": _percentile(wall, 50), "wall p95 ms": _percentile(wall, 95),
        }  # fmt: skip
    report["resident bytes/row"] = round((psutil.Process().memory_info().rss - before) / size)
    report["insert and find"] = _inserted(rival, _rows(folder, size, INSERTED, dimension))
    return report


def _rows(folder: Path, first: int, count: int, dimension: int) -> Floats:
    read = np.fromfile(folder / "rows", dtype=np.float32, count=count * dimension, offset=4 * first * dimension)
    return read.reshape(count, dimension)


def _judged(answers: Sequence[Any], exact: Any, asked: dict[str, Any], only: Filter | None) -> dict[str, Any]:
    """Compare answers with the exact ones."""
    met = [len(set(found.tolist()) & set(right.tolist()) - {-1}) for found, right in zip(answers, exact, strict=True)]
    wanted = [int(np.count_nonzero(right >= 0)) for right in exact]
    wrong = 0 if only is None else sum(int(np.count_nonzero(asked[only[0]][one] != only[1])) for one in answers)
    shares = [one / most for one, most in zip(met, wanted, strict=True)]
    return {
        "recall": round(float(np.mean(shares)), 5), "worst recall": round(min(shares), 3),
        "too few": sum(len(found) < most for found, most in zip(answers, wanted, strict=True)), "wrong": wrong,
    }  # fmt: skip


def _inserted(rival: Any, rows: Floats) -> dict[str, Any]:
    """Add rows one by one and ask for each at once."""
    cpu, found = [], 0
    count = len(rival.columns["tenth"]) if rival.columns else rival._count
    for number, row in enumerate(rows):
        begun = time.process_time()
        rival.add(row[None, :], {"tenth": np.array([0]), "hundredth": np.array([0])})
        answer = rival.search(row, K, None)
        cpu.append(1000 * (time.process_time() - begun))
        found += int(count + number in answer[:1])
    return {"cpu p50 ms": _percentile(cpu, 50), "found": f"{found} of {len(rows)}"}


def _percentile(values: Sequence[float], share: int) -> float:
    return round(float(np.percentile(values, share)), 3)


def run(names: Sequence[str], sizes: Sequence[int], environment: Path | None) -> dict[str, Any]:
    """Measure every rival at every size, each in a process of its own."""
    given = ["--with", str(environment)] if environment else []
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder:
        prepare(Path(folder), sizes)
        for size in sizes:
            for name in names:
                if size > MOST_OF_OTHERS and name not in OURS:
                    continue
                command = [sys.executable, "-m", "benchmarks.search", *given, "--only", name, "--sizes", str(size)]
                done = subprocess.run([*command, "--data", folder], capture_output=True, text=True, check=False)
                if done.returncode:
                    raise RuntimeError(f"{name} at {size} rows: {done.stderr[-2000:]}")
                report.setdefault(str(size), {})[name] = one = json.loads(done.stdout)
                print(_line(name, size, one), flush=True)
    return report


def _line(name: str, size: int, one: dict[str, Any]) -> str:
    asked = "  ".join(f"{kind} {one[kind]['cpu p50 ms']:8.3f} ms {one[kind]['recall']:.4f}" for kind in FILTERS)
    more = f"{one['resident bytes/row']:>6} B/row  +1 {one['insert and find']['cpu p50 ms']} ms"
    return f"{size:>8} {name:18} {asked}  {more}"


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("search", __doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="rows, by default 10^3 to 10^6")
    parser.add_argument("--only", nargs="+", choices=list(RIVALS), default=list(RIVALS), help="rivals that take part")
    parser.add_argument("--with", dest="environment", type=Path, help="an environment that has further packages")
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    # Behind our own packages: where both have one, ours is used.
    sys.path += site_packages(options.environment) if options.environment else []
    if options.data:
        print(json.dumps(measure(options.only[0], options.sizes[0], options.data)))
        return 0
    names = [name for name in options.only if installed(name)]
    missing = [name for name in options.only if name not in names]
    report: dict[str, Any] = conditions(seed=SEED) | {
        "data": f"{BASE} embedded sentences, further rows with noise of length {NOISE}",
        "asked": f"{ASKED} questions of each kind, the nearest {K}",
        "missing": missing,
    }
    show(report, width=10)
    report["rows"] = run(names, options.sizes, options.environment)
    return kept(report, options)


if __name__ == "__main__":
    raise SystemExit(main())
