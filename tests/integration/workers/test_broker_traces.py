"""The real broker: messages of erased work are taken out wherever they are, and its file is written anew."""

import time
import uuid
from dataclasses import replace

import pytest

from memory.errors import BrokerDown
from services.fakes import RecordingQueue, RecordingTraces
from workers.broker_traces import RedisTraces
from workers.transport import connect

GONE, KEPT = 7, 8


@pytest.fixture
def traces(client):
    return RedisTraces(client)


def send(queue, item, text, *, task="embed.texts", where="background"):
    queue.send(task, {"tenant": "default", "item": item, "attempt": 1, "texts": [text]}, queue=where)


def aof(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("appendonlydir/*")))


def test_messages_of_erased_work_leave_the_queues_and_the_file(traces, broker, queue, client, until):
    for item in (GONE, KEPT, GONE):
        send(queue, item, f"text of {item}")
    send(queue, GONE, "a result", task="item.done", where="reconcile")
    # one is with a worker, which has not acknowledged it
    client.hset("unacked", "tag", b"[" + client.lindex("background", 0) + b', "", "background"]')
    client.zadd("unacked_index", {"tag": time.time()})
    marker = uuid.uuid4().hex
    client.set("scratch", marker)
    client.delete("scratch")
    until(lambda: marker.encode() in aof(broker.folder))

    dropped = traces.drop(lambda held: held[1] == GONE)
    refused = traces.rewrite()

    assert (dropped, refused) == (4, None)
    assert (client.llen("background"), client.llen("reconcile"), client.hlen("unacked")) == (1, 0, 0)
    assert client.zcard("unacked_index") == 0
    assert marker.encode() not in aof(broker.folder)


@pytest.fixture(params=["fake", "real"])
def both(request):
    """The port on a queue and a count of what waits there, by the stand-in and by the real thing."""
    if request.param == "fake":
        queue = RecordingQueue()
        return RecordingTraces(queue=queue), queue, lambda: len(queue.waiting)
    client = request.getfixturevalue("client")
    return RedisTraces(client), request.getfixturevalue("queue"), lambda: client.llen("background")


def test_only_messages_of_work_that_is_gone_are_dropped(both):
    traces, queue, waiting = both
    for item in (GONE, KEPT, GONE):
        send(queue, item, "text")
    queue.send("ledger.sweep", {"slot": 1}, queue="background")  # no work item's

    assert traces.drop(lambda held: held == ("default", GONE, 1)) == 2
    assert (waiting(), traces.drop(lambda held: held[1] == GONE), traces.rewrite()) == (2, 0, None)


def test_a_broker_that_is_away_is_told(tmp_path, settings):
    away = RedisTraces(connect(replace(settings, redis_url=f"unix://{tmp_path}/none.sock")))
    with pytest.raises(BrokerDown):
        away.drop(lambda held: True)
    with pytest.raises(BrokerDown):
        away.rewrite()
