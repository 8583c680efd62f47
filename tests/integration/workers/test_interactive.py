"""The interactive path with a real broker, a real worker process and a model server that counts words."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from inference.wire import PROBE, ModelServer
from memory.errors import BrokerDown, ModelRefused, ModelUnavailable
from memory.vectors import decode_vectors
from services.direct_models import DirectModels
from services.interactive import RedisInteractive
from workers.sight import host_sight

pytestmark = pytest.mark.timeout(60)
DIMENSION = 16
BEAT = {"pid": 1, "slots": 1, "consuming": True, "queue_wait": 0.0, "in_flight": []}


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
def ask(queue, replies, settings, model, client):
    def build(seconds=5.0):
        own = replace(settings, embed_url=model.url, rerank_url=model.url, node_key="secret", embed_dimension=DIMENSION)
        look = host_sight(client, own)
        direct = DirectModels(own, look)
        return RedisInteractive(
            queue=queue, replies=replies, direct=direct, look=look, dimension=DIMENSION, seconds=seconds
        )

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


def test_without_a_worker_a_server_is_asked_directly_and_the_answer_says_so(ask):
    embedded, reranked = ask().embed(["a"]), ask().rerank("a", ["a", "b"])

    assert embedded.vectors.shape == (1, DIMENSION)
    assert reranked.scores[0] > reranked.scores[1]
    assert "No worker answered" in embedded.degraded
    assert "No worker answered" in reranked.degraded


def test_without_worker_and_server_embedding_is_unavailable_and_reranking_has_a_reason(ask, model):
    model.fail_always(Fault(refuse=True))

    with pytest.raises(ModelUnavailable, match="No model server answered"):
        ask(seconds=1.0).embed(["a"])
    assert "not reranked" in ask(seconds=1.0).rerank("q", ["a"]).degraded


def test_a_task_past_its_deadline_is_not_run(node, ask, model, queue, replies, client, until):
    late = {"texts": ["late"], "reply": "reply:late", "deadline": replies.now() - 1}
    queue.send("embed.texts", late, queue="interactive")

    node()
    ask().embed(["in time"])

    until(lambda: client.hlen("unacked") == 0)
    assert asked(model) == [["in time"]]


def test_a_worker_takes_as_many_questions_as_it_answers_at_a_time_and_notes_none(
    node, model, queue, replies, client, until
):
    node()
    model.fail_always(Fault(delay=30.0))
    for number in range(3):
        question = {"texts": [str(number)], "reply": "reply:three", "deadline": replies.now() + 20_000_000}
        queue.send("embed.texts", question, queue="interactive")
        until(lambda number=number: len(asked(model)) == min(number + 1, 2))

    # It asked for the next long ago if it was ever going to.
    time.sleep(0.5)
    assert (len(asked(model)), client.llen("interactive"), client.hlen("unacked")) == (2, 1, 0)
    model.fail_always(None)
    until(lambda: client.llen("reply:three") == 3)


def test_what_is_at_fault_is_told_apart_from_a_model_that_fails(node, ask, model):
    node()

    model.fail_next(Fault(status=422, message="such a text is refused"))
    with pytest.raises(ModelRefused, match="such a text"):
        ask().embed(["a"])
    for status in (500, 503):
        model.fail_always(Fault(status=status))
        with pytest.raises(ModelUnavailable):
            ask().embed(["a"])
        model.fail_always(None)


def test_a_passing_failure_of_the_model_goes_unnoticed(node, ask, model):
    node()
    model.fail_next(Fault(status=500))

    assert ask().embed(["a"]).degraded is None


def asked(model):
    """Return the texts of every embedding but the canaries."""
    return [
        request.body["input"]
        for request in model.requests
        if request.path == "/v1/embeddings" and request.body["input"] != [PROBE]
    ]


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

    # given a worker that is said to live and never answers
    client.set("heartbeat:interactive@local", json.dumps(BEAT))
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
        # The time is carried on by the own clock; an answer has to be carried.
        with pytest.raises(BrokerDown):
            replies.push("reply:hangs", {}, keep_seconds=1.0)
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


@pytest.mark.parametrize(("fault", "heals", "expected"), [(503, False, "unavailable"), (500, False, "unavailable"),
                                                         (422, True, "failed"), (500, True, "done")])  # fmt: skip
def test_a_work_item_that_cannot_be_embedded_says_whose_fault_it_is(
    node, queue, client, model, until, fault, heals, expected
):
    node("background")
    if heals:
        model.fail_next(Fault(status=fault))
    else:
        model.fail_always(Fault(status=fault))
    queue.send("embed.texts", {"tenant": "t", "item": 5, "attempt": 1, "texts": ["a"]}, queue="background")

    result = done(client, until)["result"]

    assert result["status"] == expected
    assert result.get("reason") or expected == "done"


def done(client, until):
    import base64

    until(lambda: client.llen("reconcile") == 1)
    message = json.loads(client.lindex("reconcile", 0))
    assert message["headers"]["task"] == "item.done"
    return json.loads(base64.b64decode(message["body"]))[1]
