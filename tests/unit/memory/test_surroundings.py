import numpy as np
import pytest

from memory.surroundings import look_around


def around(own, groups):
    return look_around(np.array(own, dtype=np.float32), np.array(groups, dtype=np.int32))


def test_neighbours_are_looked_for_inside_the_group_only():
    found = around([0.1, 0.2, 0.3, 0.4], [7, 7, 9, 9])
    assert found.before.tolist() == pytest.approx([0, 0.1, 0, 0.3])
    assert found.after.tolist() == pytest.approx([0.2, 0, 0.4, 0])


def test_a_group_is_judged_by_its_three_best_rows():
    found = around([0.9, 0.0, 0.6, 0.3, 0.1, 0.8], [1, 1, 1, 1, 1, 2])
    assert found.group.tolist() == pytest.approx([0.6] * 5 + [0.8 / 3])


def test_equal_relevance_counts_as_often_as_it_is_there():
    assert around([0.5, 0.5, 0.5, 0.5], [1, 1, 1, 1]).group.tolist() == pytest.approx([0.5] * 4)


def test_nothing_has_no_surroundings():
    assert len(around([], []).group) == 0
