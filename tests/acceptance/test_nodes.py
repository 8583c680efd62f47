"""NODE-01 and NODE-09: nodes that fail, and nodes that are lent out, while people search and hand in documents."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from benchmarks.simulated_fleet import SimulatedFleet
from inference.fake_service import ServiceTime
from ops.launched import Launched, wait_until

pytestmark = pytest.mark.timeout(240)
# Of the stack's waits; the probes of a node that is out of rotation come 4 s apart at most instead of 20 s.
FACTOR = 5
NODES = ("n1", "n2", "n3")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedFleet]:
    """Three nodes that serve both lanes."""
    lanes: Any = dict.fromkeys(NODES, "interactive")
    told = {"MEMLANE_TIME_FACTOR": str(FACTOR), "MEMLANE_INTERACTIVE_TIMEOUT": "50"}
    folder = tmp_path_factory.mktemp("nodes")
    with SimulatedFleet(folder, lanes, service=ServiceTime(call=0.01), slots=2, environment=told) as one:
        yield one


def search(up: Launched, words: str) -> requests.Response:
    return requests.post(up.url + "/v4/search", json={"q": words, "rerank": True}, timeout=60)


def nodes(up: Launched) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in up.get("/v1/lanes")["nodes"]}


def taking(up: Launched, *lanes: str) -> set[str]:
    """Return the nodes that take work of some lanes, of the interactive one when none is named."""
    workers = up.get("/v1/lanes")["workers"]
    return {one["node"] for one in workers if one["consuming"] and one["lane"] in (lanes or ("interactive",))}


@pytest.fixture(autouse=True)
def well(fleet: SimulatedFleet) -> Iterator[SimulatedFleet]:
    """All nodes are well before and after each test."""
    fleet.await_workers(*NODES, seconds=40)
    yield fleet
    pause_file(fleet).unlink(missing_ok=True)
    for name in NODES:
        if fleet.nodes[name].server is None:
            fleet.start_server(name)
    wait_until(lambda: all(fleet.nodes[name].is_up() for name in NODES), seconds=20, what="all model servers are up")
    for name in NODES:
        fleet.nodes[name].fail(None)


# NODE-01


def test_nobody_notices_two_bad_nodes_of_three_and_they_come_back_by_themselves(
    fleet: SimulatedFleet, space: str
) -> None:
    up = fleet.up
    up.post("/v4/memories", memories=[{"content": "The valve is in shaft 4."}])

    # given a node that is gone and a node that answers 200 with nothing
    fleet.nodes["n1"].kill_server()
    fleet.nodes["n2"].fail({"bend": "empty"})

    # when people search and hand in documents, then none of it fails, and nothing empty passes for an answer
    jobs = []
    for number in range(100):
        answer = search(up, f"In which shaft is the valve? Call {number}")
        assert answer.status_code == 200, answer.text
        assert answer.json()["results"]
        if number % 5 == 0:
            jobs.append(up.post("/v3/documents", content=f"Pan {number} is hot.", containerTag=space)["jobId"])
    assert {up.job(job)["state"] for job in jobs} == {"done"}

    # and both are out of rotation, with a reason
    wait_until(lambda: taking(up) == {"n3"}, seconds=20, what="only n3 takes work")
    for name in ("n1", "n2"):
        assert nodes(up)[name]["state"] in ("broken", "unhealthy")
        assert nodes(up)[name]["why"]

    # and when they are well they are back within 30 s
    fleet.start_server("n1")
    fleet.nodes["n2"].fail(None)
    wait_until(lambda: taking(up) == set(NODES), seconds=30, what="all three take work again")


def test_without_any_node_searches_say_so_and_documents_wait(fleet: SimulatedFleet, space: str) -> None:
    up = fleet.up
    # given no model server at all
    for name in NODES:
        fleet.nodes[name].kill_server()

    # when somebody searches, then what full text alone finds says so, and nothing found is no answer
    answer = search(up, "the valve")
    assert answer.status_code == 200
    assert answer.json()["results"]
    assert answer.json()["degraded"]
    answer = search(up, "zyxwv")
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) >= 1

    # and a document waits instead of failing
    job = up.post("/v3/documents", content="Jug 1 is full.", containerTag=space)["jobId"]
    time.sleep(3.0)
    assert up.get(f"/v1/jobs/{job}")["state"] in ("queued", "running")

    # and is done when the nodes are back
    for name in NODES:
        fleet.start_server(name)
    assert up.job(job)["state"] == "done"
    wait_until(lambda: search(up, "the jug").status_code == 200, seconds=30, what="searches work again")


# NODE-09: 60 s of pause, divided by 6


def pause_file(fleet: SimulatedFleet) -> Any:
    return fleet.up.data_dir / "run" / "paused.json"


def write_pause(fleet: SimulatedFleet, text: str) -> None:
    fresh = pause_file(fleet).with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, pause_file(fleet))


def test_a_paused_node_finishes_what_it_has_and_gets_nothing_until_the_end(well: SimulatedFleet, space: str) -> None:
    up = well.up
    jobs = [up.post("/v3/documents", content=f"Wok {n} is black.", containerTag=space)["jobId"] for n in range(20)]

    # when two of three nodes are lent out while they work
    until = time.time() + 10.0
    write_pause(well, json.dumps({"nodes": ["n1", "n2"], "until": until}))

    # then new work goes elsewhere within 5 s, nothing fails, and the view says until when
    wait_until(lambda: taking(up) == {"n3"}, seconds=5, what="only n3 takes work")
    assert nodes(up)["n1"]["state"] in ("paused", "draining")
    assert nodes(up)["n1"]["paused_until"]
    assert all(search(up, f"wok {number}").status_code == 200 for number in range(10))
    assert {up.job(job)["state"] for job in jobs} == {"done"}
    assert time.time() < until

    # and after the end both are back by themselves
    wait_until(lambda: taking(up) == set(NODES), seconds=until - time.time() + 5, what="all take work again")


@pytest.mark.parametrize(
    "text",
    ['{"nodes": ["n1"', '{"nodes": ["n1", "n2"]}', '{"nodes": ["n1"], "until": "2020-01-01T00:00:00Z"}'],
    ids=["broken", "endless", "past"],
)
def test_a_bad_pause_file_pauses_nobody_and_is_reported(well: SimulatedFleet, text: str) -> None:
    write_pause(well, text)

    if "2020" not in text:
        # An end that is past is how every pause ends, so it is no warning.
        wait_until(
            lambda: any("pause file" in one.lower() for one in well.up.get("/v1/lanes")["warnings"]),
            seconds=5,
            what="a warning",
        )
    time.sleep(1.0)
    assert taking(well.up) == set(NODES)


def test_with_every_node_lent_out_searches_say_why_and_background_waits(well: SimulatedFleet, space: str) -> None:
    up = well.up
    until = time.time() + 15.0
    write_pause(well, json.dumps({"nodes": list(NODES), "until": until}))
    wait_until(lambda: not taking(up, "interactive", "background"), seconds=8, what="nobody takes work")

    answer = search(up, "zyxwv")
    assert answer.status_code == 503
    assert "Retry-After" in answer.headers
    assert "paused" in answer.json()["error"]
    job = up.post("/v3/documents", content="Sieve 1 is fine.", containerTag=space)["jobId"]
    time.sleep(2.0)
    assert up.get(f"/v1/jobs/{job}")["state"] in ("queued", "running")

    assert up.job(job)["state"] == "done"
    assert time.time() > until - 1.0
