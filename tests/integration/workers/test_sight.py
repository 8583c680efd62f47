import json
import time
from dataclasses import replace

import pytest

from memory import inventory, pausing
from memory.fleet import FleetNode, NodeReport, Pause
from nodeagent.report import encode, node_key
from workers.sight import BrokerSight, host_sight

pytestmark = pytest.mark.timeout(60)
NODES = (FleetNode(name="a1", embed_port=1), FleetNode(name="b1", lane="background", embed_port=2))
BEAT = {"pid": 1, "slots": 2, "consuming": True, "queue_wait": 0.0, "in_flight": []}
HOUR = 3_600_000_000


def test_everything_is_seen_in_one_look(client):
    client.set("heartbeat:interactive@a1", json.dumps({**BEAT, "healthy": False, "reason": "r", "failing": ["embed"]}))
    client.set("heartbeat:background@b1", json.dumps(BEAT))
    client.set(node_key("b1"), encode(NodeReport(node="b1", at=1, load=0.5)))
    look = BrokerSight(client, nodes=NODES)

    sight = look(fresh=True)

    assert sight.broker
    assert sight.nodes == NODES
    ill, well = sight.heartbeats
    assert (ill.worker, ill.healthy, ill.reason, ill.failing) == ("interactive@a1", False, "r", ("embed",))
    assert [beat.worker for beat in sight.takers("background")] == [well.worker] == ["background@b1"]
    assert sight.reports["b1"].load == 0.5


def test_the_host_sees_its_own_workers_as_well(client, settings):
    for worker in ("host", "reconcile"):
        client.set(f"heartbeat:{worker}@{settings.node}", json.dumps(BEAT))

    sight = host_sight(client, settings)(fresh=True)

    assert all(sight.takers(queue) for queue in ("host", "reconcile"))


def test_a_pause_is_kept_through_a_flush_and_an_outage_until_its_end(client, broker):
    look = BrokerSight(client, nodes=NODES)
    now = look(fresh=True).at
    client.set(pausing.PAUSED_KEY, pausing.encode(Pause(until={"a1": now + HOUR, "b1": now + 200_000})))
    assert seen(look).paused.keys() == {"a1", "b1"}

    client.flushall()
    time.sleep(0.25)  # beyond the end of the second
    assert seen(look).paused.keys() == {"a1"}
    broker.kill()
    down = seen(look)
    assert (down.broker, down.paused.keys(), down.heartbeats) == (False, {"a1"}, ())
    assert down.nodes == NODES
    broker.start()
    client.set(pausing.PAUSED_KEY, pausing.encode(Pause()))
    assert seen(look).paused == {}


def test_a_clock_that_is_ahead_ends_no_pause_while_the_broker_is_away(client, broker, monkeypatch):
    ahead = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: ahead() + 2 * HOUR * 1000)
    look = BrokerSight(client, nodes=NODES)
    now = look(fresh=True).at
    client.set(pausing.PAUSED_KEY, pausing.encode(Pause(until={"a1": now + HOUR})))
    assert seen(look).paused

    broker.kill()

    down = seen(look)
    assert down.paused.keys() == {"a1"}
    assert 0 < down.at - now < 5_000_000
    broker.start()
    client.flushall()
    assert seen(look).paused.keys() == {"a1"}


def test_the_published_inventory_counts_where_none_is_given_and_stays_through_a_flush(client):
    alone = (replace(inventory.LOCAL[0], name="x"),)
    look = BrokerSight(client, alone=alone)
    client.set(inventory.INVENTORY_KEY, inventory.encode(inventory.LOCAL))
    assert seen(look).nodes == alone
    client.set(inventory.INVENTORY_KEY, inventory.encode(NODES))
    assert seen(look).nodes == NODES
    client.flushall()
    assert seen(look).nodes == NODES
    client.set(inventory.INVENTORY_KEY, "nonsense")
    assert seen(look).nodes == NODES


def test_what_cannot_be_read_is_as_if_it_were_not_there(client):
    client.set("heartbeat:interactive@a1", "{}")
    client.set(node_key("a1"), "{}")
    client.set(pausing.PAUSED_KEY, "[]")
    sight = BrokerSight(client, nodes=NODES)(fresh=True)
    assert (sight.broker, sight.heartbeats, sight.reports, sight.paused) == (True, (), {}, {})


def test_a_look_is_kept_for_a_second_and_a_fresh_one_takes_two_milliseconds_at_most(client, settings):
    look = host_sight(client, settings)
    assert look() is look()
    times = []
    for _ in range(20):
        began = time.perf_counter()
        seen(look)
        times.append(time.perf_counter() - began - PAUSE)
    assert sorted(times)[10] < 0.002


PAUSE = 0.06


def seen(look):
    time.sleep(PAUSE)  # a look less than 0.05 s old counts as fresh
    return look(fresh=True)
