"""The benchmark's sums, and floors of the rules on the pairs on which they were made."""

import pytest

from benchmarks.facts import Labelled, Rate, load, precision, recall, report
from memory.judging import Judged, Pair
from memory.pairs.rules import could_replace, differ_in_values, judge_pair


def labelled(label):
    return Labelled(pair=Pair(old="a", new="b", similarity=0.5), label=label, lang="en", domain="x")


@pytest.fixture(scope="module")
def tune():
    return load("tune").labelled


@pytest.fixture(scope="module")
def verdicts(tune):
    return [judge_pair(one.pair).verdict for one in tune]


def test_precision_is_of_what_fired_and_recall_of_what_is_labelled():
    pairs = [labelled("update"), labelled("update"), labelled("distinct")]
    said = ["update", "distinct", "update"]

    assert precision(pairs, said, "update") == Rate(hits=1, of=2)
    assert recall(pairs, said, "update") == Rate(hits=1, of=2)
    assert recall(pairs, said, "duplicate") == Rate(hits=0, of=0)


def test_an_interval_holds_its_share_and_narrows_with_n():
    few, many = Rate(hits=9, of=10).interval(), Rate(hits=900, of=1000).interval()

    assert few[0] < many[0] < 0.9 < many[1] < few[1] < 1
    assert Rate(hits=0, of=0).interval() == (0, 1)


def test_a_report_shows_no_statement():
    found = report([labelled("update")], lambda pair: Judged(verdict="update"))

    assert found["update precision"].startswith("1.000")
    assert found["labelled update"] == "update 1  duplicate 0  contradiction 0  distinct 0"


@pytest.mark.parametrize(
    ("verdict", "least_precision", "least_recall"),
    [("update", 0.99, 0.4), ("duplicate", 0.99, 0.04), ("contradiction", 0.95, 0.3)],
)
def test_the_rules_reach_their_floors_on_the_pairs_for_tuning(tune, verdicts, verdict, least_precision, least_recall):
    assert precision(tune, verdicts, verdict).share >= least_precision
    assert recall(tune, verdicts, verdict).share >= least_recall


@pytest.mark.parametrize(
    ("verdict", "least_precision", "least_recall"), [("update", 0.97, 0.21), ("duplicate", 0.99, 0.40)]
)
def test_the_rules_reach_their_floors_on_the_traps(verdict, least_precision, least_recall):
    traps = load("tune2").labelled

    said = [judge_pair(one.pair).verdict for one in traps]

    assert precision(traps, said, verdict).share >= least_precision
    assert recall(traps, said, verdict).share >= least_recall


def test_the_guards_let_pass_what_is_labelled_so(tune):
    updates = [one.pair for one in tune if one.label == "update"]
    duplicates = [one.pair for one in tune if one.label == "duplicate"]
    passed = [could_replace(one.old, one.new, same_speaker=one.old_speaker == one.new_speaker) for one in updates]

    assert sum(passed) >= 0.95 * len(updates)
    assert sum(differ_in_values(one.old, one.new) for one in duplicates) <= 0.02 * len(duplicates)
