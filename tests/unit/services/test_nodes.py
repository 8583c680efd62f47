"""Case NODE-09: nodes are lent out and come back by themselves; a slip in the pause file takes none away for ever."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from memory import inventory, pausing
from memory.errors import BrokerDown, InvalidInput, NotFound, StateConflict, StoreError
from memory.fleet import FleetNode, ModelReport, NodeReport, Pause
from memory.lanes import Helping, assignment
from memory.ports import Heartbeat
from memory.presence import presences
from memory.records import Actor
from services import health, lanes, nodes
from services.fakes import SteppedClock, fake_host
from store.connection import Store

ACTOR = Actor(kind="person", id="local")
FLEET = (
    *(FleetNode(name=name) for name in ("a0", "a1", "a2")),
    *(FleetNode(name=name, card=1, lane="background") for name in ("b0", "b1")),
    FleetNode(name="b2", card=1, lane="background", lendable=False),
)


class Workers:
    """Both workers of every node, each deciding by what is published, as the real ones do."""

    def __init__(self, host, clock):
        self.host, self.clock = host, clock
        self.held = {}  # by worker
        self.bad = {}  # answers, by worker
        self.calls = {}  # by worker
        self.dead = set()
        self.beside = ()  # heartbeats of the host's own workers
        self.known = Pause()
        self.helping = Helping()
        self.taking = set()

    def decide(self):
        """Once a second: read what is published and switch consumption."""
        text = self.host.fleet.texts.get(pausing.PAUSED_KEY)
        self.known = pausing.latest(self.known, pausing.decode(text) if text else None, now=self.clock.now)
        known = presences(self.beats(), self.host.fleet.agents, self.known.until)
        decided = assignment(self.host.nodes, known, self.helping, now=self.clock.now, fallback=10.0, back=30.0)
        self.helping = decided.helping
        self.taking = {f"{lane}@{name}" for name, served in decided.lanes.items() for lane in served}

    def beats(self):
        return tuple(
            Heartbeat(
                worker=worker, pid=1, at=self.clock.now, slots=1, consuming=worker in self.taking, queue_wait=0.25,
                in_flight=tuple(self.held.get(worker, ())), bad_answers=self.bad.get(worker, 0),
                calls=self.calls.get(worker, 0),
            )
            for node in self.host.nodes
            for lane in ("interactive", "background")
            if (worker := f"{lane}@{node.name}") not in self.dead
        )  # fmt: skip

    def facts(self):
        if self.host.queue.down:
            raise BrokerDown
        return replace(self.host.queue.facts(at=self.clock.now), heartbeats=(*self.beats(), *self.beside))


@pytest.fixture
def host(tmp_path):
    clock = SteppedClock()
    made = fake_host(
        tmp_path, clock=clock, store=Store(tmp_path, clock=clock, busy_seconds=2.0), nodes=FLEET,
        facts=lambda: workers.facts(),
    )  # fmt: skip
    workers = Workers(made, clock)
    object.__setattr__(made, "workers", workers)
    workers.decide()
    yield made
    made.store.close()


@pytest.fixture
def file(host):
    path = Path(host.settings.pause_file)
    path.parent.mkdir(parents=True)
    return path


def tick(host, seconds=1.0):
    """Let time pass as the beat and the workers see it."""
    host.clock.advance(seconds)
    nodes.watch(host)
    host.workers.decide()


def row(host, name, of=nodes.view):
    return next(node for node in of(host)["nodes"] if node["name"] == name)


def serving(host, lane):
    return sorted(node["name"] for node in nodes.view(host)["nodes"] if lane in node["lanes"])


def in_seconds(host, seconds):
    return host.clock.now / 1e6 + seconds


def test_a_node_that_answers_somebody_is_not_drained(host, file):
    host.workers.calls["interactive@a0"] = 2
    file.write_text(json.dumps({"nodes": ["a0"], "until": in_seconds(host, 60)}))
    tick(host)
    assert (row(host, "a0")["in_flight"], row(host, "a0")["drained"]) == (2, False)

    host.workers.calls.clear()

    assert row(host, "a0")["drained"]


def test_running_work_finishes_and_new_work_goes_elsewhere_until_the_end_of_the_pause(host, file):
    host.workers.held["interactive@a0"] = [("default", 1, 1)]
    file.write_text(json.dumps({"nodes": ["a0", "a1"], "until": in_seconds(host, 60)}))

    tick(host)

    assert serving(host, "interactive") == ["a2"]
    seen = row(host, "a0", of=lanes.lanes)
    assert (seen["state"], seen["in_flight"], seen["drained"]) == ("draining", 1, False)
    assert seen["paused_until"] == "2026-01-01T00:01:00Z"
    assert seen["why"] == "Paused until 2026-01-01T00:01:00Z."
    assert row(host, "a1")["drained"]

    host.workers.held.clear()
    assert row(host, "a0")["state"] == "paused"
    tick(host, 58.9)
    assert serving(host, "interactive") == ["a2"]
    tick(host)
    assert serving(host, "interactive") == ["a0", "a1", "a2"]
    assert row(host, "a0")["paused_until"] is None


def test_the_nodes_return_by_themselves_also_when_the_host_is_gone(host, file):
    file.write_text(json.dumps({"nodes": ["a0"], "until": in_seconds(host, 60)}))
    tick(host)
    host.fleet.texts.clear()
    host.clock.advance(30)
    host.workers.decide()
    assert "interactive@a0" not in host.workers.taking

    host.clock.advance(30)
    host.workers.decide()

    assert "interactive@a0" in host.workers.taking


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"nodes": ["a0"', "not valid JSON"),
        ('{"nodes": ["a0"]}', "`until` is missing"),
        ('{"nodes": ["a0"], "until": "2026-01-03"}', "more than 24 hours"),
        ('{"nodes": ["b2"], "until": 1767225660}', "not lendable"),
        ("\x00\x01", "not valid JSON"),
        ("[" * 70_000, "over 65,536 bytes"),
    ],
)
def test_a_bad_pause_file_pauses_nobody_and_is_a_warning(host, file, caplog, text, words):
    file.write_text(text)

    with caplog.at_level(logging.WARNING):
        tick(host)
        tick(host)

    assert serving(host, "interactive") == ["a0", "a1", "a2"]
    for seen in (nodes.view(host), lanes.lanes(host), health.health(host)):
        assert sum(words in one for one in seen["warnings"]) == 1
    assert health.health(host)["status"] == "degraded"
    assert len(caplog.records) == 1, "It is logged once, not at every look."


def test_a_name_of_no_node_in_the_pause_file_is_told_and_degrades_nothing(host, file, caplog):
    file.write_text(json.dumps({"nodes": ["zz"], "until": in_seconds(host, 60)}))
    heard = Heartbeat(worker="reconcile@local", pid=1, at=host.clock.now, slots=1, consuming=True, queue_wait=0.0)
    host.workers.beside = (heard, replace(heard, worker="host@local"))

    with caplog.at_level(logging.WARNING):
        tick(host)
        tick(host)

    said = health.health(host)
    assert said["status"] == "ok"
    for warnings in (said["warnings"], nodes.view(host)["warnings"], lanes.lanes(host)["warnings"]):
        assert ["no node of the inventory" in one for one in warnings] == [True]
    assert len(caplog.records) == 1


def test_a_row_says_when_the_workers_have_not_followed_the_rules_yet(host):
    host.workers.taking.discard("interactive@a0")
    host.workers.taking.add("interactive@b0")

    assert row(host, "a0")["why"].endswith("Its workers take no interactive work yet.")
    assert row(host, "b0")["why"].endswith("Its workers still take interactive work for a moment.")
    assert "Its workers" not in row(host, "a1")["why"]


def test_what_is_over_is_no_warning_whomever_it_names(host, file):
    file.write_text(json.dumps({"nodes": ["zz", "b2"], "until": in_seconds(host, -60)}))

    tick(host)

    assert nodes.view(host)["warnings"] == []


def test_a_pause_of_the_file_is_logged_when_it_begins(host, file, caplog):
    file.write_text(json.dumps({"nodes": ["a0"], "until": in_seconds(host, 60)}))

    with caplog.at_level(logging.INFO):
        tick(host)
        tick(host)

    said = [record.getMessage() for record in caplog.records]
    assert said == ["node a0 is paused until 2026-01-01T00:01:00Z by the pause file"]


def test_a_node_that_is_gone_is_a_warning_and_one_that_is_lent_is_none(host):
    heard = Heartbeat(worker="reconcile@local", pid=1, at=host.clock.now, slots=1, consuming=True, queue_wait=0.0)
    host.workers.beside = (heard, replace(heard, worker="host@local"))
    host.workers.dead = {"interactive@a1", "background@a1"}
    host.workers.decide()

    assert health.health(host)["status"] == "degraded"
    assert health.health(host)["warnings"] == ["Node a1: no worker of it was heard of in the last 10 s."]

    nodes.pause(host, ACTOR, ["a1"], seconds=60)
    host.workers.decide()
    assert health.health(host) == {**health.health(host), "status": "ok", "warnings": []}


def test_an_end_in_the_past_is_over_and_told_once_in_the_log_and_never_as_a_warning(host, file, caplog):
    file.write_text(json.dumps({"nodes": ["a0"], "until": in_seconds(host, -1)}))

    with caplog.at_level(logging.INFO):
        tick(host)
        tick(host)

    assert serving(host, "interactive") == ["a0", "a1", "a2"]
    assert nodes.view(host)["warnings"] == []
    assert [record.getMessage() for record in caplog.records] == ["the pause of node a0 ended at 2025-12-31T23:59:59Z"]


def test_with_all_nodes_paused_nobody_works_and_everybody_is_told_why(host):
    lent = [node.name for node in FLEET if node.lendable]
    nodes.pause(host, ACTOR, lent, seconds=60)
    host.workers.dead = {"interactive@b2", "background@b2"}
    host.workers.decide()

    seen = lanes.lanes(host)

    assert [one["consumers"] for one in seen["queues"]][:2] == [0, 0]
    assert [node["lanes"] for node in seen["nodes"]] == [[]] * 6
    (why,) = [one for one in seen["warnings"] if one.startswith("No node may take interactive work now")]
    assert "now (a0: paused until 2026-01-01T00:01:00Z; " in why
    assert not any(one.startswith("Nothing consumes the queue background") for one in seen["warnings"]), "Told once."

    nodes.resume(host, ACTOR, ["a1"])
    host.workers.decide()
    assert serving(host, "interactive") == ["a1"]
    assert not any(one.startswith("No node may take interactive") for one in lanes.lanes(host)["warnings"])


def test_a_pause_is_written_whole_and_told_at_once(host):
    answer = nodes.pause(host, ACTOR, ["a0"], seconds=7200)

    assert [(node["name"], node["paused_until"]) for node in answer["nodes"]] == [("a0", "2026-01-01T02:00:00Z")]
    path = Path(host.settings.pause_file)
    assert json.loads(path.read_text()) == {"nodes": ["a0"], "until": "2026-01-01T02:00:00Z"}
    assert [one.name for one in path.parent.iterdir()] == ["paused.json"]
    assert pausing.decode(host.fleet.texts["paused"]).until == {"a0": host.clock.now + 7_200_000_000}
    assert inventory.decode(host.fleet.texts["inventory"]) == FLEET


def test_pauses_of_different_ends_live_side_by_side_and_the_file_goes_with_the_last(host):
    nodes.pause(host, ACTOR, ["a0"], seconds=60)
    nodes.pause(host, ACTOR, ["b0", "b0"], until=host.clock.now + 30_000_000)
    assert row(host, "a0")["paused_until"] == "2026-01-01T00:01:00Z"
    assert row(host, "b0")["paused_until"] == "2026-01-01T00:00:30Z"

    nodes.resume(host, ACTOR, ["a0"])
    assert row(host, "a0")["paused_until"] is None
    nodes.resume(host, ACTOR, ["b0", "a1"])

    assert not Path(host.settings.pause_file).exists()


@pytest.mark.parametrize(
    ("names", "end", "error"),
    [
        (["zz"], {"seconds": 60}, NotFound),
        (["a0", "b2"], {"seconds": 60}, StateConflict),
        ([], {"seconds": 60}, InvalidInput),
        (["a0"], {}, InvalidInput),
        (["a0"], {"seconds": 60, "until": 1}, InvalidInput),
        (["a0"], {"until": 1}, InvalidInput),
        (["a0"], {"seconds": 0}, InvalidInput),
        (["a0"], {"seconds": 24 * 3600 + 1}, InvalidInput),
    ],
)
def test_a_pause_that_may_not_be_changes_nothing(host, names, end, error):
    with pytest.raises(error):
        nodes.pause(host, ACTOR, names, **end)

    assert not Path(host.settings.pause_file).exists()


def test_a_drain_is_done_when_nothing_of_the_node_is_in_flight(host):
    host.workers.held["background@b0"] = [("default", 7, 1)]
    assert nodes.drain(host, ACTOR, ["b0"], seconds=60)["drained"] is False
    host.workers.decide()
    assert nodes.drain(host, ACTOR, ["b0"])["drained"] is False

    host.workers.held.clear()

    assert nodes.drain(host, ACTOR, ["b0"])["drained"] is True
    with pytest.raises(InvalidInput, match="until"):
        nodes.drain(host, ACTOR, ["b1"])


def test_with_the_broker_down_a_pause_is_kept_and_the_answer_says_so(host):
    host.queue.down = host.fleet.down = True

    answer = nodes.pause(host, ACTOR, ["a0"], seconds=60)

    assert answer["warning"] == nodes.UNTOLD
    assert (answer["nodes"][0]["state"], answer["nodes"][0]["in_flight"]) == ("unknown", None)
    assert answer["nodes"][0]["paused_until"] == "2026-01-01T00:01:00Z"
    host.queue.down = host.fleet.down = False
    tick(host)
    assert serving(host, "interactive") == ["a1", "a2"]


def test_a_file_of_the_administrator_counts_and_ours_is_written_beside_it(host, file, monkeypatch):
    file.write_text(json.dumps({"nodes": ["a0"], "until": in_seconds(host, 60)}))
    own = Path(host.settings.data_dir) / "run2" / "run" / "paused.json"
    settings = replace(host.settings, data_dir=str(own.parents[1]))
    managed = replace(host, settings=settings)
    monkeypatch.setattr("os.access", lambda place, mode: Path(place) != file.parent)

    nodes.pause(managed, ACTOR, ["a1"], seconds=30)

    assert json.loads(own.read_text())["nodes"] == ["a1"]
    assert set(nodes.watch(managed).until) == {"a0", "a1"}
    with pytest.raises(StateConflict, match="may not write"):
        nodes.resume(managed, ACTOR, ["a0"])


def test_a_pause_that_cannot_be_written_is_an_error_and_leaves_no_trace(host, file, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)

    with pytest.raises(StoreError, match="No space left"):
        nodes.pause(host, ACTOR, ["a0"], seconds=60)
    assert list(file.parent.iterdir()) == []


def test_the_view_shows_what_the_agent_measured(host):
    models = (ModelReport(role="embed", healthy=True, model="minilm", memory_bytes=5, restarts=1),)
    host.fleet.agents["a0"] = NodeReport(
        node="a0", at=host.clock.now - 2_000_000, models=models, load=0.5, memory_used_bytes=3, memory_total_bytes=8,
        celsius=92.0, thermal="hot", problems=("A worker takes no work.",),
    )  # fmt: skip
    host.workers.decide()

    seen = row(host, "a0")

    assert (seen["state"], seen["why"]) == ("hot", "Serves interactive; too hot for background work (92 °C).")
    assert (seen["celsius"], seen["load"], seen["reported_seconds"]) == (92.0, 0.5, 2.0)
    assert (seen["memory_used_bytes"], seen["memory_total_bytes"]) == (3, 8)
    assert seen["models"][0] == {
        "role": "embed", "model": "minilm", "healthy": True, "reason": None, "memory_bytes": 5, "restarts": 1
    }  # fmt: skip
    assert seen["queue_wait_seconds"] == {"interactive": 0.25, "background": 0.25}
    assert nodes.view(host)["warnings"] == ["Node a0: A worker takes no work."]
    assert row(host, "a1")["celsius"] is row(host, "a1")["load"] is None


def test_bad_answers_of_a_nodes_language_model_are_seen_at_the_node(host):
    """NODE-07"""
    host.workers.bad = {"background@b0": 3, "interactive@b0": 1}

    seen = lanes.lanes(host)

    assert {node["name"]: node["bad_answers"] for node in seen["nodes"]}["b0"] == 4
    assert {node["name"]: node["bad_answers"] for node in seen["nodes"]}["b1"] == 0
    assert {one["worker"]: one["bad_answers"] for one in seen["workers"]}["background@b0"] == 3
    host.queue.down = True
    assert row(host, "b0")["bad_answers"] is None


def test_helping_shows_in_the_view_of_a_process_that_has_no_history(host):
    host.workers.dead = {f"{lane}@{name}" for lane in ("interactive", "background") for name in ("b0", "b1", "b2")}
    tick(host)
    assert serving(host, "background") == []
    tick(host, 10)

    assert serving(host, "background") == ["a1", "a2"]
    assert "helps with background" in row(host, "a1")["why"]
    assert row(host, "a0")["why"] == "Serves interactive; kept free of background work."
    assert row(host, "b0")["state"] == "down"


def test_a_worker_of_no_node_is_a_warning(host):
    other = replace(host, nodes=FLEET[:5])

    told = nodes.view(other)["warnings"]

    assert "The worker interactive@b2 belongs to no node of the inventory, so it takes no work." in told


def test_a_queue_is_as_old_as_its_oldest_message_when_no_row_is_owed(host):
    facts = replace(host.facts(), oldest_sent={"interactive": host.clock.now - 4_000_000})

    queues = {one["name"]: one for one in lanes.lanes(replace(host, facts=lambda: facts))["queues"]}

    assert queues["interactive"]["oldest_seconds"] == 4.0
    assert queues["background"]["oldest_seconds"] is None
