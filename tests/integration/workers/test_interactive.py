"""The interactive path with a real broker, a real worker process and a model server that counts words."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from inference.wire import ModelServer
from memory.errors import BrokerDown, ModelRefused, ModelTimeout, ModelUnavailable
from memory.vectors import decode_vectors
from services.interactive import RedisInteractive

pytestmark = pytest.mark.timeout(60)
DIMENSION = 16


@pytest.fixture
def model():
    with FakeModelServer(dimension=DIMENSION, key="secret") as server:
        yield server


@pytest.fixture
def node(broker, folder, model, until):
    """A worker process as `up` starts it."""
    started = []

    def start(lane="interactive"):
        environ = {
            **os.environ,
            "MEMLANE_DATA_DIR": str(folder),
            "MEMLANE_EMBED_URL": model.url,
            "MEMLANE_RERANK_URL": model.url,
            "MEMLANE_NODE_KEY": "secret",
            "MEMLANE_EMBED_DIMENSION": str(DIMENSION),
        }
        log = folder / f"{lane}.log"
        with log.open("wb") as out:
            one = subprocess.Popen([sys.executable, "-m", "workers", lane], env=environ, stdout=out, stderr=out)
        started.append(one)
        until(lambda: f"consuming as {lane}@local" in log.read_text())
        return one

    yield start
    for one in started:
        one.kill()
        one.wait()


@pytest.fixture
def ask(queue, replies, model):
    def build(seconds=5.0):
        server = ModelServer(model.url, "secret", timeout=5.0, dimension=DIMENSION)
        parts = {"queue": queue, "replies": replies, "embedder": server, "reranker": server}
        return RedisInteractive(**parts, dimension=DIMENSION, seconds=seconds)

    return build


def test_vectors_and_scores_come_back_as_the_model_gave_them(node, ask, model, client):
    node()
    direct = ModelServer(model.url, "secret", dimension=DIMENSION)
    texts, passages = ["Anna moved to Oslo.", "ok", "ø☃"], ["Oslo is in Norway", "copper"]

    embedded = ask().embed(texts)
    reranked = ask().rerank("where is Oslo", passages, {"oslo": 3.0})

    assert embedded.degraded is None
    assert np.array_equal(embedded.vectors, direct.embed(texts))
    assert np.allclose(reranked.scores, direct.rerank("where is Oslo", passages))
    assert client.keys("reply:*") == []


def test_nothing_to_rerank_asks_nobody(ask):
    assert ask().rerank("q", []).scores.shape == (0,)


def test_no_worker_is_a_timeout_for_embedding_and_a_reason_for_reranking(ask):
    with pytest.raises(ModelTimeout):
        ask(seconds=0.3).embed(["a"])

    assert "not reranked" in ask(seconds=0.3).rerank("q", ["a"]).degraded


def test_a_task_past_its_deadline_is_not_run(node, ask, model, client, until):
    with pytest.raises(ModelTimeout):
        ask(seconds=0.2).embed(["late"])
    assert client.llen("interactive") == 1

    node()
    ask().embed(["in time"])

    until(lambda: client.hlen("unacked") == 0)
    embedded = [request.body.get("input") for request in model.requests]
    assert embedded.count(["in time"]) == 1
    assert ["late"] not in embedded


def test_a_model_that_refuses_is_told_apart_from_one_that_is_away(node, ask, model):
    node()

    model.fail_always(Fault(status=500))
    with pytest.raises(ModelRefused):
        ask().embed(["a"])
    model.fail_always(Fault(status=503))
    with pytest.raises(ModelUnavailable):
        ask().embed(["a"])


def test_a_broker_that_is_down_is_passed_by_and_said_so_quickly(ask, broker, model):
    broker.kill()
    began = time.monotonic()

    embedded = ask().embed(["Anna"])
    reranked = ask().rerank("Anna", ["Anna", "Bo"])

    assert time.monotonic() - began < 1.0
    assert embedded.vectors.shape == (1, DIMENSION)
    assert embedded.degraded == reranked.degraded != ""
    assert reranked.scores[0] > reranked.scores[1]


def test_a_broker_that_is_killed_while_somebody_waits_is_passed_by(ask, broker, client, model, until):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask().embed, ["Anna"])
        until(lambda: client.llen("interactive") == 1)
        broker.kill()

        assert waiting.result(3.0).degraded


def test_a_broker_that_hangs_is_reported_within_two_seconds(queue, replies, broker):
    import signal

    replies.now()
    queue.send("embed.texts", {"texts": []}, queue="background")
    broker.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(BrokerDown):
            queue.send("embed.texts", {"texts": []}, queue="background")
        sent = time.monotonic()
        with pytest.raises(BrokerDown):
            replies.now()
        asked = time.monotonic()
    finally:
        broker.process.send_signal(signal.SIGCONT)

    assert sent - began < 1.8
    assert asked - sent < 2.3


def test_a_work_item_is_embedded_and_reported_to_the_writer(node, queue, client, model, until):
    node("background")
    queue.send("embed.texts", {"tenant": "t", "item": 5, "attempt": 2, "texts": ["a", "b"]}, queue="background")

    body = done(client, until)

    assert (body["tenant"], body["item"], body["attempt"]) == ("t", 5, 2)
    assert (body["result"]["status"], body["result"]["node"]) == ("done", "local")
    assert decode_vectors(body["result"]["vectors"], DIMENSION).shape == (2, DIMENSION)


@pytest.mark.parametrize(("status", "expected"), [(503, "unavailable"), (500, "failed")])
def test_a_work_item_that_cannot_be_embedded_says_whose_fault_it_is(
    node, queue, client, model, until, status, expected
):
    node("background")
    model.fail_always(Fault(status=status))
    queue.send("embed.texts", {"tenant": "t", "item": 5, "attempt": 1, "texts": ["a"]}, queue="background")

    result = done(client, until)["result"]

    assert result["status"] == expected
    assert result["reason"]


def done(client, until):
    import base64
    import json

    until(lambda: client.llen("reconcile") == 1)
    message = json.loads(client.lindex("reconcile", 0))
    assert message["headers"]["task"] == "item.done"
    return json.loads(base64.b64decode(message["body"]))[1]
