import pytest

from memlane import draining


@pytest.fixture(autouse=True)
def _short_looks(monkeypatch):
    monkeypatch.setattr(draining, "LOOK_SECONDS", 0.001)


def test_nodes_are_listed_with_lane_state_and_why(server, memlane):
    ran = memlane("nodes")

    assert ran.code == 0
    assert (
        ran.out.splitlines()[0] == "a1\t0\tinteractive\tserving\t0\t0.1 s\t0\t61\t38 %\tminilm\t\tServes interactive."
    )
    assert memlane("nodes", "list", "--json").json["nodes"][1]["name"] == "b1"


@pytest.mark.parametrize(
    ("written", "seconds"), [("2h", 7200), ("30m", 1800), ("1h30m", 5400), ("90s", 90), ("1d", 86_400)]
)
def test_a_pause_lasts_as_long_as_is_written(server, memlane, written, seconds):
    ran = memlane("nodes", "pause", "a1", "b1", "--for", written)

    assert ran.code == 0
    assert server.sent("POST", "/v1/nodes/pause")[0].body == {"nodes": ["a1", "b1"], "seconds": seconds}


def test_a_pause_ends_when_it_says(server, memlane):
    memlane("nodes", "pause", "a1", "--until", "2026-01-01T05:00:00Z")

    assert server.nodes.by_name["a1"]["paused_until"] == "2026-01-01T05:00:00Z"
    assert memlane("nodes", "resume", "a1").code == 0
    assert server.nodes.by_name["a1"]["paused_until"] is None


@pytest.mark.parametrize(
    "arguments",
    [
        ["pause"],
        ["pause", "a1"],
        ["pause", "a1", "--for", "2h", "--until", "2026-01-01"],
        ["pause", "a1", "--for", "2"],
        ["pause", "a1", "--for", "0h"],
        ["pause", "a1", "--for", "30m1h"],
        ["pause", "a1", "--for", "-5m"],
        ["pause", "a1", "--until", "soon"],
        ["drain", "a1", "--for", "2h", "--until", "2026-01-01"],
        ["resume"],
    ],
)
def test_a_command_line_without_one_clear_end_is_refused_and_nothing_is_sent(server, memlane, arguments):
    ran = memlane("nodes", *arguments)

    assert ran.code == 2
    assert server.requests == []


@pytest.mark.parametrize("command", ["pause", "drain"])
def test_the_help_says_that_the_end_must_be_given_and_gives_an_example(server, memlane, command):
    said = " ".join(memlane("nodes", command, "--help").out.split())

    assert "must be given" in said
    assert f"memlane nodes {command} a0 --for 2h" in said


def test_a_drain_without_an_end_says_that_it_needs_one_and_gives_an_example(server, memlane):
    details = {"field": "until"}
    server.faults.append((400, {"error": "No end.", "code": "invalid", "details": details}, {}))

    ran = memlane("nodes", "drain", "a1")

    assert ran.code == 2
    assert "must have an end" in ran.err
    assert "memlane nodes drain a1 --for 2h" in ran.err


def test_nodes_that_are_paused_are_drained_without_naming_the_end_again(server, memlane):
    memlane("nodes", "pause", "a1", "--for", "2h")

    assert memlane("nodes", "drain", "a1").code == 0


def test_a_drain_waits_until_nothing_is_in_flight_and_says_how_far_it_is(server, memlane):
    server.nodes.by_name["a1"]["in_flight"] = 2

    ran = memlane("nodes", "drain", "a1", "--for", "2h", "--json")

    assert ran.code == 0
    assert ran.json["drained"] is True
    assert ran.json["nodes"][0]["state"] == "paused"
    assert ran.err.splitlines() == ["a1: 2 in flight", "a1: 1 in flight", "a1: drained"]


def test_a_drain_whose_pause_ends_first_fails(server, memlane, monkeypatch):
    server.nodes.by_name["a1"]["in_flight"] = 5
    monkeypatch.setattr("time.sleep", lambda seconds: server.nodes.by_name["a1"].update(paused_until=None))

    ran = memlane("nodes", "drain", "a1", "--for", "1s", "--json")

    assert ran.code == 1
    assert ran.json["drained"] is False


def test_a_drain_of_a_node_that_is_lost_says_what_it_held_and_fails(server, memlane, monkeypatch):
    server.nodes.by_name["a1"]["in_flight"] = 3
    gone = {"in_flight": 0, "queue_wait_seconds": {}, "state": "down"}
    monkeypatch.setattr("time.sleep", lambda seconds: server.nodes.by_name["a1"].update(gone))

    ran = memlane("nodes", "drain", "a1", "--for", "2h", "--json")

    assert ran.code == 1
    assert (ran.json["drained"], ran.json["lost"]) == (False, {"a1": 3})
    words = "lost with 3 in flight; what it had not finished goes elsewhere"
    assert ran.err.splitlines() == ["a1: 3 in flight", f"a1: {words}"]


def test_a_node_that_was_down_before_is_not_called_drained(server, memlane):
    server.nodes.by_name["a1"].update(in_flight=0, queue_wait_seconds={}, state="down")

    ran = memlane("nodes", "drain", "a1", "--for", "2h")

    assert ran.code == 0
    assert ran.err.splitlines() == ["a1: down: nothing of it is heard of; what it held goes elsewhere"]


@pytest.mark.parametrize("command", ["pause", "drain"])
def test_a_refused_end_is_said_in_the_words_of_the_command_line(server, memlane, command):
    refused = {"error": "`until` is past, and `seconds` too large.", "code": "invalid", "details": {"field": "until"}}
    server.faults.append((400, refused, {}))

    ran = memlane("nodes", command, "a1", "--until", "2020-01-01")

    assert ran.code == 2
    assert "--until is past, and --for too large." in ran.err


def test_an_unknown_node_is_said_by_name(server, memlane):
    ran = memlane("nodes", "pause", "zz", "--for", "2h")

    assert ran.code == 4
    assert "'zz'" in ran.err
