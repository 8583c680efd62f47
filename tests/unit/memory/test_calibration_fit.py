import math

import pytest

from memory.calibration import AS_SAID, tempered
from memory.calibration_fit import LEAST_LABELS, TARGETS, Labelled, Z, enough, fit, interval, is_right


def said(verdict, label, share=None):
    rest = "distinct" if verdict != "distinct" else "update"
    shares = {} if share is None else {verdict: share, rest: 1 - share}
    return Labelled(verdict=verdict, label=label, probabilities=shares)


def answers(verdict, right, wrong, share=None):
    return [said(verdict, verdict, share)] * right + [said(verdict, f"not:{verdict}", share)] * wrong


@pytest.mark.parametrize(("right", "labels"), [(8, 10), (97, 100), (1, 300)])
def test_the_interval_ends_where_the_sample_would_be_z_deviations_off(right, labels):
    for bound in interval(right, labels):
        assert abs(right / labels - bound) == pytest.approx(Z * math.sqrt(bound * (1 - bound) / labels))


def test_without_labels_the_interval_is_everything():
    assert interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("target", TARGETS.values())
def test_enough_labels_are_the_fewest_that_can_prove_a_target(target):
    most = enough(target)

    assert interval(most, most)[0] >= target
    assert interval(most - 1, most - 1)[0] < target


@pytest.mark.parametrize(
    ("option", "label", "right"),
    [
        ("update", "update", True),
        ("update", "distinct", False),
        ("update", "not:update", False),
        ("update", "not:duplicate", None),
        ("update", "contradiction", False),
        ("contradiction", "update", True),
        ("contradiction", "distinct", False),
    ],
)
def test_a_label_says_whether_an_option_is_right(option, label, right):
    assert is_right(option, label) is right


def test_without_labels_a_judge_is_trusted_as_it_speaks():
    assert fit([]).trust == AS_SAID


@pytest.mark.parametrize("share", [0.65, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("wrong", [0, 5, 19])
def test_fewer_than_twenty_labels_hardly_move_a_probability_and_demote_nothing(share, wrong):
    found = fit(answers("update", LEAST_LABELS - 1 - wrong, wrong, share))

    moved = tempered({"update": share, "distinct": 1 - share}, found.trust.temperature)["update"]
    assert abs(moved - share) < 0.1
    assert found.trust.thresholds == {}
    assert found.findings["update"].standing == "unproven"


def test_a_judge_that_is_surer_than_it_should_be_is_flattened():
    found = fit(answers("distinct", 300, 100, 0.97))

    assert found.trust.temperature > 1.5
    assert tempered({"distinct": 0.97, "update": 0.03}, found.trust.temperature)["distinct"] == pytest.approx(
        0.8, abs=0.08
    )


def test_a_verdict_that_the_labels_prove_keeps_the_lowest_threshold_that_does():
    sure, unsure = answers("update", 300, 0, 0.99), answers("update", 20, 20, 0.65)

    found = fit([*sure, *unsure]).findings["update"]

    assert (found.standing, found.precision.labels) == ("proven", 300)
    assert found.threshold is not None
    assert found.threshold > 0.6
    assert found.precision.low >= 0.97


def test_a_verdict_that_the_labels_speak_against_is_demoted():
    assert fit(answers("update", 40, 10, 0.9)).trust.thresholds == {"update": None}


def test_a_verdict_with_labels_enough_to_prove_it_that_do_not_is_demoted():
    most = enough(TARGETS["duplicate"])

    assert fit(answers("duplicate", most - 4, 4)).findings["duplicate"].standing == "demoted"
    assert fit(answers("duplicate", most, 0)).findings["duplicate"].standing == "proven"


def test_of_rules_only_the_verdict_that_is_often_wrong_stops_counting():
    found = fit([*answers("update", 15, 10), *answers("duplicate", 130, 0)])

    assert (found.trust.temperature, found.trust.thresholds) == (1.0, {"update": None})


def test_a_verdict_without_a_target_is_measured_and_left_alone():
    found = fit(answers("distinct", 10, 90, 0.9))

    assert found.trust.thresholds == {}
    assert (found.findings["distinct"].standing, found.findings["distinct"].precision.right) == ("without_target", 10)


def test_an_undecided_answer_counts_by_its_likeliest_option():
    found = fit(
        [
            Labelled(
                verdict="undecided", label="update", probabilities={"update": 0.5, "distinct": 0.3, "duplicate": 0.2}
            )
        ]
    )

    assert found.labels == 1
    assert found.findings["update"].precision.labels == 0


def test_what_says_nothing_of_the_answer_is_left_out():
    found = fit([said("update", "not:duplicate", 0.9), Labelled(verdict="undecided", label="update")])

    assert (found.labels, found.trust) == (0, AS_SAID)
