import time
from dataclasses import replace

import pytest

from memory.fleet import FleetNode
from memory.inventory import LOCAL
from memory.ports import FleetSight, Heartbeat
from memory.settings import Settings
from services.breaker import Breaker, Health
from workers.choice import LaneChoice

FLEET = (
    FleetNode(name="a1", embed_port=1),
    FleetNode(name="a2", embed_port=2),
    FleetNode(name="b1", lane="background", card=1, embed_port=3),
)
SECOND = 1_000_000


class Sky:
    """What there is to be seen."""

    def __init__(self, nodes, *workers):
        self.sight = FleetSight(at=0, nodes=nodes, broker=True, heartbeats=tuple(map(beat, workers)))

    def __call__(self, *, fresh=False):
        return self.sight

    def change(self, **fields):
        self.sight = replace(self.sight, **fields)


def beat(worker):
    return Heartbeat(worker=worker, pid=1, at=0, slots=1, consuming=True, queue_wait=0.0)


@pytest.fixture
def breaker():
    return Breaker("embed", lambda: None, failures=3)


def choice(lane, node, sky, breaker):
    return LaneChoice(lane, Settings(node=node), sky, Health({"embed": breaker}))


@pytest.mark.parametrize("broker", [True, False, None])
@pytest.mark.parametrize("lane", ["interactive", "background"])
def test_the_only_node_takes_both_lanes_at_once_whatever_else_is_known(lane, broker, breaker):
    sky = Sky(LOCAL)
    sky.change(broker=broker)
    one = choice(lane, "local", sky, breaker)
    assert not one.wanted()
    one.decide()
    assert one.wanted()


def test_a_worker_counts_itself_in_before_its_first_heartbeat(breaker):
    one = choice("interactive", "a1", Sky(FLEET), breaker)
    one.decide()
    assert one.wanted()


def test_the_choice_stays_while_the_broker_is_away(breaker):
    sky = Sky(FLEET)
    one = choice("interactive", "a1", sky, breaker)
    one.decide()
    sky.change(broker=False, paused={"a1": SECOND})
    one.decide()
    assert one.wanted()
    sky.change(broker=True)
    one.decide()
    assert not one.wanted()


def test_a_helper_waits_for_the_fallback(breaker):
    sky = Sky(FLEET, "interactive@a1", "interactive@a2", "background@a1")
    one = choice("background", "a2", sky, breaker)
    wanted = []
    for seconds in (0, 9, 11):
        sky.change(at=seconds * SECOND)
        one.decide()
        wanted.append(one.wanted())
    assert wanted == [False, False, True]


def test_a_node_that_fails_is_not_wanted_until_it_is_well(breaker):
    one = choice("interactive", "local", Sky(LOCAL), breaker)
    one.decide()
    breaker.reason = "it fails"
    assert not one.wanted()
    breaker.reason = None
    assert one.wanted()


def test_a_node_that_is_not_in_the_inventory_takes_nothing(breaker):
    one = choice("interactive", "z9", Sky(FLEET), breaker)
    one.decide()
    assert not one.wanted()


def test_a_decision_over_a_hundred_nodes_takes_two_milliseconds_at_most(breaker):
    nodes = tuple(replace(FLEET[number % 3], name=f"n{number}", embed_port=number + 1) for number in range(100))
    sky = Sky(nodes, *(f"{lane}@{node.name}" for node in nodes for lane in ("interactive", "background")))
    one = choice("background", "n1", sky, breaker)
    times = []
    for _ in range(30):
        began = time.thread_time()
        one.decide()
        one.wanted()
        times.append(time.thread_time() - began)
    # Other work on the machine makes processor time longer too, but not that of the quickest.
    assert min(times) < 0.002
