"""Workers in bad surroundings: a clock off by an hour, a visibility timeout shorter than a task, a death in the gap."""

import base64
import json
from pathlib import Path

import pytest

from inference.fake_service import Conduct, ServiceTime
from memory.records import Scope
from services import ledger
from services.fakes import RecordingQueue, fake_host
from store import ledger as ledger_rows
from store import spaces
from tests.integration.workers.fleet import DIMENSION, ROOT
from workers.broker_facts import read_facts

pytestmark = pytest.mark.timeout(120)
STARTUP = Path(__file__).parents[2] / "data" / "startup"


def spoilt(**environment):
    return {"PYTHONPATH": f"{STARTUP}:{ROOT}", **environment}


def results(fleet, count, seconds=30.0):
    fleet.until(lambda: fleet.client.llen("reconcile") >= count, seconds=seconds)
    messages = [json.loads(raw) for raw in fleet.client.lrange("reconcile", 0, -1)]
    return [json.loads(base64.b64decode(message["body"]))[1] for message in messages]


def leased_item(folder):
    """Return a host with one leased item, and its message as it was sent."""
    queue = RecordingQueue()
    host = fake_host(folder, queue=queue)
    with host.store.write("default") as tx:
        space_id = spaces.ensure(Scope(tenant="default", spaces=("s",)), tx, at=1)
        ledger_rows.add_job(tx, id="job_1", space_id=space_id, kind="document", at=1)
        ledger_rows.add_items(
            tx, job_id="job_1", task="embed.texts", queue="background", payloads=[{}], continuation=None, at=1
        )
    ledger.dispatch(host, "default")
    (sent,) = queue.sent
    return host, sent


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_node_whose_clock_is_off_answers_in_time_and_is_dated_by_the_broker(fleet, hours):
    # given a node whose clock is off by an hour
    fleet.node("a1")
    fleet.changes = spoilt(SPOILT_CLOCK_SECONDS=str(hours * 3600))
    fleet.start("interactive@a1", "background@a1")
    fleet.until(lambda: fleet.consuming("interactive") == fleet.consuming("background") == {"a1"})

    # when somebody waits for it, and when it has background work
    answer = fleet.ask(seconds=5.0).embed(["Anna"])
    fleet.queue.send("embed.texts", {"tenant": "t", "item": 1, "attempt": 1, "texts": ["Anna"]}, queue="background")

    # then both are done as anywhere, through the queue, and its heartbeat is dated by the broker
    assert answer.vectors.shape == (1, DIMENSION)
    assert answer.degraded is None
    assert results(fleet, 1)[0]["result"]["status"] == "done"
    seconds, micros = fleet.client.time()
    assert abs(fleet.beat("background@a1").at - (seconds * 1_000_000 + micros)) < 10_000_000

    # and how long both had waited is the truth too
    fleet.until(lambda: all(0 < fleet.beat(f"{lane}@a1").queue_wait < 30 for lane in ("interactive", "background")))


@pytest.mark.parametrize(("takes", "looks"), [(0, 1), (-1, 0)])
def test_no_clock_that_is_off_gives_a_message_away_that_somebody_works_on(fleet, takes, looks):
    # given a node in the middle of a long call
    for name in ("a1", "b1"):
        fleet.node(name, lane="background", conduct=Conduct(ServiceTime(call=10.0)))
    fleet.changes = spoilt(SPOILT_CLOCK_SECONDS=str(takes * 3600))
    fleet.start("background@a1")
    fleet.queue.send("embed.texts", {"tenant": "t", "item": 1, "attempt": 1, "texts": ["Anna"]}, queue="background")
    fleet.until(lambda: fleet.nodes["a1"].asked())

    # when another, whose clock is an hour ahead of it, looks for messages that nobody works on any more
    fleet.changes = spoilt(SPOILT_CLOCK_SECONDS=str(looks * 3600))
    fleet.start("background@b1")
    results(fleet, 1)

    # then it is run once
    assert [len(fleet.nodes[name].asked()) for name in ("a1", "b1")] == [1, 0]
    assert fleet.client.llen("background") == 0


def test_a_task_that_outlives_the_visibility_timeout_runs_twice_and_counts_once(fleet, tmp_path):
    # given an item that is leased, and workers to which a message comes again while it is still worked on
    host, sent = leased_item(tmp_path)
    for name in ("a1", "b1"):
        fleet.node(name, lane="background", conduct=Conduct(ServiceTime(call=9.0)))
    fleet.changes = spoilt(SPOILT_VISIBILITY_SECONDS="1")
    fleet.start("background@a1", "background@b1")
    fleet.until(lambda: fleet.consuming("background") == {"a1", "b1"})

    # when it is sent once
    fleet.queue.send("embed.texts", {**sent.payload, "texts": ["Anna"]}, queue="background")

    # then it is run twice under one lease, and the ledger takes one of the results
    reports = results(fleet, 2, seconds=60.0)[:2]
    leases = {(report["item"], report["attempt"]) for report in reports}
    assert leases == {(sent.payload["item"], sent.payload["attempt"])}
    taken = [
        ledger.complete(host, "default", report["item"], report["attempt"], report["result"]) for report in reports
    ]
    assert taken == [True, False]


def test_a_message_lost_between_its_pop_and_its_note_is_sent_again(fleet, tmp_path):
    # given a worker that dies with a message that only it has
    host, sent = leased_item(tmp_path)
    node = fleet.node("a1", lane="background")
    fleet.changes = spoilt(SPOILT_POP="1")
    fleet.start("background@a1")
    fleet.queue.send("embed.texts", {**sent.payload, "texts": ["Anna"]}, queue="background")
    fleet.until(lambda: node.processes["background"].poll() is not None)
    assert (fleet.client.llen("background"), fleet.client.hlen("unacked")) == (0, 0)

    # when the sweeper looks, some seconds later
    host.clock.advance(30)
    ledger.sweep(host, read_facts(fleet.client))

    # then the item is sent again, under a new lease, and nothing counts against it
    again = host.queue.sent[-1]
    assert (again.payload["item"], again.payload["attempt"]) == (sent.payload["item"], sent.payload["attempt"] + 1)
    with host.store.read("default") as db:
        assert db.execute("SELECT failures FROM work_item").fetchone()["failures"] == 0
