"""Cases whose vectors and judges are given: RECONCILE-03, with a cosine of 0.98 and a judge that errs."""

import numpy as np
import pytest

from tests.reconciling import DAY, Reconciling

FIVE, SIX, LEFT = "Ana has worked at Norvik for 5 years", "Ana has worked at Norvik for 6 years", "Ana left Norvik"


def alike(own):
    """Return a vector that has a cosine of 0.98 to others like it."""
    axis = np.zeros(384, dtype=np.float32)
    axis[0], axis[100 + own] = np.sqrt(0.98), np.sqrt(0.02)
    return axis.tobytes()


def erring(old, new):
    return "duplicate" if new == SIX else "update"


@pytest.mark.parametrize("judge", [None, erring], ids=["rules", "scripted"])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_years_at_work_are_a_history_in_whatever_order_they_are_told(tmp_path, judge, order):
    # given
    writer = Reconciling(tmp_path, judge)
    today = writer.clock()
    said = [(FIVE, today - 60 * DAY), (SIX, today - 38 * DAY), (LEFT, today - 13 * DAY)]

    # when
    for which in order:
        text, at = said[which]
        writer.propose(text, alike(which), said_at=at)
        writer.answer_all()

    # then one is current, and each held in its time
    assert writer.live() == [LEFT]
    assert writer.at(today - 30 * DAY) == [SIX]
    assert writer.at(today - 50 * DAY) == [FIVE]
    assert {outcome for outcome, _ in writer.outcomes()} <= {"added", "superseded"}
    assert writer.rows("SELECT count(DISTINCT root_id) FROM memory") == [(1,)]
