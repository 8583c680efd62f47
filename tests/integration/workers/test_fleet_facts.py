"""The port `FleetPort` on a real broker."""

import json
from dataclasses import replace

import pytest

from memory.errors import BrokerDown
from memory.fleet import ModelReport, NodeReport
from nodeagent.report import encode, node_key
from ops.part import CannotStart
from ops.up import check_seat
from services import host_seat
from workers.address import redis_url
from workers.broker_facts import read_facts
from workers.fleet_facts import RedisFleet
from workers.heartbeat import heartbeat_key
from workers.in_flight import STARTED


def test_what_is_published_is_read_back_until_a_flush(client):
    fleet = RedisFleet(client)
    assert fleet.published("paused") is None

    fleet.publish("paused", '{"until": {}}')
    fleet.publish("paused", '{"until": {"ä": 1}}')

    assert fleet.published("paused") == '{"until": {"ä": 1}}'
    client.flushall()
    assert fleet.published("paused") is None


def test_who_comes_first_holds_a_key_until_it_is_given_up(client):
    fleet = RedisFleet(client)

    assert fleet.hold("host", "one", 60.0) == "one"
    assert fleet.hold("host", "other", 60.0) == "one"
    assert fleet.hold("host", "one", 90.0) == "one"
    assert 60_000 < client.pttl("host") <= 90_000

    fleet.release("host", "other")
    assert fleet.published("host") == "one"
    fleet.release("host", "one")
    assert fleet.hold("host", "other", 60.0) == "other"


def test_a_second_host_of_a_broker_is_refused(client, settings, tmp_path):
    RedisFleet(client).hold(host_seat.HOST_KEY, host_seat.own_name(settings), 60.0)
    shared = replace(settings, redis_url=redis_url(settings))
    check_seat(shared)

    with pytest.raises(CannotStart, match="Another memlane host works with this broker"):
        check_seat(replace(shared, data_dir=str(tmp_path / "other")))


def test_reports_are_read_by_node_and_one_that_is_nonsense_is_left_out(client):
    report = NodeReport(node="a0", at=5, models=(ModelReport(role="embed", healthy=True),))
    client.set(node_key("a0"), encode(report))
    client.set(node_key("a1"), b"\xff{")

    assert RedisFleet(client).reports() == {"a0": report}


def test_a_broker_that_is_away_is_said_so(client, broker):
    fleet = RedisFleet(client)
    broker.kill()

    for call in (
        lambda: fleet.publish("paused", "{}"),
        lambda: fleet.published("paused"),
        fleet.reports,
        lambda: fleet.hold("host", "one", 1.0),
        lambda: fleet.release("host", "one"),
    ):
        with pytest.raises(BrokerDown):
            call()


def test_the_oldest_message_of_a_queue_tells_its_age(client, queue):
    assert read_facts(client).oldest_sent == {}
    queue.send("embed.texts", {"texts": []}, queue="interactive")
    first = read_facts(client).oldest_sent["interactive"]
    queue.send("embed.texts", {"texts": []}, queue="interactive")

    facts = read_facts(client)

    assert facts.oldest_sent == {"interactive": first}
    assert abs(facts.at - first) < 5_000_000


UNREADABLE = [b"\xff", b"{", b"[]", b"{}", b"7", b'{"headers": 7}', b'{"headers": {"held": [1], "sent_at": Infinity}}']


def test_what_cannot_be_read_hides_nothing_else(client, queue, caplog):
    beat = {"pid": 1, "slots": 2, "consuming": True, "queue_wait": 0.0, "in_flight": [["t", 1, 1]]}
    client.set(heartbeat_key("background@a1"), json.dumps(beat))
    client.set(f"{STARTED}t:1:1", "background@a1")
    queue.send("embed.texts", {"tenant": "t", "item": 2, "attempt": 1}, queue="background")
    for number, text in enumerate(UNREADABLE):
        client.set(heartbeat_key(f"background@b{number}"), text)
        client.rpush("background", text)
        client.rpush("interactive", text)
    client.hset(heartbeat_key("background@of-another-kind"), "a", "b")
    for key in (b"t:1", b"t:one:1", b"\xff:1:1"):
        client.set(STARTED.encode() + key, "background@a1")
    client.set(f"{STARTED}t:3:1", b"\xff")

    facts = read_facts(client)
    assert read_facts(client).queued == facts.queued

    assert [one.worker for one in facts.heartbeats] == ["background@a1"]
    assert facts.in_flight == set(facts.started) == {("t", 1, 1)}
    assert facts.queued == {("t", 2, 1)}
    assert facts.oldest_sent == {}
    assert caplog.text.count("background@b0") == 1
