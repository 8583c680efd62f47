"""`memory.time_arm`."""

import numpy as np
import pytest

from memory.question_time import TimeRange
from memory.records import BEGINNING, FOREVER
from memory.time_arm import NEVER, closeness

DAY = 86_400_000_000
JUNE = TimeRange(first=100 * DAY, after=130 * DAY, scale=30 * DAY)


def close(first: float, after: float, *ranges: TimeRange) -> float:
    starts, ends = np.array([first * DAY], dtype=np.int64), np.array([after * DAY], dtype=np.int64)
    return float(closeness(starts, ends, ranges or (JUNE,))[0])


@pytest.mark.parametrize(
    ("first", "after", "expected"),
    [
        (100, 101, 1.0),
        (129, 130, 1.0),
        (130, 131, 0.5),
        (99, 100, 0.5),
        (160, 161, 0.25),
        (40, 70, 0.25),
        (10, 40, 0.0),
        (90, 110, 0.5),
        (100, 160, 0.5),
        (90, 130, 0.75),
        (1000, 1001, 0.0),
    ],
)
def test_a_time_is_as_close_as_it_lies(first, after, expected):
    assert close(first, after) == pytest.approx(expected, abs=1e-6)


def test_a_row_without_a_time_is_close_to_nothing():
    never = np.array([NEVER], dtype=np.int64)

    assert closeness(never, never, [JUNE, TimeRange(first=BEGINNING, after=FOREVER, scale=DAY)])[0] == 0.0


def test_open_ranges_hold_everything_on_their_side():
    before = TimeRange(first=BEGINNING, after=100 * DAY, scale=DAY)
    since = TimeRange(first=100 * DAY, after=FOREVER, scale=DAY)

    assert (close(-700_000, -699_999, before), close(99, 100, before), close(100, 101, before)) == (1.0, 1.0, 0.5)
    assert (close(700_000, 700_001, since), close(100, 101, since), close(99, 100, since)) == (1.0, 1.0, 0.5)


def test_the_closest_of_several_ranges_counts_for_what_it_is_worth():
    earlier = TimeRange(first=0, after=DAY, scale=DAY, worth=0.5)

    assert close(0, 1, JUNE, earlier) == 0.5
    assert close(100, 101, earlier, JUNE) == 1.0


def test_no_ranges_and_no_rows_are_nothing():
    none = np.empty(0, dtype=np.int64)

    assert closeness(none, none, [JUNE]).shape == (0,)
    assert close(100, 101, TimeRange(first=0, after=DAY, scale=DAY)) < 1e-6
