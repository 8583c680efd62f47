"""What holds of the lane rules whatever happens to the nodes, in any order, for any history."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.eligibility import obstacle
from memory.fleet import FleetNode, ModelReport, NodeReport, Presence
from memory.lanes import Helping, assignment

SECOND = 1_000_000
FALLBACK, BACK = 10.0, 30.0
START = 1_000 * SECOND


@st.composite
def inventories(draw):
    lanes = draw(st.lists(st.sampled_from(["interactive", "background"]), min_size=1, max_size=6))
    return tuple(
        FleetNode(name=f"n{number}", lane=lane, lendable=draw(st.sampled_from([True, True, True, False])))
        for number, lane in enumerate(lanes)
    )


LANES = st.frozensets(st.sampled_from(["interactive", "background"]))
# Mostly well, so that the rules for a working fleet are exercised as much as those for a broken one.
RARELY = st.sampled_from([False, False, False, True])


@st.composite
def presences(draw, now):
    report = None
    if draw(st.booleans()):
        healthy = [role for role in ("embed", "rerank", "llm") if not draw(RARELY)]
        report = NodeReport(
            node="",
            at=now,
            models=tuple(ModelReport(role=role, healthy=role in healthy) for role in ("embed", "rerank", "llm")),
            load=draw(st.sampled_from([0.1, 0.9, 3.0])),
            thermal=draw(st.sampled_from(["ok", "ok", "ok", "hot", "too_hot"])),
        )
    return Presence(
        alive=not draw(RARELY),
        report=report,
        paused_until=now + draw(st.integers(-20, 60)) * SECOND if draw(RARELY) else None,
        broken=draw(LANES) if draw(RARELY) else frozenset(),
        missing=draw(LANES) if draw(RARELY) else frozenset(),
    )


@st.composite
def histories(draw):
    """An inventory and what is known of it at growing times."""
    nodes = draw(inventories())
    now, steps = START, []
    seen = {}
    for _ in range(draw(st.integers(1, 12))):
        now += draw(st.sampled_from([0, 1, 3, 9, 11, 29, 31])) * SECOND
        changed = draw(st.lists(st.sampled_from(nodes), max_size=len(nodes), unique_by=lambda node: node.name))
        seen = {**seen, **{node.name: draw(presences(now)) for node in changed}}
        steps.append((now, dict(seen)))
    return nodes, steps


def follow(nodes, steps):
    helping = Helping()
    for now, presence in steps:
        decided = assignment(nodes, presence, helping, now=now, fallback=FALLBACK, back=BACK)
        yield now, presence, helping, decided
        helping = decided.helping


def may(nodes, presence, lane, now, *, lenient=False):
    return {n.name for n in nodes if obstacle(n, presence.get(n.name), lane, now=now, lenient=lenient) is None}


@given(histories())
@settings(max_examples=100, deadline=None)
def test_somebody_takes_interactive_work_while_anybody_may(history):
    nodes, steps = history
    for now, presence, _, decided in follow(nodes, steps):
        assert bool(decided.nodes("interactive")) == bool(may(nodes, presence, "interactive", now, lenient=True))


@given(histories())
@settings(max_examples=100, deadline=None)
def test_nobody_gets_work_that_it_may_not_do(history):
    nodes, steps = history
    for now, presence, _, decided in follow(nodes, steps):
        for node in nodes:
            known, lanes = presence.get(node.name, Presence(alive=False)), decided.lanes[node.name]
            paused = node.lendable and (known.paused_until or 0) > now
            report = known.report or NodeReport(node="", at=0)
            if not known.alive or paused or report.thermal == "too_hot":
                assert not lanes
            if report.thermal == "hot":
                assert "background" not in lanes
            assert not lanes & (known.broken | known.missing)
            if not all(model.healthy for model in report.models if model.role == "embed"):
                assert not lanes


@given(histories())
@settings(max_examples=100, deadline=None)
def test_a_busy_node_gets_background_work_only_when_every_node_is_busy(history):
    nodes, steps = history
    for now, presence, _, decided in follow(nodes, steps):
        busy = {n.name for n in nodes if obstacle(n, presence.get(n.name), "background", now=now)}
        if may(nodes, presence, "background", now):
            assert not busy & set(decided.nodes("background"))


@given(histories())
@settings(max_examples=100, deadline=None)
def test_interactive_nodes_come_first_and_the_others_are_the_last_resort(history):
    nodes, steps = history
    own = {node.name for node in nodes if node.lane == "interactive"}
    for now, presence, _, decided in follow(nodes, steps):
        able = may(nodes, presence, "interactive", now)
        if able:
            assert set(decided.nodes("interactive")) == (able & own or able)


@given(histories())
@settings(max_examples=100, deadline=None)
def test_background_nodes_that_may_always_do_and_helpers_leave_one_node_free(history):
    nodes, steps = history
    own = {node.name for node in nodes if node.lane == "background"}
    for now, presence, _, decided in follow(nodes, steps):
        able = may(nodes, presence, "background", now) or may(nodes, presence, "background", now, lenient=True)
        background, interactive = set(decided.nodes("background")), set(decided.nodes("interactive"))
        assert background & own == able & own
        helpers = background - own
        assert not helpers or decided.helping.on
        if helpers and len(interactive | (able - own)) > 1:
            assert interactive - helpers


@given(histories())
@settings(max_examples=100, deadline=None)
def test_the_hysteresis_keeps_its_times(history):
    nodes, steps = history
    own = {node.name for node in nodes if node.lane == "background"}
    missing_since = back_since = None
    helping = False
    for now, presence, _, decided in follow(nodes, steps):
        able = may(nodes, presence, "background", now) or may(nodes, presence, "background", now, lenient=True)
        if able & own:
            missing_since = None
            back_since = now if back_since is None else back_since
            helping = helping and now - back_since < BACK * SECOND
        else:
            back_since = None
            missing_since = now if missing_since is None else missing_since
            helping = helping or now - missing_since >= FALLBACK * SECOND
        assert decided.helping.on == (helping or not own)


@given(histories(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_result_depends_on_the_facts_alone(history, shuffler):
    nodes, steps = history
    mixed = list(nodes)
    shuffler.shuffle(mixed)
    for (*_, one), (*_, other) in zip(follow(nodes, steps), follow(mixed, steps), strict=True):
        assert (one.lanes, one.why, one.state, one.helping) == (other.lanes, other.why, other.state, other.helping)


@given(histories())
@settings(max_examples=100, deadline=None)
def test_every_node_is_told_its_state_and_why(history):
    nodes, steps = history
    for _, _, _, decided in follow(nodes, steps):
        assert set(decided.lanes) == set(decided.why) == set(decided.state) == {node.name for node in nodes}
        for node in nodes:
            why = decided.why[node.name]
            assert why.endswith(".")
            assert why[0].isupper()
            assert ("Serves" in why) == bool(decided.lanes[node.name])
            assert decided.lanes[node.name] or decided.state[node.name] != "serving"


@given(histories(), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_all_paused_or_dead_is_nobody_and_one_that_returns_takes_interactive_at_once(history, seed):
    nodes, steps = history
    now, helping = steps[-1][0], list(follow(nodes, steps))[-1][3].helping
    gone = {n.name: Presence(alive=n.lendable, paused_until=now + 10 * SECOND) for n in nodes}
    decided = assignment(nodes, gone, helping, now=now, fallback=FALLBACK, back=BACK)
    assert not any(decided.lanes.values())

    chosen = random.Random(seed).choice(nodes).name
    gone = {**gone, chosen: replace(gone[chosen], alive=True, paused_until=None)}
    decided = assignment(nodes, gone, decided.helping, now=now + SECOND, fallback=FALLBACK, back=BACK)
    assert decided.nodes("interactive") == (chosen,)
