import json

import pytest

from memory.errors import InvalidInput
from memory.fleet import FleetNode, Pause
from memory.pausing import LONGEST, decode, encode, latest, read, write

SECOND = 1_000_000
NOW = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z
NODES = (FleetNode(name="a0"), FleetNode(name="a1"), FleetNode(name="b0", lendable=False))


def pause(until, *names):
    return read(json.dumps({"nodes": list(names or ("a0",)), "until": until}), now=NOW, nodes=NODES)


@pytest.mark.parametrize(
    "until",
    ["2026-01-01T00:01:00Z", "2026-01-01T01:01:00+01:00", "2026-01-01T00:01:00", 1_767_225_660, 1_767_225_660.0,
     "1767225660", 1_767_225_660_000],
)  # fmt: skip
def test_an_end_is_iso_or_epoch(until):
    assert pause(until, "a0", "a1") == Pause(until={"a0": NOW + 60 * SECOND, "a1": NOW + 60 * SECOND})


def test_an_end_in_the_past_is_over_and_no_problem():
    over = pause("2025-12-31T23:00:00Z")

    assert (over.until, over.problems) == ({}, ())
    assert over.expired == {"a0": NOW - 3600 * SECOND}


def test_the_longest_pause_is_a_day():
    assert pause((NOW + LONGEST) // SECOND).until == {"a0": NOW + LONGEST}
    refused = pause((NOW + LONGEST) // SECOND + 1)
    assert refused.until == {}
    assert "more than 24 hours ahead" in refused.problems[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("null", "must be"),
        ("7", "must be"),
        ("{}", "`nodes`"),
        ('{"nodes": "a0", "until": 1767225660}', "`nodes`"),
        ('{"nodes": [1], "until": 1767225660}', "`nodes`"),
        ('{"nodes": ["a0"]}', "`until` is missing"),
        ('{"nodes": ["a0"], "until": null}', "`until` is missing"),
        ('{"nodes": ["a0"], "until": true}', "not a date"),
        ('{"nodes": ["a0"], "until": []}', "not a date"),
        ('{"nodes": ["a0"], "until": "soon"}', "not a date"),
        ('{"nodes": ["a0"], "until": 60}', "not a date"),
        ('{"nodes": ["a0"], "until": NaN}', "not a date"),
        ('{"nodes": ["a0"], "until": 1e400}', "not a date"),
        ('{"nodes": ["a0"], "until": ' + "9" * 5000 + "}", "not valid JSON"),
        ('{"nodes": ["a0"], "until": 99999999999999999999}', "not a date"),
        ('{"nodes": ["b0"], "until": 1767225660}', "not lendable"),
    ],
)
def test_what_cannot_be_understood_pauses_nobody_and_is_reported(text, words):
    found = read(text, now=NOW, nodes=NODES)

    assert found.until == {}
    assert words in found.problems[0]


def test_a_wrong_name_does_not_keep_the_others_from_being_paused():
    found = pause(1_767_225_660, "c9", "a0", "b0")

    assert set(found.until) == {"a0"}
    assert [len(found.problems), len(found.remarks)] == [1, 1]
    assert "'c9', which is no node of the inventory" in found.remarks[0]


def test_what_is_over_is_not_complained_of_whomever_it_names():
    assert pause(1_767_225_540, "c9", "b0") == Pause()


def test_nodes_may_have_ends_of_their_own_and_the_later_one_counts():
    text = json.dumps([{"nodes": ["a0"], "until": 1_767_225_660}, {"nodes": ["a0", "a1"], "until": 1_767_225_630}, {}])
    found = read(text, now=NOW, nodes=NODES)

    assert found.until == {"a0": NOW + 60 * SECOND, "a1": NOW + 30 * SECOND}
    assert len(found.problems) == 1


@pytest.mark.parametrize("until", [{"a0": NOW + SECOND}, {"a0": NOW + SECOND, "a1": NOW + 2 * SECOND}, {}])
def test_what_is_written_is_read_back(until):
    assert read(write(Pause(until=until)), now=NOW, nodes=NODES).until == until
    published = Pause(until=until, problems=("A problem.",), expired={"b0": 1})
    assert decode(encode(published)) == published


def test_one_end_is_written_in_the_simple_form():
    text = write(Pause(until={"a1": NOW + SECOND, "a0": NOW + SECOND}))

    assert json.loads(text) == {"nodes": ["a0", "a1"], "until": "2026-01-01T00:00:01Z"}


@pytest.mark.parametrize("text", ["", "null", "[]", '{"until": 5}', '{"until": {"a0": "x"}}', "\x00"])
def test_what_was_not_published_by_us_is_refused(text):
    with pytest.raises(InvalidInput):
        decode(text)


def test_a_worker_keeps_the_last_pause_it_knew_until_its_end():
    known = Pause(until={"a0": NOW + SECOND, "a1": NOW + 3 * SECOND})

    assert latest(known, None, now=NOW + 2 * SECOND).until == {"a1": NOW + 3 * SECOND}
    assert latest(known, Pause(), now=NOW).until == {}
