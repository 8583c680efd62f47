import pytest

from memory.calibration import AS_SAID, LEAST_PROBABILITY, Trust, counted, likeliest, proposed, tempered, trust_of
from memory.judging import Judged, read_pair, trusted

SHARES = {"update": 0.7, "distinct": 0.2, "duplicate": 0.1}


def test_a_temperature_of_1_changes_nothing():
    assert tempered(SHARES, 1.0) == SHARES


def test_a_high_temperature_takes_sureness_away_and_keeps_the_order():
    flat = tempered(SHARES, 2.0)

    assert sum(flat.values()) == pytest.approx(1.0)
    assert LEAST_PROBABILITY > flat["update"] > flat["distinct"] > flat["duplicate"]


def test_an_option_that_was_called_impossible_stays_last():
    assert tempered({"update": 1.0, "distinct": 0.0}, 3.0)["distinct"] < 0.01


def test_the_likeliest_of_equal_options_does_not_depend_on_their_order():
    assert likeliest({"update": 0.5, "distinct": 0.5}) == likeliest({"distinct": 0.5, "update": 0.5}) == "distinct"
    assert likeliest({}) is None


@pytest.mark.parametrize(
    ("thresholds", "verdict"),
    [({}, "update"), ({"update": 0.7}, "update"), ({"update": 0.8}, "undecided"), ({"update": None}, "undecided")],
)
def test_a_verdict_counts_from_its_own_threshold_on(thresholds, verdict):
    assert counted("undecided", SHARES, Trust(thresholds=thresholds)) == verdict


def test_of_rules_a_verdict_counts_or_does_not():
    assert counted("update", {}, AS_SAID) == "update"
    assert counted("update", {}, Trust(thresholds={"update": None})) == "undecided"
    assert counted("duplicate", {}, Trust(thresholds={"update": None})) == "duplicate"


def test_a_model_that_gave_no_answer_stays_undecided():
    assert counted("undecided", {}, AS_SAID) == "undecided"


def test_a_pair_is_read_with_the_threshold_of_its_verdict():
    letters = {"A": 0.1, "B": 0.7, "C": 0.0, "D": 0.2}

    assert read_pair(letters).verdict == "update"
    assert read_pair(letters, Trust(thresholds={"update": 0.9})).verdict == "undecided"
    assert read_pair(letters, Trust(temperature=2.0)).verdict == "undecided"
    assert read_pair(letters, Trust(thresholds={"update": 0.9})).probabilities["update"] == 0.7


def test_what_a_judge_said_is_kept_when_it_does_not_count():
    said = Judged(verdict="update", reason="same subject")

    assert trusted(said, AS_SAID) is said
    assert trusted(said, Trust(thresholds={"update": None})).verdict == "undecided"


@pytest.mark.parametrize(
    ("verdicts", "shown"),
    [
        ([], None),
        (["undecided", "distinct"], None),
        (["distinct", "distinct"], "distinct"),
        (["undecided", "update"], "update"),
        (["update", "duplicate"], "duplicate"),
        (["contradiction", "duplicate"], "contradiction"),
    ],
)
def test_a_person_is_shown_what_would_decide(verdicts, shown):
    assert proposed(verdicts) == shown


def test_a_trust_is_read_back_from_what_was_kept():
    assert trust_of({"temperature": 2, "thresholds": {"update": None}}) == Trust(
        temperature=2.0, thresholds={"update": None}
    )
