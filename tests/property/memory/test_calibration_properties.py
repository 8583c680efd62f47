"""A fit is monotone, without labels it is the identity, and the order of labels does not matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.calibration import AS_SAID, LEAST_PROBABILITY, Trust, counted, likeliest, tempered
from memory.calibration_fit import TARGETS, Labelled, fit, interval

OPTIONS = ("duplicate", "update", "contradiction", "distinct")
LABELS = (*OPTIONS, *(f"not:{option}" for option in OPTIONS))


@st.composite
def shares(draw):
    weights = draw(st.lists(st.floats(1e-3, 1.0), min_size=4, max_size=4))
    return {option: weight / sum(weights) for option, weight in zip(OPTIONS, weights, strict=True)}


@st.composite
def answers(draw):
    said = draw(shares())
    best = likeliest(said)
    verdict = best if said[best] >= LEAST_PROBABILITY else "undecided"
    return Labelled(verdict=verdict, label=draw(st.sampled_from(LABELS)), probabilities=said)


@st.composite
def rule_answers(draw):
    return Labelled(verdict=draw(st.sampled_from(OPTIONS)), label=draw(st.sampled_from(LABELS)))


def known(labels):
    """Repeat labels, so that there are enough to move something."""
    return labels.flatmap(lambda some: st.integers(1, 40).map(lambda times: some * times))


HISTORIES = known(st.lists(answers(), min_size=1, max_size=6)) | known(st.lists(rule_answers(), min_size=1, max_size=6))


@given(shares())
def test_without_labels_a_fit_is_the_identity(said):
    trust = fit([]).trust

    assert trust == AS_SAID
    assert tempered(said, trust.temperature) == said
    assert counted("undecided", said, trust) == counted("undecided", said, AS_SAID)


@given(HISTORIES, st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(history, random):
    shuffled = list(history)
    random.shuffle(shuffled)

    assert fit(shuffled) == fit(history)


@given(HISTORIES, shares(), st.sampled_from(OPTIONS), st.floats(0.0, 1.0))
def test_a_surer_answer_is_never_read_as_a_less_sure_one(history, said, option, more):
    trust = fit(history).trust
    left = 1.0 - said[option]
    surer = {one: share * (1.0 - more) if one != option else share + left * more for one, share in said.items()}

    assert tempered(surer, trust.temperature)[option] >= tempered(said, trust.temperature)[option] - 1e-9
    if counted("undecided", said, trust) == option and more > 1e-6:
        assert counted("undecided", surer, trust) == option


@given(HISTORIES, shares())
def test_a_fit_keeps_the_order_of_the_options(history, said):
    calibrated = tempered(said, fit(history).trust.temperature)

    assert sum(calibrated.values()) == pytest.approx(1.0)
    for one in OPTIONS:
        for other in OPTIONS:
            if said[one] > said[other]:
                assert calibrated[one] >= calibrated[other]


@given(HISTORIES)
def test_a_threshold_is_never_below_the_one_without_labels_and_proven_ones_reach_their_target(history):
    found = fit(history)

    for verdict, one in found.findings.items():
        assert one.threshold is None or one.threshold >= LEAST_PROBABILITY
        assert (one.threshold is None) == (one.standing == "demoted")
        if one.standing == "proven":
            assert one.precision.low >= TARGETS[verdict]
    assert set(found.trust.thresholds) <= set(TARGETS)


@given(st.integers(0, 400), st.integers(0, 400))
def test_an_interval_holds_the_share_and_narrows_with_labels(right, wrong):
    low, high = interval(right, right + wrong)

    assert 0.0 <= low <= high <= 1.0
    if right + wrong:
        assert low - 1e-12 <= right / (right + wrong) <= high + 1e-12
        narrower = interval(2 * right, 2 * (right + wrong))
        assert narrower[1] - narrower[0] < high - low


@given(st.sampled_from(OPTIONS))
def test_of_rules_what_counts_is_the_verdict_or_nothing(verdict):
    assert counted(verdict, {}, Trust(thresholds={verdict: None})) == "undecided"
    assert counted(verdict, {}, AS_SAID) == verdict
