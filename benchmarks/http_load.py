"""The API under load: 100 requests a second from 32 clients for two minutes, and 50 uploads at once.

`python -m benchmarks.http_load` starts a stack on a throw-away folder whose store has 10,000 memories. Half of the
requests are searches whose question was asked before, the other half lists and gets of memories, documents and jobs.
Goals: no error, p95 at most 80 ms; of the uploads each is accepted or refused plainly, and what was accepted is there.

The processor time of the API a request and that of the load client are measured too, since they do not depend on what
else the machine does; `load` is the machine's run queue before and after.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from benchmarks import filled_store, load_client
from benchmarks.load_client import Asked, Taken, asked
from benchmarks.model_server import SEED
from benchmarks.own_stack import Api, conditions
from benchmarks.report import finish, held, parser_of
from benchmarks.search_data import base_and_queries, sentences
from ops.launched import Launched, running

TAG = "load"
QUESTIONS = 40  # different ones, so that each is asked again and again
DOCUMENTS = 50
UPLOADS = 50
GOAL_MS = 80


def prepared(api: Api) -> tuple[list[str], list[str], list[str]]:
    """Add documents and ask each question once; return the ids of memories, documents and jobs."""
    texts = sentences()
    made = [
        api.post("/v3/documents", {"content": f"# Note {n}\n\n{texts[n]}", "containerTag": TAG})
        for n in range(DOCUMENTS)
    ]
    api.finish([one["jobId"] for one in made])
    for question in texts[:QUESTIONS]:
        api.post("/v4/search", {"q": question, "containerTag": TAG, "limit": 10})
    listed = api.post("/v4/memories/list", {"containerTags": [TAG], "limit": 100})
    memories = [one["id"] for one in listed["memoryEntries"]]
    return memories, [one["id"] for one in made], [one["jobId"] for one in made]


def planned(url: str, api: Api) -> list[Asked]:
    """Return the requests, half of them searches, shuffled: each client is to send all kinds."""
    memories, documents, jobs = prepared(api)
    searches = [
        asked("search", url, "POST", "/v4/search", {"q": question, "containerTag": TAG, "limit": 10})
        for question in sentences()[:QUESTIONS]
    ]
    page = {"containerTags": [TAG], "limit": 20}
    reads = [
        one
        for number in range(QUESTIONS)
        for one in (
            asked("list memories", url, "POST", "/v4/memories/list", page),
            asked("get memory", url, "GET", f"/v1/memories/{memories[number]}"),
            asked("list documents", url, "GET", f"/v3/documents?containerTag={TAG}&limit=20"),
            asked("get document", url, "GET", f"/v3/documents/{documents[number]}"),
            asked("list jobs", url, "GET", "/v1/jobs?limit=20"),
            asked("get job", url, "GET", f"/v1/jobs/{jobs[number]}"),
        )
    ]
    every = [*searches * 6, *reads]
    random.Random(SEED).shuffle(every)
    return every


def uploaded(url: str, api: Api) -> dict[str, str]:
    """Send files all at once and look for each that was accepted."""
    mark, texts = "memlane-load-7f3a", sentences()
    files = [
        f"--{mark}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"note-{n}.txt\"\r\n"
        f"Content-Type: text/plain\r\n\r\nUpload {n}: {texts[n]}\r\n"
        f"--{mark}\r\nContent-Disposition: form-data; name=\"containerTag\"\r\n\r\n{TAG}-files\r\n--{mark}--\r\n"
        for n in range(UPLOADS)
    ]  # fmt: skip
    media = f"multipart/form-data; boundary={mark}"
    sent = [asked("upload", url, "POST", "/v3/documents/file", (text.encode(), media)) for text in files]
    began = time.perf_counter()
    taken = load_client.burst(url, sent)
    seconds = time.perf_counter() - began
    accepted = [json.loads(body)["id"] for status, _, body in taken.bodies if status in (200, 201, 202)]
    plain = sum(status in (429, 503) and "retry-after" in fields for status, fields, _ in taken.bodies)
    until = time.monotonic() + 600
    states: list[str] = []
    while time.monotonic() < until:
        states = [str(api.get(f"/v3/documents/{one}")["status"]) for one in accepted]
        if set(states) <= {"done", "failed"}:
            break
        time.sleep(0.5)
    return {
        "uploads": f"{UPLOADS} at once: {len(accepted)} accepted, {plain} refused with Retry-After, "
        f"{UPLOADS - len(accepted) - plain} otherwise, in {seconds:.1f} s",
        "uploads done": f"{states.count('done')} of {len(accepted)}, {len(set(accepted))} different documents",
    }


def figures(taken: Taken, *, seconds: float) -> dict[str, str]:
    """Return the figures of a run by name."""
    every = [value for values in taken.milliseconds.values() for value in values]
    lines = {
        name: f"p50 {np.percentile(values, 50):.1f} ms, p95 {np.percentile(values, 95):.1f} ms, n {len(values)}"
        for name, values in sorted(taken.milliseconds.items())
    }
    p50, p95, p99 = (float(np.percentile(every, part)) for part in (50, 95, 99))
    lines["all"] = (
        f"{len(every) / seconds:.1f} requests/s, p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms, "
        f"longest {max(every):.0f} ms"
    )
    lines["p95 in ms"] = f"{p95:.4g} {held(p95, '<=', GOAL_MS)}"
    lines["errors"] = ", ".join(f"{name}: {count}" for name, count in taken.refused.items()) or "none"
    lines["sent late"] = f"p95 {np.percentile(taken.late, 95):.1f} ms"
    return lines


def measured(own: Launched, options: argparse.Namespace) -> dict[str, str]:
    """Run the load against a stack and return the figures."""
    api = Api(own.url)
    plan = planned(own.url, api)
    server = api_process(own)
    before, client, load = server.cpu_times(), time.process_time(), os.getloadavg()[0]
    began = time.perf_counter()
    taken = load_client.run(
        own.url, lambda number: plan[number % len(plan)], clients=options.clients, rate=options.rate,
        seconds=options.seconds,
    )  # fmt: skip
    seconds = time.perf_counter() - began
    after, own_seconds = server.cpu_times(), time.process_time() - client
    spent = after.user + after.system - before.user - before.system
    count = round(options.rate * options.seconds)
    lines = figures(taken, seconds=seconds)
    lines["API processor"] = f"{spent / count * 1000:.2f} ms a request, {spent / seconds:.2f} of a core"
    lines["client processor"] = f"{own_seconds / count * 1000:.2f} ms a request, {own_seconds / seconds:.2f} of a core"
    lines["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} after"
    return lines | uploaded(own.url, api)


def api_process(own: Launched) -> psutil.Process:
    """Return the process of a stack that answers requests.

    Raises:
        RuntimeError: the stack is not running.
    """
    if own.process is None:
        raise RuntimeError("the stack is not running")
    (found,) = (
        one for one in psutil.Process(own.process.pid).children(recursive=True) if one.cmdline()[1:3] == ["-m", "api"]
    )
    return found


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        The exit code, as `benchmarks.report.kept`.
    """
    parser = parser_of("http_load", __doc__)
    parser.add_argument("--memories", type=int, default=10_000, help="how many are searched (10000)")
    parser.add_argument("--clients", type=int, default=32, help="connections (32)")
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second (100)")
    parser.add_argument("--seconds", type=float, default=120.0, help="how long (120)")
    options = parser.parse_args()
    texts, base, _ = base_and_queries()
    with tempfile.TemporaryDirectory(prefix="memlane-bench-") as folder:
        filled_store.fill(Path(folder) / "data", TAG, texts, base, options.memories)
        with running(Path(folder) / "data") as own:
            report = conditions(seed=SEED) | measured(own, options)
    return finish(report, options, width=18)


if __name__ == "__main__":
    raise SystemExit(main())
