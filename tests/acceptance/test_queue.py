"""QUEUE-01, 03, 05, 07 and 09: the queue may lose everything, its consumers may die, and nobody notices for long.

The cases' waits are divided by a factor named at each test; what a case demands of the time after is not.
"""

from __future__ import annotations

import shutil
import signal
import statistics
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import requests

from benchmarks.backlog import Backlog
from benchmarks.simulated_fleet import SimulatedFleet
from inference.fake_service import ServiceTime
from memory.settings import Settings
from ops.broker import broker_process
from ops.launched import Launched, wait_until
from tests.faults.broker import Broker
from workers.address import socket_file
from workers.app import make_app

pytestmark = pytest.mark.timeout(240)
FACTOR = 5
MOMENT = timedelta(seconds=0.5)
ENDED = ("done", "partial", "failed", "cancelled")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    one = Broker(tmp_path_factory.mktemp("queue-broker"))
    one.start()
    yield one
    one.kill()


@pytest.fixture(scope="module")
def fleet(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedFleet]:
    """One interactive and two background nodes, 20 ms a call, waits of the stack divided by FACTOR."""
    told = {"REDIS_URL": broker.url, "MEMLANE_TIME_FACTOR": str(FACTOR), "MEMLANE_INTERACTIVE_TIMEOUT": "50"}
    lanes: Any = {"i0": "interactive", "b0": "background", "b1": "background"}
    folder = tmp_path_factory.mktemp("queue")
    with SimulatedFleet(folder, lanes, service=ServiceTime(call=0.02), environment=told) as one:
        yield one


@pytest.fixture
def slow(fleet: SimulatedFleet) -> Iterator[float]:
    """Background calls of a second."""
    for name in ("b0", "b1"):
        fleet.nodes[name].take(1.0)
    yield 1.0
    for name in ("b0", "b1"):
        fleet.nodes[name].take(0.02)


def post(up: Launched, content: str, space: str) -> requests.Response:
    body = {"content": content, "containerTag": space}
    return requests.post(up.url + "/v3/documents", json=body, timeout=60)


def job_states(up: Launched, space: str) -> list[str]:
    return [one["state"] for one in up.get("/v3/jobs", containerTag=space, limit=200)["jobs"]]


def all_done(up: Launched, space: str) -> bool:
    return set(job_states(up, space)) == {"done"}


def assert_once(up: Launched, space: str, count: int) -> None:
    stats = up.get("/v1/stats", containerTag=space)
    assert (stats["documents"], stats["chunks"]) == (count, count)
    assert stats["memories"] == {"live": count, "superseded": 0, "forgotten": 0}


def broker_state(up: Launched) -> str:
    return str(up.get("/v1/health")["broker"])


# QUEUE-01


def test_work_goes_on_by_itself_after_every_outage_of_the_broker(
    fleet: SimulatedFleet, broker: Broker, space: str
) -> None:
    up = fleet.up
    pids = {one.pid for one in up.children("workers")}
    accepted: list[int] = []
    stop = threading.Event()

    def keep_posting() -> None:
        while not stop.wait(0.05):
            answer = post(up, f"Boiler {len(accepted)} has {len(accepted)} valves.", space)
            if answer.status_code == 202:
                accepted.append(1)
            else:
                assert answer.status_code == 503

    # given work that flows
    flow = threading.Thread(target=keep_posting)
    flow.start()
    try:
        # when the broker restarts after 2 s and after 20 s (divided by 10), twice within 3 s, and is cut off for 6 s
        for seconds in (0.2, 2.0, 0.3, 0.3):
            broker.kill()
            if seconds == 2.0:
                wait_until(lambda: broker_state(up) == "down", seconds=5, what="health says that the broker is down")
            time.sleep(seconds)
            broker.start()
        broker.freeze()
        time.sleep(6.0)
        broker.freeze(number=signal.SIGCONT)
    finally:
        stop.set()
        flow.join()

    # then everything drains within a minute, no worker was restarted for it, and each document is there once
    wait_until(lambda: broker_state(up) == "up", seconds=60, what="health says that the broker is up")
    wait_until(lambda: all_done(up, space), seconds=60, what="all queues drain")
    assert {one.pid for one in up.children("workers")} == pids
    assert_once(up, space, len(accepted))


def test_the_versions_are_those_that_come_back_after_an_outage() -> None:
    assert tuple(map(int, version("kombu").split(".")[:2])) >= (5, 7)
    assert tuple(map(int, version("celery").split(".")[:2])) >= (5, 7)


# QUEUE-03


def background_in_flight(up: Launched) -> list[str]:
    """Return the background workers that hold an item."""
    workers = up.get("/v1/lanes")["workers"]
    return [one["worker"] for one in workers if one["in_flight"] and one["worker"].startswith("background@")]


def kill_worker(fleet: SimulatedFleet, name: str) -> None:
    lane, _, node = name.partition("@")
    for one in fleet.up.children(f"workers {lane} --node {node}"):
        one.kill()


def test_a_killed_worker_loses_nothing_and_an_item_that_kills_three_is_failed_with_a_reason(
    fleet: SimulatedFleet, slow: float, space: str
) -> None:
    up = fleet.up
    # given documents of which both background workers hold one
    for number in range(6):
        assert post(up, f"Kettle {number} has {number} spouts.", space).status_code == 202
    wait_until(lambda: len(background_in_flight(up)) == 2, seconds=20, what="both hold something")

    # when one is killed in the middle of it, and later every worker that holds a certain document
    kill_worker(fleet, "background@b0")
    for name in ("b0", "b1"):
        fleet.nodes[name].fail({"delay": 60.0}, words="Grenade")
        fleet.nodes[name].take(0.02)
    job = post(up, "Grenade 1 has one pin.", "default").json()["jobId"]

    def ended() -> bool:
        if all_done(up, space):
            for worker in background_in_flight(up):
                kill_worker(fleet, worker)
        return up.get(f"/v1/jobs/{job}")["state"] in ENDED

    wait_until(ended, seconds=120, what="the item that kills is given up")

    # then its job says so, all others are done once, and work goes on
    told = up.get(f"/v1/jobs/{job}")
    assert told["state"] == "failed"
    assert "worked on this" in told["reason"] or "without a result" in told["reason"]
    assert_once(up, space, 6)
    assert up.post("/v3/documents", content="Spoon 1 is clean.", wait=True)["status"] == "done"


# QUEUE-05: 200 tasks of 30 s, divided by 30


@pytest.fixture(scope="module")
def backlog(fleet: SimulatedFleet) -> Iterator[Backlog]:
    one = Backlog(fleet.up)
    yield one
    one.close()


@pytest.fixture
def full(backlog: Backlog, slow: float) -> Iterator[Backlog]:
    job = backlog.add(200)
    backlog.await_done(job, 2, seconds=60)
    yield backlog
    backlog.cancel(job)


def test_searches_and_ingests_do_not_wait_behind_a_full_background_lane(
    fleet: SimulatedFleet, backlog: Backlog, space: str, request: pytest.FixtureRequest
) -> None:
    up = fleet.up
    assert backlog.chunks
    fleet.await_workers("i0", "b0", "b1")

    def search(number: int) -> float:
        began = time.perf_counter()
        answer = up.post("/v4/search", q=f"{space} asks {number}", rerank=True)
        assert not answer.get("degraded")
        return time.perf_counter() - began

    # given what a search takes when nothing else happens
    idle = [search(number) for number in range(20)]

    # when every background slot is busy for minutes
    request.getfixturevalue("full")
    busy = [search(100 + number) for number in range(20)]
    began = time.perf_counter()
    for number in range(3):
        assert post(up, f"Ladle {number} is long.", space).status_code == 202
    posting = time.perf_counter() - began

    # then searches take about as long as before, and nothing waits to be accepted
    assert statistics.quantiles(busy, n=20)[-1] < 2 * statistics.quantiles(idle, n=20)[-1]
    assert posting < 3.0


def test_an_idle_node_takes_what_waits_behind_a_busy_one(fleet: SimulatedFleet, full: Backlog) -> None:
    # given long tasks behind one node while the other is paused
    up = fleet.up
    up.post("/v1/nodes/pause", nodes=["b1"], seconds=600)
    wait_until(lambda: "background@b1" not in background_in_flight(up), seconds=20, what="b1 is drained")

    # when the other comes back, then it takes some of them within seconds
    up.post("/v1/nodes/resume", nodes=["b1"])
    wait_until(lambda: "background@b1" in background_in_flight(up), seconds=10, what="b1 has something to do")


def test_workers_take_one_task_at_a_time_and_acknowledge_it_when_it_is_done() -> None:
    conf = make_app(Settings()).conf
    assert (conf.worker_prefetch_multiplier, conf.task_acks_late, conf.worker_disable_prefetch) == (1, True, True)


# QUEUE-07: two minutes of waiting, divided by 60


def test_a_queue_that_nobody_consumes_is_named_and_its_work_is_done_when_somebody_does(tmp_path: Path) -> None:
    lanes: Any = {"i0": "interactive", "b0": "background"}
    told = {"MEMLANE_TIME_FACTOR": str(FACTOR)}
    with SimulatedFleet(tmp_path, lanes, service=ServiceTime(call=0.01), environment=told, workers=False) as fleet:
        up = fleet.up
        # given no background worker but one of a node that is misspelt
        misspelt = fleet.start_node_as("b00")

        # when three documents are handed in, then each answer warns of it
        answers = [post(up, f"Tray {number} is flat.", "default").json() for number in range(3)]
        assert ["queue background" in one.get("warning", "") for one in answers] == [True] * 3
        jobs = [one["jobId"] for one in answers]

        # and lanes and health name the queue at once, and the jobs are open with their age
        def named() -> bool:
            told = [*up.get("/v1/health")["warnings"], *up.get("/v1/lanes")["warnings"]]
            return sum("Nothing consumes the queue background" in one for one in told) == 2

        wait_until(named, seconds=30, what="the queue without a consumer is named")
        time.sleep(2.0)
        assert named()
        assert up.get("/v1/health")["status"] == "degraded"
        (queue,) = [one for one in up.get("/v1/lanes")["queues"] if one["name"] == "background"]
        assert queue["oldest_seconds"] > 0
        assert {up.get(f"/v1/jobs/{job}")["state"] for job in jobs} <= {"queued", "running"}
        assert misspelt.poll() is None

        # and when the right workers start, all are done in their order, without being sent again
        for node in fleet.nodes.values():
            fleet.start_node(node)
        ends = [up.job(job) for job in jobs]
        assert [one["state"] for one in ends] == ["done"] * 3
        # Oldest first; where several nodes work at once, two that follow each other may end within the same moment.
        times = [datetime.fromisoformat(one["finished_at"]) for one in ends]
        assert all(later - earlier > -MOMENT for earlier, later in pairwise(times))


# QUEUE-09


def test_no_restart_forgets_a_job_or_does_one_again(tmp_path: Path) -> None:
    lanes: Any = {"i0": "interactive", "b0": "background"}
    told = {"MEMLANE_TIME_FACTOR": str(FACTOR)}
    with SimulatedFleet(tmp_path, lanes, service=ServiceTime(call=0.01), environment=told) as fleet:
        up = fleet.up
        # given three documents that are done, and seven that run or wait because the model hangs
        done = [up.post("/v3/documents", content=f"Mug {number} is blue.", wait=True) for number in range(3)]
        fleet.nodes["b0"].fail({"delay": 3600.0})
        jobs = [one["jobId"] for one in done]
        jobs += [post(up, f"Bowl {number} is green.", "default").json()["jobId"] for number in range(7)]
        ends = {one["jobId"]: up.get(f"/v1/jobs/{one['jobId']}") for one in done}

        # when all is stopped, then killed, then started on a broker that knows nothing
        for turn in ("stopped", "killed", "emptied"):
            up.stop(number=signal.SIGKILL if turn == "killed" else signal.SIGTERM)
            if turn == "emptied":
                shutil.rmtree(up.data_dir / "broker")
            wait_until(lambda: not _socket_answers(up), seconds=20, what="the broker has ended")
            up.http = requests.Session()
            up.start()

            # then every job is listed, and those that were done are as they were
            listed = up.get("/v3/jobs", limit=100)["jobs"]
            assert {one["id"] for one in listed} == set(jobs)
            assert {job: up.get(f"/v1/jobs/{job}") for job in ends} == ends

        # and when the model is well again, the others are done too
        fleet.nodes["b0"].fail(None)
        assert {up.job(job)["state"] for job in jobs} == {"done"}
        assert_once(up, "default", 10)


def _socket_answers(up: Launched) -> bool:
    return broker_process(socket_file(up.data_dir)) is not None
