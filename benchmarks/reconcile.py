"""Reconcile with judges that take a second: how much is done at a time, and what people notice of a long backlog.

    python -m benchmarks.reconcile [--short] [--part people]

Three background nodes with real workers; their language models sleep one second for each question and find everything
distinct. The same history is settled twice in one stack, in two spaces: with every fact waiting from the start, and
strictly one at a time (the next is stored when the last is settled). Both take what the judges take and everything
else. Then 10,000 candidates wait behind those judges, in a space of 10,000 memories, while memories are changed,
written and searched through the API.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmarks.candidates import Candidates
from benchmarks.histories import history
from benchmarks.own_stack import conditions
from benchmarks.reconcile_people import People, waiting_backlog
from benchmarks.report import judged, kept, parser_of, show
from benchmarks.simulated_fleet import SimulatedFleet
from inference.fake_service import ServiceTime
from memory.fleet import FleetLane

SEED = 20261201
INTERACTIVE, BACKGROUND = ("i0",), ("b0", "b1", "b2")
LANES: dict[str, FleetLane] = {**dict.fromkeys(INTERACTIVE, "interactive"), **dict.fromkeys(BACKGROUND, "background")}
JUDGE_SECONDS = 1.0
# A query is one text; the embedded model takes 8.8 ms for it under full background load (benchmarks/model_server.py).
QUERY = {"call": 0.008, "text": 0.001, "slots": 1}
# New facts by the share of them that touch another. When all do, none can be judged beside another.
COUNTS = {0.0: 90, 0.1: 90, 0.3: 60, 1.0: 18}
PARTS = ("throughput", "people")
TARGETS = {
    "throughput / one at a time, 10 % touch": (">=", 2.7),
    "10,000 wait: PATCH p95 ms": ("<=", 50.0),
    "10,000 wait: items that are out / slots": ("<=", 2.0),
}

Figures = dict[str, float]


def throughput(candidates: Candidates, touching: float, count: int) -> Figures:
    """Settle one history with everything waiting, and again one at a time."""
    told = history(seed=SEED, count=count, touching=touching)
    together, alone = f"together-{touching:g}", f"alone-{touching:g}"
    for space in (together, alone):
        candidates.await_settled(candidates.add(space, told.known), seconds=60)
    began = time.perf_counter()
    candidates.await_settled(candidates.add(together, told.said), seconds=20 * count)
    taken = time.perf_counter() - began
    questions = candidates.questions(together)
    began = time.perf_counter()
    for one in told.said:
        candidates.await_settled(candidates.add(alone, [one]), seconds=60)
    singly = time.perf_counter() - began
    if candidates.state(together) != candidates.state(alone):
        raise RuntimeError(f"the two runs of {touching:g} did not come to the same")
    name = f"{touching * 100:.0f} % touch"
    return {
        f"throughput / one at a time, {name}": singly / taken,
        f"facts, {name}": count,
        f"questions, {name}": questions,
        f"questions of the run one at a time, {name}": candidates.questions(alone),
        f"seconds, {name}": taken,
        f"seconds one at a time, {name}": singly,
        f"judges busy, {name}": questions * JUDGE_SECONDS / (taken * len(BACKGROUND)),
        f"seconds beside the judge's for each one at a time, {name}": (
            (singly - candidates.questions(alone) * JUDGE_SECONDS) / count
        ),
    }


def measure(*, short: bool, parts: Collection[str] = PARTS) -> Iterator[Figures]:
    """Run the parts on one fleet, and yield what each found; a short run is for trying."""
    with (
        tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder,
        SimulatedFleet(Path(folder), LANES, service=ServiceTime(), llm=BACKGROUND) as fleet,
    ):
        for name in INTERACTIVE:
            fleet.nodes[name].order(service=QUERY)
        for name in BACKGROUND:
            # The embedder and the language model are two servers; only the worker's one slot is shared.
            fleet.nodes[name].order(service={"letter": JUDGE_SECONDS})
        fleet.up.post("/v4/memories", memories=[{"content": "The hall is open."}], containerTag="start")
        candidates = Candidates(fleet.up)
        for touching, count in COUNTS.items() if "throughput" in parts else ():
            yield throughput(candidates, touching, count // 3 if short else count)
        if "people" in parts:
            size = 1000 if short else 10_000
            people = People(fleet.up, candidates, random.Random(SEED))
            calls = 40 if short else 200
            yield waiting_backlog(fleet, people, size=size, calls=calls, background=BACKGROUND, seed=SEED)
        candidates.close()


def main() -> int:
    """Measure, print and keep.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("reconcile", __doc__, whole=True)
    parser.add_argument("--short", action="store_true", help="a sixth of everything, to see that it works")
    parser.add_argument("--part", choices=PARTS, help="only this")
    options = parser.parse_args()
    report = conditions(seed=SEED) | {"load average at the start": f"{os.getloadavg()[0]:.1f}"}
    show(report, width=60)
    for figures in measure(short=options.short, parts=[options.part] if options.part else PARTS):
        lines = judged(figures, TARGETS) | {f"load average after {next(iter(figures))}": f"{os.getloadavg()[0]:.1f}"}
        report |= lines
        show(lines, width=60)
    return kept(report, options)


if __name__ == "__main__":
    raise SystemExit(main())
