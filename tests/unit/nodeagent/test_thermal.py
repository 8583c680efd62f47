import pytest

from nodeagent.thermal import Heat, felt


def levels(*readings, hot=90.0, too_hot=97.0):
    heat, said = Heat(), []
    for now, celsius in readings:
        heat = felt(heat, celsius, now=now, hot=hot, too_hot=too_hot)
        said.append(heat.level)
    return said


def test_a_limit_is_reached_at_once():
    assert levels((0, 89.9), (3, 90.0), (6, 97.0)) == ["ok", "hot", "too_hot"]


def test_just_below_the_limit_is_not_cool_enough():
    assert levels((0, 90.0), (10, 86.0), (100, 85.1), (200, 85.1)) == ["hot"] * 4


def test_hot_is_left_five_degrees_below_and_thirty_seconds_later():
    assert levels((0, 91.0), (10, 85.0), (39, 85.0), (40, 85.0)) == ["hot", "hot", "hot", "ok"]


def test_getting_warm_again_starts_the_thirty_seconds_anew():
    assert levels((0, 91.0), (10, 80.0), (30, 88.0), (39, 80.0), (50, 80.0), (69, 80.0)) == [*["hot"] * 5, "ok"]


def test_too_hot_becomes_hot_before_it_becomes_ok():
    assert levels((0, 98.0), (10, 91.0), (40, 91.0), (50, 84.0), (80, 84.0)) == [
        "too_hot", "too_hot", "hot", "hot", "ok",
    ]  # fmt: skip


def test_a_node_without_a_sensor_is_ok():
    assert levels((0, None), (3, None)) == ["ok", "ok"]


def test_a_sensor_that_is_lost_does_not_hold_a_node_for_ever():
    assert levels((0, 99.0), (3, None), (32, None), (33, None)) == ["too_hot", "too_hot", "too_hot", "ok"]


def test_limits_are_the_nodes_own():
    assert levels((0, 71.0), (1, 81.0), hot=70.0, too_hot=80.0) == ["hot", "too_hot"]


@pytest.mark.parametrize("celsius", [90.0, 96.9])
def test_between_the_limits_a_node_is_hot(celsius):
    assert levels((0, celsius)) == ["hot"]
