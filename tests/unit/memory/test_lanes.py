from memory.fleet import FleetNode, ModelReport, NodeReport, Presence
from memory.lanes import Helping, assignment, nobody

SECOND = 1_000_000
NOW = 1_767_225_600 * SECOND
BOTH = {"interactive", "background"}
FLEET = tuple(
    FleetNode(name=name, card=card, lane=lane)
    for card, lane, names in ((0, "interactive", ("a0", "a1", "a2")), (1, "background", ("b0", "b1", "b2")))
    for name in names
)


def decide(nodes=FLEET, helping=None, at=0.0, **known):
    presence = {node.name: Presence(alive=True) for node in nodes} | known
    return assignment(nodes, presence, helping or Helping(), now=NOW + round(at * SECOND), fallback=10.0, back=30.0)


def lanes(decided):
    return {name: set(lanes) for name, lanes in decided.lanes.items()}


def gone(*names):
    return {name: Presence(alive=False) for name in names}


def reported(**fields):
    return Presence(alive=True, report=NodeReport(node="", at=NOW, **fields))


def test_each_card_serves_its_lane_while_all_is_well():
    decided = decide()

    assert lanes(decided) == {name: {"interactive" if name[0] == "a" else "background"} for name in lanes(decided)}
    assert decided.helping == Helping()
    assert decided.why["b0"] == "Serves background."


def test_interactive_nodes_help_ten_seconds_after_the_last_background_node_is_gone():
    dead = gone("b0", "b1", "b2")
    first = decide(**dead)
    early = decide(helping=first.helping, at=9.9, **dead)
    late = decide(helping=early.helping, at=10.0, **dead)

    assert early.nodes("background") == ()
    assert late.nodes("background") == ("a1", "a2")
    assert late.nodes("interactive") == ("a0", "a1", "a2")
    assert late.why["a0"] == "Serves interactive; kept free of background work."
    assert (
        late.why["a1"]
        == "Serves interactive and background; helps with background, because no background node can work."
    )
    assert late.why["b0"] == "No worker of it was heard of in the last 10 s."


def test_they_stop_thirty_seconds_after_one_is_back_and_not_when_it_fails_again_meanwhile():
    dead, some = gone("b0", "b1", "b2"), gone("b1", "b2")
    helping = decide(helping=Helping(missing_since=NOW), at=10, **dead).helping
    helping = decide(helping=helping, at=11, **some).helping
    assert decide(helping=helping, at=40, **some).nodes("background") == ("a1", "a2", "b0")

    helping = decide(helping=helping, at=40, **dead).helping
    helping = decide(helping=helping, at=42, **some).helping
    still = decide(helping=helping, at=71, **some)
    assert still.nodes("background") == ("a1", "a2", "b0")
    assert "back since a moment" in still.why["a1"]
    assert decide(helping=still.helping, at=72, **some).nodes("background") == ("b0",)


def test_a_node_that_cannot_help_anyway_is_the_one_that_is_kept_free():
    decided = decide(helping=Helping(on=True), a1=reported(thermal="hot", celsius=91.4), **gone("b0", "b1", "b2"))

    assert decided.nodes("background") == ("a0", "a2")
    assert decided.why["a1"] == "Serves interactive; too hot for background work (91 °C)."


def test_the_last_node_carries_both_lanes():
    decided = decide(helping=Helping(on=True), **gone("a0", "a1", "b0", "b1", "b2"))

    assert lanes(decided)["a2"] == BOTH


def test_the_only_node_there_is_carries_both_lanes_at_once():
    assert lanes(decide((FleetNode(name="local"),))) == {"local": BOTH}
    assert lanes(decide((FleetNode(name="local", lane="background"),))) == {"local": BOTH}


def test_a_fleet_without_background_nodes_needs_no_waiting():
    decided = decide(FLEET[:3])

    assert decided.nodes("background") == ("a1", "a2")
    assert "no background nodes" in decided.why["a1"]


def test_background_nodes_take_interactive_work_as_the_last_resort_and_at_once():
    decided = decide(**gone("a0", "a1", "a2"))

    assert lanes(decided)["b0"] == BOTH
    assert decided.why["b0"] == "Serves interactive and background; no interactive node can take interactive work."


def test_a_paused_node_gets_nothing_and_returns_by_itself():
    paused = {"b0": Presence(alive=True, paused_until=NOW + 5 * SECOND)}

    before, after = decide(at=4.9, **paused), decide(at=5.0, **paused)

    assert lanes(before)["b0"] == set()
    assert (before.state["b0"], before.why["b0"]) == ("paused", "Paused until 2026-01-01T00:00:05Z.")
    assert lanes(after)["b0"] == {"background"}


def test_a_node_that_is_not_lendable_is_never_paused():
    node = FleetNode(name="a0", lendable=False)

    assert lanes(decide((node,), a0=Presence(alive=True, paused_until=NOW + SECOND))) == {"a0": BOTH}


def test_a_busy_node_gets_no_background_work_unless_all_are_busy():
    busy = reported(load=1.4)

    assert decide(b0=busy).nodes("background") == ("b1", "b2")
    assert "load 1.40 per core, limit 1" in decide(b0=busy).why["b0"]
    assert decide(**{node.name: busy for node in FLEET}).nodes("background") == ("b0", "b1", "b2")


def test_a_node_whose_llm_fails_does_no_background_work_while_one_without_or_with_a_good_one_can():
    failing = reported(models=(ModelReport(role="llm", healthy=False, reason="answers nothing."),))
    good = reported(models=(ModelReport(role="llm", healthy=True),))

    assert decide(b0=failing, b1=good).nodes("background") == ("b1", "b2")
    assert decide(b0=failing).why["b0"] == "Its LLM server is not healthy: answers nothing."


def test_an_llm_that_fails_keeps_no_node_from_searches_and_the_only_node_from_nothing():
    failing = reported(models=(ModelReport(role="llm", healthy=False),))
    alone = (FleetNode(name="a0"),)

    assert "a0" in decide(a0=failing).nodes("interactive")
    assert lanes(decide(alone, a0=failing)) == {"a0": BOTH}


def test_a_node_whose_reranker_fails_is_spared_while_another_node_has_one():
    broken = reported(models=(ModelReport(role="rerank", healthy=False, reason="answers 500."),))

    assert decide(a0=broken).nodes("interactive") == ("a1", "a2")
    assert decide(a0=broken).why["a0"] == "Its reranker is not healthy: answers 500."
    assert decide(**{node.name: broken for node in FLEET}).nodes("interactive") == ("a0", "a1", "a2")
    assert decide(b0=broken).nodes("background") == ("b0", "b1", "b2")


def test_a_node_without_a_healthy_embedder_gets_nothing():
    broken = reported(models=(ModelReport(role="embed", healthy=False),))
    decided = decide(**{node.name: broken for node in FLEET})

    assert not any(decided.lanes.values())
    assert decided.state["a0"] == "unhealthy"


def test_a_node_without_an_embedder_in_the_inventory_gets_nothing():
    node = FleetNode(name="c0", llm_port=8082)

    assert lanes(decide((*FLEET, node)))["c0"] == set()


def test_a_lane_whose_own_worker_is_gone_counts_as_not_served():
    missing = Presence(alive=True, missing=frozenset({"background"}))

    decided = decide(helping=Helping(on=True), b0=missing, **gone("b1", "b2"))

    assert decided.nodes("background") == ("a1", "a2")
    assert decided.why["b0"] == "Its background worker was not heard of in the last 10 s."


def test_a_broken_worker_is_out_of_its_own_lane_only():
    decided = decide(a0=Presence(alive=True, broken=frozenset({"interactive"})), helping=Helping(on=True), **gone("b0"))

    assert lanes(decided)["a0"] == {"background"}
    assert decided.state["a0"] == "broken"


def test_when_nobody_may_work_each_nodes_reason_is_told():
    nodes = FLEET[:2]
    paused = Presence(alive=True, paused_until=NOW + SECOND)
    decided = decide(nodes, a0=paused, **gone("a1"))

    assert nobody(nodes, decided, "interactive") == (
        "No node may take interactive work now (a0: paused until 2026-01-01T00:00:01Z; "
        "a1: no worker of it was heard of in the last 10 s)."
    )
    assert nobody(FLEET, decide(), "interactive") is None


def test_a_clock_that_goes_back_does_not_stop_the_waiting_for_good():
    dead = gone("b0", "b1", "b2")
    helping = decide(at=3600, **dead).helping

    helping = decide(helping=helping, at=0, **dead).helping

    assert decide(helping=helping, at=10, **dead).helping.on
