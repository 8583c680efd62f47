"""20,000 requests that no client should send, and many that one may, to a real stack.

`python -m benchmarks.fuzz` starts a stack on a throw-away folder and puts something in it. Two fifths of the requests
are made by schemathesis of the OpenAPI document, half of them fitting it and half not; the others are made by hand
(`fuzz_requests`). Goals: no answer is a 5xx (501 is for what is not built; a 503 names the seconds after which it is
tried again, and is counted), every answer is one that the document tells of, none and no log has a traceback, none
takes longer than `MOST_SECONDS`, and the API grows by no more than `MOST_GROWTH` from the first tenth to the end.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.fuzz_requests import ByHand, Shot, by_schemathesis
from benchmarks.fuzz_shooting import Hit, Shooter
from benchmarks.http_load import api_process
from benchmarks.own_stack import conditions
from benchmarks.report import kept, parser_of, show
from ops.launched import Launched, running
from tests.documented import assert_documented

# A `wait` is at most a second here; the rest is for a machine that does other things too.
MOST_SECONDS = 30.0
# What caches and arenas may take once every kind of request has been seen; a leak of 8 kB a request is over it.
MOST_GROWTH = 128 * 1024 * 1024
# The rate of one caller is not what is measured, and waiting for jobs is not either.
SETTINGS = {"MEMLANE_LOCAL_RATE": "0", "MEMLANE_STRANGER_RATE": "0", "MEMLANE_WAIT_SECONDS": "1"}
SHOWN = 25
# How often a request is sent again after a 503 with `Retry-After`.
TRIES = 5


class Findings:
    """What was answered, counted, and what must not be."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.again: Counter[str] = Counter()  # codes of what was 503 and then sent again
        self.milliseconds: list[float] = []
        self.wrong: list[str] = []
        self._lock = threading.Lock()

    def take(self, shot: Shot, hit: Hit) -> None:
        """Count an answer, and keep what is wrong with it."""
        wrong = _wrong(shot, hit)
        with self._lock:
            self.statuses[hit.status] += 1
            self.milliseconds.append(hit.seconds * 1000)
            if wrong:
                self.wrong.append(f"{wrong}\n    {_told(shot)}\n    {hit.status} {hit.text[:300]!r}")

    def refused(self, hit: Hit) -> None:
        """Count an answer that says to try again."""
        with self._lock:
            self.again[str(json.loads(hit.text)["code"])] += 1


def _wrong(shot: Shot, hit: Hit) -> str | None:
    if hit.seconds > MOST_SECONDS:
        return f"it took {hit.seconds:.1f} s"
    if hit.status >= 500 and hit.status != 501:
        return "a 5xx"
    if "Traceback" in hit.text:
        return "a traceback"
    if shot.raw is None and hit.status:
        try:
            assert_documented(shot.method, shot.path.partition("?")[0], hit.status, hit.headers, hit.text)
        except (AssertionError, ValueError, KeyError) as error:
            return f"not as the document tells: {error}"
    return None if hit.status or shot.raw is not None else f"no answer: {hit.text}"


def _told(shot: Shot) -> str:
    if shot.raw is not None:
        return repr(shot.raw[:200])
    return f"{shot.method} {shot.path[:300]!r} {dict(shot.headers)} {(shot.body or b'')[:300]!r}"


def prepared(own: Launched) -> dict[str, Sequence[str]]:
    """Put something of everything into a stack; return the ids by the name that addresses have for them."""
    own.http.post(own.url + "/v1/admin/tenants", json={"id": "acme", "name": "Acme"}, timeout=30)
    made = [
        own.post("/v3/documents", content=f"# Crane {n}\n\nCrane {n} lifts {n}5 kg.", customId=f"crane-{n}")
        for n in range(10)
    ]
    told = [{"role": "user", "name": "Ana", "content": "I moved to Oslo."}]
    own.post("/v4/conversations", conversationId="c-1", messages=told)
    event = own.post("/v1/episodes", session_id="run-7", kind="turn", role="user", content="I live in Bergen.")
    facts = own.post("/v4/memories", memories=[{"content": f"Ana has {n} cats."} for n in range(10)])["memories"]
    own.job(made[-1]["jobId"])
    return {
        "id": [*(one["id"] for one in made), "crane-1", "run-7"],
        "memory_id": [one["id"] for one in facts],
        "job_id": [one["jobId"] for one in made],
        "episode_id": [one["id"] for one in event.get("episodes", [])],
        "name": ["default"],
        "container_tag": ["default", "new"],
        "generation_id": ["1", "2"],
        "tenant": ["acme"],
        "connection": ["notion"],
    }


def made(own: Launched, options: argparse.Namespace) -> list[Shot]:
    """Return the requests in the order in which they are sent."""
    document = own.get("/v1/openapi.json")
    ids = prepared(own)
    by_tool = by_schemathesis(document, own.url, options.requests * 2 // 5, number=options.seed)
    by_hand = ByHand(document, ids, number=options.seed).shots(options.requests - len(by_tool))
    shots = [*by_tool, *by_hand]
    random.Random(options.seed).shuffle(shots)
    return shots


def shoot(own: Launched, shots: Sequence[Shot], findings: Findings, *, clients: int) -> None:
    """Send requests from several threads and take what is answered."""
    waiting = iter(shots)
    lock = threading.Lock()

    def client() -> None:
        shooter = Shooter(own.port, seconds=2 * MOST_SECONDS)
        while True:
            with lock:
                shot = next(waiting, None)
            if shot is None:
                return
            findings.take(shot, _answered(shooter, shot, findings))

    with ThreadPoolExecutor(max_workers=clients) as pool:
        for one in [pool.submit(client) for _ in range(clients)]:
            # What went wrong in this program is not to be taken for silence.
            one.result()


def _answered(shooter: Shooter, shot: Shot, findings: Findings) -> Hit:
    """Send a request, again when that is wanted: a burst of writes is refused for a moment, and says for how long."""
    hit = shooter.shoot(shot)
    for _ in range(TRIES):
        if hit.status != 503 or "Retry-After" not in hit.headers:
            break
        findings.refused(hit)
        time.sleep(float(hit.headers["Retry-After"]))
        hit = shooter.shoot(shot)
    return hit


def measured(own: Launched, options: argparse.Namespace) -> tuple[dict[str, str], list[str]]:
    """Run the fuzz; return its figures and what was wrong."""
    shots, findings = made(own, options), Findings()
    server = api_process(own)
    began = time.perf_counter()
    shoot(own, shots[: len(shots) // 10], findings, clients=options.clients)
    warm = server.memory_info().rss
    shoot(own, shots[len(shots) // 10 :], findings, clients=options.clients)
    seconds = time.perf_counter() - began
    grown = server.memory_info().rss - warm
    if grown > MOST_GROWTH:
        findings.wrong.append(f"the API has grown by {grown >> 20} MiB")
    if api_process(own).pid != server.pid:
        findings.wrong.append("the API was started again")
    findings.wrong += _tracebacks(own)
    lines = _figures(findings, seconds=seconds) | {
        "memory": f"of the API {warm >> 20} MiB after a tenth, {grown / 2**20:+.1f} since (bound {MOST_GROWTH >> 20})",
        "health at the end": str(own.http.get(own.url + "/v1/health", timeout=MOST_SECONDS).json()["status"]),
    }
    return lines, findings.wrong


def _figures(findings: Findings, *, seconds: float) -> dict[str, str]:
    statuses = ", ".join(f"{status or 'no answer'}: {count}" for status, count in sorted(findings.statuses.items()))
    ordered = sorted(findings.milliseconds)
    count = len(ordered)
    p50, p99 = ordered[count // 2], ordered[count * 99 // 100]
    return {
        "requests": f"{count} in {seconds:.0f} s, {count / seconds:.0f}/s",
        "answers": statuses,
        "503, sent again": ", ".join(f"{code}: {times}" for code, times in findings.again.items()) or "none",
        "time": f"p50 {p50:.0f} ms, p99 {p99:.0f} ms, longest {ordered[-1]:.0f} ms",
        "wrong": str(len(findings.wrong)),
    }


def _tracebacks(own: Launched) -> list[str]:
    """Return the lines of the stack's log that have a traceback."""
    lines = own.log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"a traceback in the log: {line[:3000]}" for line in lines if "Traceback (most recent call last)" in line]


def main() -> int:
    """Run the benchmark and print its figures.

    Returns:
        0, or 1 when something was not as it must be.
    """
    parser = parser_of("fuzz", __doc__)
    parser.add_argument("--requests", type=int, default=20_000, help="how many (20000)")
    parser.add_argument("--clients", type=int, default=8, help="connections (8)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memlane-fuzz-") as folder, running(Path(folder) / "data", SETTINGS) as own:
        lines, wrong = measured(own, options)
    report: dict[str, Any] = conditions(seed=options.seed) | lines
    show(report, width=18)
    for one in wrong[:SHOWN]:
        print("-", one)
    return kept(report, options) or int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
