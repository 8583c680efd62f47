"""Age only takes from a score, never more than its share, and more the older something is."""

from hypothesis import given
from hypothesis import strategies as st

from memory.recency import SHARE, aged, freshness

SCORES = st.floats(0, 1)
TIMES = st.integers(-(2**62), 2**62)
HALF_LIVES = st.floats(1e-5, 36_500)


@given(SCORES, SCORES, TIMES, TIMES, TIMES, HALF_LIVES)
def test_what_fits_better_by_more_than_the_share_is_never_outranked(better, worse, one, other, now, half_life_days):
    fresh = [freshness(at, now=now, half_life_days=half_life_days) for at in (one, other)]

    if worse < better * (1 - SHARE) * (1 - 1e-12):
        assert aged(better, fresh[0]) > aged(worse, fresh[1])


@given(SCORES, TIMES, TIMES, TIMES, HALF_LIVES)
def test_of_equal_ones_the_newer_comes_first(score, one, other, now, half_life_days):
    older, newer = sorted((one, other))

    def order(at):
        return aged(score, freshness(at, now=now, half_life_days=half_life_days))

    assert (1 - SHARE) * score * (1 - 1e-12) <= order(older) <= order(newer) <= score
