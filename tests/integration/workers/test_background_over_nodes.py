"""Background work on a node: whose fault a failure is, texts over the limit, and the gate that searches pass first."""

import base64
import json
import time

import pytest

from inference.fake_faults import Fault
from inference.fake_service import Conduct, ServiceTime
from memory.vectors import decode_vectors
from tests.integration.workers.fleet import DIMENSION, REFUSED

pytestmark = pytest.mark.timeout(120)
CODE = "for(i=0;i<n;++i){a[i]=b[i]^c[i];}" * 60


def item(number, texts):
    return {"tenant": "t", "item": number, "attempt": 1, "texts": texts}


def results(fleet, count, seconds=30.0):
    fleet.until(lambda: fleet.client.llen("reconcile") >= count, seconds=seconds)
    messages = [json.loads(raw) for raw in fleet.client.lrange("reconcile", 0, -1)]
    bodies = [json.loads(base64.b64decode(message["body"]))[1] for message in messages]
    return {body["item"]: body["result"] for body in bodies}


def test_an_item_waits_while_its_node_fails_and_the_worker_stops_and_comes_back(fleet):
    node = fleet.node("a1")
    fleet.changes = {"MEMLANE_BREAKER_SECONDS": "1"}
    fleet.start("background@a1")
    fleet.until(lambda: fleet.consuming("background") == {"a1"})
    node.fail(REFUSED)

    fleet.queue.send("embed.texts", item(1, ["a"]), queue="background")

    result = results(fleet, 1)[1]
    assert result["status"] == "unavailable"
    assert result["reason"].startswith("a1: ")
    fleet.until(lambda: not fleet.consuming("background"))
    fleet.queue.send("embed.texts", item(2, ["b"]), queue="background")
    time.sleep(1.5)  # longer than it takes to pop
    assert fleet.client.llen("background") == 1
    node.fail(None)
    assert results(fleet, 2)[2]["status"] == "done"


def test_an_item_that_the_model_cannot_take_fails_while_the_node_stays(fleet):
    node = fleet.node("a1")
    fleet.start("background@a1")
    node.embedder.fail_on("poison", Fault(status=500))

    for number, text in enumerate(["poison", "good", "poison", "poison", "poison"]):
        fleet.queue.send("embed.texts", item(number, [text]), queue="background")

    found = results(fleet, 5)
    assert [found[number]["status"] for number in range(5)] == ["failed", "done", "failed", "failed", "failed"]
    assert fleet.beat("background@a1").healthy


def test_no_chunk_is_dropped_for_being_over_the_servers_limit(fleet):
    """NODE-03"""
    node = fleet.node("a1", limit=512)
    fleet.start("background@a1")
    texts = [
        "short",
        CODE,
        " ".join(f"https://example.org/{number}?q={number}" for number in range(60)),
        "東京都" * 400,
    ]

    fleet.queue.send("embed.texts", item(1, texts), queue="background")

    result = results(fleet, 1)[1]
    assert result["status"] == "done"
    assert decode_vectors(result["vectors"], DIMENSION).shape == (4, DIMENSION)
    fitting = [text for body in node.asked() for text in body["input"] if len(text) <= 1024]
    assert sum(map(len, fitting)) >= sum(map(len, texts))
    assert fleet.beat("background@a1").healthy


def test_background_goes_in_whole_batches_where_nobody_waits_and_in_micro_batches_where_somebody_may(fleet):
    node = fleet.node("a1", delay=0.02)
    fleet.start("background@a1")
    fleet.queue.send("embed.texts", item(1, [f"text {number}" for number in range(16)]), queue="background")
    results(fleet, 1)
    assert [len(body["input"]) for body in node.asked()] == [16]

    fleet.start("interactive@a1")
    fleet.until(lambda: fleet.consuming("interactive") == {"a1"})
    fleet.queue.send("embed.texts", item(2, [f"text {number}" for number in range(16)]), queue="background")

    results(fleet, 2)
    assert [len(body["input"]) for body in node.asked()][1:] == [4, 4, 4, 4]


def test_a_query_waits_for_one_micro_batch_at_most_and_idle_nodes_take_what_waits(fleet):
    """QUEUE-05, scaled: all nodes full of long background work, and searches beside it."""
    # given nodes whose every model call takes 0.15 s, one call at a time
    nodes = [fleet.node(f"a{n}", conduct=Conduct(ServiceTime(call=0.15, slots=1))) for n in (1, 2)]
    fleet.start(*(f"{lane}@a{number}" for number in (1, 2) for lane in ("interactive", "background")))
    fleet.until(lambda: len(fleet.consuming("interactive")) == 2 and fleet.consuming("background"))
    asked = fleet.ask()
    idle = sorted(seconds(lambda number=number: asked.embed([f"idle {number}"])) for number in range(8))

    for number in range(12):
        fleet.queue.send("embed.texts", item(number, [f"text {part}" for part in range(16)]), queue="background")
    fleet.until(lambda: any(len(node.asked()) > 9 for node in nodes))
    loaded = sorted(seconds(lambda number=number: asked.embed([f"loaded {number}"])) for number in range(12))
    assert fleet.client.llen("background") > 0

    # then the wait is one micro-batch and not the sixteen texts, let alone the queue
    assert loaded[-2] < idle[len(idle) // 2] + 0.15 + 0.1
    # and no worker holds more than it runs: the rest waits for whoever is free
    assert fleet.client.hlen("unacked") <= 2


def seconds(call):
    began = time.monotonic()
    call()
    return time.monotonic() - began
