"""Who takes which lane's work, and that an interactive question finds a node that can answer it."""

import time

import numpy as np
import pytest

from inference.fake_faults import Fault
from memory import inventory, pausing
from memory.errors import ModelUnavailable
from memory.fleet import Pause
from tests.integration.workers.fleet import DIMENSION, REFUSED

pytestmark = pytest.mark.timeout(120)
PASSAGES = [f"passage {number} about {'tea' if number % 5 == 0 else 'copper'}" for number in range(40)]


def test_a_single_node_serves_both_lanes_at_once_and_without_an_agent(fleet):
    fleet.node("a1")
    fleet.start("interactive@a1", "background@a1")

    fleet.until(lambda: fleet.consuming("interactive") == fleet.consuming("background") == {"a1"}, seconds=3.0)


def test_a_worker_needs_nothing_but_the_broker_and_calls_its_own_node_only(fleet):
    first, second = fleet.node("a1", slots=3), fleet.node("a2")
    fleet.start("interactive@a2", published=True)
    fleet.until(lambda: fleet.consuming("interactive") == {"a2"})

    fleet.ask().embed(["Anna"])

    assert [len(node.asked()) for node in (first, second)] == [0, 1]
    fleet.start("interactive@a1", published=True)
    assert fleet.beat("interactive@a1").slots == 3


def test_a_worker_whose_node_is_not_published_waits_for_the_host(fleet):
    fleet.node("a1")
    fleet.client.set(inventory.INVENTORY_KEY, inventory.encode(inventory.LOCAL))
    fleet.spawn("interactive@a1", published=True)
    fleet.until(lambda: "waiting for the host" in fleet.log("interactive@a1").read_text())
    assert fleet.consuming("interactive") == set()

    fleet.publish()

    fleet.until(lambda: fleet.consuming("interactive") == {"a1"})


def test_background_falls_back_to_interactive_nodes_which_stop_when_the_card_is_back(fleet):
    # given two interactive nodes and one of the background, ten times as quick to decide
    for name, lane in (("a1", "interactive"), ("a2", "interactive"), ("b1", "background")):
        fleet.node(name, lane)
    fleet.changes = {"MEMLANE_FALLBACK_SECONDS": "1.0", "MEMLANE_RETURN_SECONDS": "1.5"}
    fleet.start("interactive@a1", "interactive@a2", "background@a1", "background@a2", "background@b1")
    fleet.until(lambda: fleet.consuming("background") == {"b1"})
    # when it is lent out
    until = fleet.sight().at + 60_000_000
    fleet.client.set(pausing.PAUSED_KEY, pausing.encode(Pause(until={"b1": until})))
    # then one of the others helps, and one stays free
    fleet.until(lambda: fleet.consuming("background") == {"a2"}, seconds=8.0)
    assert fleet.consuming("interactive") == {"a1", "a2"}
    # and a flushed broker does not end the pause, but a new one does
    fleet.client.flushall()
    fleet.until(lambda: fleet.beat("background@b1"))
    time.sleep(1.2)  # the worker decides once a second
    assert not fleet.beat("background@b1").consuming
    fleet.client.set(pausing.PAUSED_KEY, pausing.encode(Pause()))
    fleet.until(lambda: fleet.consuming("background") == {"b1"}, seconds=10.0)


def test_the_choice_stays_while_the_broker_is_down(fleet, broker):
    fleet.node("a1")
    fleet.start("interactive@a1")
    fleet.until(lambda: fleet.consuming("interactive") == {"a1"})
    fleet.client.set(pausing.PAUSED_KEY, pausing.encode(Pause(until={"a1": fleet.sight().at + 60_000_000})))
    fleet.until(lambda: not fleet.consuming("interactive"))

    broker.kill()
    time.sleep(1.5)  # longer than a decision
    broker.start()

    fleet.until(lambda: fleet.beat("interactive@a1"))
    assert not fleet.beat("interactive@a1").consuming


def test_no_user_sees_a_failure_while_one_node_lives_and_all_come_back(fleet):
    """NODE-01: one server refuses connections, one answers 200 with nothing, one is well."""
    nodes = [fleet.node(f"a{number}") for number in (1, 2, 3)]
    fleet.changes = {"MEMLANE_BREAKER_SECONDS": "2"}
    fleet.start(*(f"interactive@a{number}" for number in (1, 2, 3)), "background@a3")
    fleet.until(lambda: fleet.consuming("interactive") == {"a1", "a2", "a3"})
    nodes[0].fail(REFUSED)
    nodes[1].fail(Fault(bend="empty"))

    asked = fleet.ask()
    embedded = [asked.embed([f"query {number}"]) for number in range(60)]
    reranked = [asked.rerank("tea", PASSAGES) for _ in range(20)]

    assert all(one.vectors.shape == (1, DIMENSION) for one in embedded)
    assert [one.degraded for one in embedded if one.degraded] == []
    assert all(one.scores is not None and not one.missing for one in reranked)
    # and the failing nodes are out of rotation after a few failures each
    fleet.until(lambda: fleet.consuming("interactive") == {"a3"}, seconds=5.0)
    beat = fleet.beat("interactive@a1")
    assert not beat.healthy
    assert "embed" in beat.failing
    assert beat.reason
    assert len(nodes[0].asked()) <= 3 * 3  # a lost connection is tried three times
    # when they recover they come back by themselves
    for node in nodes:
        node.fail(None)
    fleet.until(lambda: fleet.consuming("interactive") == {"a1", "a2", "a3"}, seconds=10.0)
    # and with all dead it is said at once
    for node in nodes:
        node.fail(REFUSED)

    def nobody_takes_work():
        with pytest.raises(ModelUnavailable):
            asked.embed(["last"])
        return not fleet.consuming("interactive")

    fleet.until(nobody_takes_work, seconds=10.0)
    began = time.monotonic()
    with pytest.raises(ModelUnavailable):
        asked.embed(["last"])
    assert "not reranked" in asked.rerank("tea", PASSAGES).degraded
    assert time.monotonic() - began < 1.0


def test_a_node_that_hangs_costs_one_wait_and_then_nobody_asks_it(fleet):
    first, _ = fleet.node("a1"), fleet.node("a2")
    fleet.start("interactive@a1", "interactive@a2")
    fleet.until(lambda: fleet.consuming("interactive") == {"a1", "a2"})
    first.fail(Fault(delay=30.0))

    answers = [fleet.ask(seconds=8.0).embed([f"query {number}"]) for number in range(8)]

    assert [one.degraded for one in answers if one.degraded] == []
    fleet.until(lambda: fleet.consuming("interactive") == {"a2"}, seconds=40.0)


def test_a_rerank_is_spread_over_the_nodes_and_joined_in_order(fleet):
    nodes = [fleet.node(f"a{number}") for number in (1, 2, 3)]
    fleet.start(*(f"interactive@a{number}" for number in (1, 2, 3)))
    fleet.until(lambda: len(fleet.consuming("interactive")) == 3)

    reranked = fleet.ask().rerank("tea", PASSAGES)

    assert reranked.degraded is None
    assert np.array_equal(reranked.scores > 0.5, [number % 5 == 0 for number in range(40)])
    parts = [len(body["documents"]) for node in nodes for body in node.asked("/v1/rerank")]
    assert sorted(parts) == [13, 13, 14]


def test_a_part_that_nobody_scores_in_time_is_missing_and_counted(fleet):
    # given two nodes of which one hangs for a part of the passages only, wherever they are asked
    nodes = [fleet.node(f"a{number}") for number in (1, 2)]
    fleet.start("interactive@a1", "interactive@a2")
    fleet.until(lambda: len(fleet.consuming("interactive")) == 2)
    for node in nodes:
        node.reranker.fail_on("passage 7 ", Fault(delay=30.0))
    began = time.monotonic()

    reranked = fleet.ask(seconds=3.0).rerank("tea", PASSAGES)

    assert time.monotonic() - began < 4.5
    assert reranked.missing == frozenset(range(1, 40, 2))
    assert np.isnan(reranked.scores[7])
    assert "20 of 40" in reranked.degraded


@pytest.mark.parametrize(
    "fault",
    [Fault(status=500), Fault(delay=30.0), *(Fault(bend=bend) for bend in ("short", "twice", "range", "flat", "nan"))],
    ids=lambda fault: fault.bend or str(fault.status or "timeout"),
)
def test_a_reranker_that_fails_is_named_in_bounded_time_until_it_heals(fleet, fault):
    """SEARCH-05"""
    node = fleet.node("a1")
    fleet.changes = {"MEMLANE_BREAKER_SECONDS": "1"}
    fleet.start("interactive@a1")
    fleet.until(lambda: fleet.consuming("interactive") == {"a1"})
    node.reranker.fail_always(fault)

    asked, began = fleet.ask(seconds=2.0), time.monotonic()
    answers = [asked.rerank("tea", PASSAGES) for _ in range(3)]

    assert time.monotonic() - began < 3 * 2.6
    assert all(one.scores is None and "not reranked" in one.degraded for one in answers)
    # the embedder is none of its business
    assert asked.embed(["tea"]).degraded is None
    node.reranker.fail_always(None)
    fleet.until(lambda: asked.rerank("tea", PASSAGES).degraded is None, seconds=15.0)


def test_a_question_is_not_lost_with_the_worker_that_holds_it(fleet):
    first, second = fleet.node("a1", delay=0.5), fleet.node("a2", delay=0.5)
    fleet.start("interactive@a1")
    fleet.until(lambda: fleet.consuming("interactive") == {"a1"})
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fleet.ask(seconds=5.0).embed, ["Anna"])
        fleet.until(lambda: first.asked())
        fleet.kill("interactive@a1")

        assert waiting.result(6.0).vectors.shape == (1, DIMENSION)
    assert len(first.asked()) + len(second.asked()) == 2


def test_a_query_over_the_limit_is_answered_from_its_beginning_and_says_so(fleet):
    """NODE-03: the limit is the server's, the flag the answer's, and the node stays in rotation."""
    fleet.node("a1", limit=512)
    fleet.start("interactive@a1")
    fleet.until(lambda: fleet.consuming("interactive") == {"a1"})

    long = fleet.ask().embed(["where is the tea " * 300])
    short = fleet.ask().embed(["where is the tea"])

    assert "longer than the model reads" in long.degraded
    assert short.degraded is None
    assert long.vectors[0] @ short.vectors[0] > 0.99
    reranked = fleet.ask().rerank("tea", ["tea " * 1000, "rum"])
    assert reranked.scores[0] > reranked.scores[1]
    assert "reranker reads" in reranked.degraded
    assert fleet.beat("interactive@a1").healthy


def test_all_paused_is_unavailable_with_the_time_to_come_back(fleet):
    node = fleet.node("a1")
    fleet.start("interactive@a1")
    fleet.client.set(pausing.PAUSED_KEY, pausing.encode(Pause(until={"a1": fleet.sight().at + 60_000_000})))
    fleet.until(lambda: fleet.beat("interactive@a1") and not fleet.consuming("interactive"))

    with pytest.raises(ModelUnavailable, match="paused"):
        fleet.ask().embed(["Anna"])
    assert node.asked() == []
