"""The port `FleetPort` on a real broker."""

import pytest

from memory.errors import BrokerDown
from memory.fleet import ModelReport, NodeReport
from nodeagent.report import encode, node_key
from workers.broker_facts import read_facts
from workers.fleet_facts import RedisFleet


def test_what_is_published_is_read_back_until_a_flush(client):
    fleet = RedisFleet(client)
    assert fleet.published("paused") is None

    fleet.publish("paused", '{"until": {}}')
    fleet.publish("paused", '{"until": {"ä": 1}}')

    assert fleet.published("paused") == '{"until": {"ä": 1}}'
    client.flushall()
    assert fleet.published("paused") is None


def test_reports_are_read_by_node_and_one_that_is_nonsense_is_left_out(client):
    report = NodeReport(node="a0", at=5, models=(ModelReport(role="embed", healthy=True),))
    client.set(node_key("a0"), encode(report))
    client.set(node_key("a1"), b"\xff{")

    assert RedisFleet(client).reports() == {"a0": report}


def test_a_broker_that_is_away_is_said_so(client, broker):
    fleet = RedisFleet(client)
    broker.kill()

    for call in (lambda: fleet.publish("paused", "{}"), lambda: fleet.published("paused"), fleet.reports):
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
