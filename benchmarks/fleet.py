"""A simulated fleet: how background work scales, what search pays for it, and what a lost node costs.

    python -m benchmarks.fleet [--short] [--namespaces]

Two interactive and six background nodes with real workers and agents; their model servers sleep 100 ms a batch instead
of thinking. Nodes are taken out by pausing them, so every figure comes from one run of one stack. All figures are
ratios, or milliseconds against a call measured in the same minute, because the machine is not the fleet's own.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.backlog import Backlog, rate
from benchmarks.fleet_interactive import Searches, overhead, search_times
from benchmarks.fleet_loss import lose_link, lose_nodes
from benchmarks.ingest import p95
from benchmarks.namespaces import available
from benchmarks.own_stack import conditions
from benchmarks.queued import many_queued
from benchmarks.report import judged, kept, parser_of, show
from benchmarks.simulated_fleet import SimulatedFleet, paused
from inference.fake_service import ServiceTime
from inference.wire import ModelServer
from memory.fleet import FleetLane

INTERACTIVE, BACKGROUND = ("i0", "i1"), ("b0", "b1", "b2", "b3", "b4", "b5")
LANES: dict[str, FleetLane] = {**dict.fromkeys(INTERACTIVE, "interactive"), **dict.fromkeys(BACKGROUND, "background")}
BATCH_SECONDS = 0.1
# A query is one text; a reranker takes a little for each pair.
QUERY = ServiceTime(call=0.02, text=0.002, slots=1)
SIZES = (1, 2, 3, 6)
# Of the reference fleet: one card of three nodes.
CARD = 3
TARGETS = {
    "throughput on 2 nodes / 1 node": (">=", 1.95),
    "throughput on 3 nodes / 1 node": (">=", 2.9),
    "throughput on 6 nodes / 1 node": (">=", 5.7),
    "one node through the queue / the node's own rate": (">=", 0.95),
    "search p95, background saturated / idle": ("<=", 1.3),
    "queue overhead of an interactive call, p50 ms": ("<=", 4.0),
    "failed interactive requests while a node is lost": ("<=", 0.0),
    "seconds until the lost node's items ran elsewhere": ("<=", 15.0),
    "100,000 queued: slowest API answer p50 / with none": ("<=", 1.3),
    "100,000 queued: items in the broker / slots": ("<=", 2.0),
    "100,000 queued: memory of all parts / with none": ("<=", 1.2),
}

Figures = dict[str, float]


def throughput(fleet: SimulatedFleet, backlog: Backlog, seconds: float) -> Figures:
    """Measure background work on more and more nodes against one, and one against what it does by itself."""
    rates: dict[int, float] = {}
    for size in SIZES:
        with paused(fleet, *BACKGROUND[size:]):
            count = round(size * seconds / BATCH_SECONDS)
            job = backlog.add(count)
            backlog.await_done(job, count, seconds=20 * seconds + 60)
            rates[size] = rate(backlog.ends(job))
    own = own_rate(fleet, backlog.texts, seconds)
    figures: Figures = {f"items a second on {size} nodes": value for size, value in rates.items()}
    figures |= {f"throughput on {size} nodes / 1 node": rates[size] / rates[1] for size in SIZES[1:]}
    figures["batches a second of one node alone"] = own
    figures["one node through the queue / the node's own rate"] = rates[1] / own
    return figures


def own_rate(fleet: SimulatedFleet, texts: Sequence[str], seconds: float) -> float:
    """Return the batches a second of a node whose server is asked one after the other, without a queue."""
    node = fleet.nodes[BACKGROUND[0]]
    server = ModelServer(f"http://{node.host}:{node.ports[0]}", timeout=30)
    server.embed(texts)
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds / 2:
        server.embed(texts)
        count += 1
    taken = time.perf_counter() - began
    server.close()
    return count / taken


def saturation(fleet: SimulatedFleet, backlog: Backlog, count: int) -> Figures:
    """Measure searches on a quiet fleet, and with every slot of a background card busy."""
    searches = Searches(fleet.up)
    figures: Figures = {}
    with paused(fleet, *BACKGROUND[CARD:]):
        search_times(searches, 20)
        before = search_times(searches, count)
        job = backlog.add(round(40 * CARD * count * 0.2 / BATCH_SECONDS))
        backlog.await_done(job, 4 * CARD, seconds=60)
        done, began = backlog.count(job, "done"), time.monotonic()
        busy = search_times(searches, count)
        figures["background slots busy"] = (
            (backlog.count(job, "done") - done) * BATCH_SECONDS / (CARD * (time.monotonic() - began))
        )
        backlog.cancel(job)
        # Before and after, because what else this machine does is not the same for a minute.
        idle = before + search_times(searches, count)
    figures["search p50, idle ms"], figures["search p95, idle ms"] = statistics.median(idle), p95(idle)
    figures["search p50, saturated ms"], figures["search p95, saturated ms"] = statistics.median(busy), p95(busy)
    figures["search p95, background saturated / idle"] = p95(busy) / p95(idle)
    return figures


def measure(*, short: bool, namespaces: bool) -> Iterator[Figures]:
    """Run everything on one fleet, and yield what each part found; a short run is for trying."""
    with (
        tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder,
        SimulatedFleet(Path(folder), LANES, service=ServiceTime(call=BATCH_SECONDS)) as fleet,
    ):
        for name in INTERACTIVE:
            fleet.nodes[name].order(service={"call": QUERY.call, "text": QUERY.text, "slots": QUERY.slots})
        backlog = Backlog(fleet.up)
        yield throughput(fleet, backlog, seconds=4 if short else 15)
        yield overhead(fleet, INTERACTIVE, count=60 if short else 300)
        yield saturation(fleet, backlog, count=60 if short else 300)
        yield lose_nodes(fleet, backlog, INTERACTIVE[0], BACKGROUND[0])
        yield many_queued(fleet, backlog, BACKGROUND, count=10_000 if short else 100_000)
        backlog.close()
    if namespaces:
        with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder:
            yield lose_link(Path(folder), ServiceTime(call=BATCH_SECONDS))


def main() -> int:
    """Measure, print and keep.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("fleet", __doc__, whole=True)
    parser.add_argument("--short", action="store_true", help="a quarter of everything, to see that it works")
    parser.add_argument("--namespaces", action="store_true", help="also cut the link of a node that has its own (root)")
    options = parser.parse_args()
    hindrance = available() if options.namespaces else ""
    if hindrance:
        print(hindrance)
    report = conditions(seed=0) | {"load average at the start": f"{os.getloadavg()[0]:.1f}"}
    show(report, width=52)
    for figures in measure(short=options.short, namespaces=options.namespaces and not hindrance):
        lines = judged(figures, TARGETS)
        report |= lines
        show(lines, width=52)
    end = {"load average at the end": f"{os.getloadavg()[0]:.1f}"}
    show(end, width=52)
    report |= end
    return kept(report, options)


if __name__ == "__main__":
    raise SystemExit(main())
