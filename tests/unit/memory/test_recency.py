"""Age decides between near equals and never outranks relevance."""

from dataclasses import replace

import pytest

from memory.recency import SHARE, aged, freshness, told_at
from memory.records import BEGINNING, FOREVER, Actor, Memory, Window

DAY = 24 * 3600 * 1_000_000
NOW = 20_000 * DAY
PERSON = Actor(kind="person", id="local")
DIRECT = Memory(
    id="mem_1", space="home", root_id="mem_1", parent_id=None, version=1, statement="Ada likes tea.", speaker=None,
    said_at=None, said_zone=None, kind="fact", confidence=1.0, support=1, is_static=False, is_latest=True,
    is_forgotten=False, forget_reason=None, metadata={}, actor=PERSON, recorded_at=9, updated_at=9,
)  # fmt: skip


def test_freshness_is_halved_with_every_half_life_and_what_lies_ahead_is_new():
    days = {age: freshness(NOW - age * DAY, now=NOW, half_life_days=30) for age in (0, 30, 60, 10**6, -5)}

    assert days == {0: 1.0, 30: 0.5, 60: 0.25, 10**6: 0.0, -5: 1.0}


@pytest.mark.parametrize("half_life_days", [1e-9, 1.0, 36_500.0])
def test_a_half_life_of_any_length_ends_between_0_and_1(half_life_days):
    assert 0 <= freshness(-(2**62), now=2**62, half_life_days=half_life_days) <= 1


def test_the_most_that_age_takes_is_a_share():
    assert aged(0.8, 1.0) == 0.8
    assert aged(0.8, 0.0) == pytest.approx(0.8 * (1 - SHARE))
    assert aged(0.0, 0.0) == 0.0


def test_age_counts_from_when_it_was_said_then_from_when_it_was_true_then_from_when_it_was_recorded():
    window = Window(valid_from=7, valid_to=FOREVER, recorded_at=9, retired_at=None, actor=PERSON)
    direct = replace(DIRECT, windows=(window,))

    assert told_at(replace(direct, said_at=5)) == 5
    assert told_at(direct) == 7
    assert told_at(replace(direct, windows=(replace(window, valid_from=BEGINNING),))) == 9
