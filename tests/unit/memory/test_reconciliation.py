import pytest

from memory.reconciliation import Evidence, Known, decide, reinforced

BEFORE, THEN, AFTER = 1, 2, 3


@pytest.mark.parametrize(
    ("known", "outcome"),
    [
        (Known(), "added"),
        (Known(equal=True), "reinforced"),
        (Known(replaced=True), "superseded"),
        (Known(equal=True, replaced=True), "reinforced"),
    ],
)
def test_equality_comes_before_a_reason_to_supersede(known, outcome):
    assert decide(Evidence(said_at=AFTER, begins=AFTER, by_user=False), known).outcome == outcome


@pytest.mark.parametrize(
    ("said_at", "by_user", "outcome"),
    [(AFTER, True, "added"), (THEN, True, "suppressed"), (BEFORE, True, "suppressed"), (AFTER, False, "suppressed")],
)
def test_what_was_forgotten_comes_back_only_by_a_user_who_says_it_later(said_at, by_user, outcome):
    decision = decide(Evidence(said_at=said_at, begins=said_at, by_user=by_user), Known(forgotten_at=THEN))
    assert decision.outcome == outcome
    assert decision.reason


def test_each_source_removes_a_fifth_of_the_doubt_and_none_the_last():
    assert reinforced(0.5) == pytest.approx(0.6)
    assert reinforced(0.999) < 1.0
