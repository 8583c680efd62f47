import numpy as np
import pytest

from memory.surroundings import Neighbourhood, Saying, best_of_group, coverage_nearby


def groups(*numbers):
    return np.array(numbers, dtype=np.int32)


def everything(*numbers):
    return Neighbourhood.of(np.arange(len(numbers)), np.arange(len(numbers)), groups(*numbers))


def said(*pairs, most=1.0):
    return Saying(
        np.array([place for place, _ in pairs]), np.array([share for _, share in pairs], dtype=np.float32), most
    )


def best(own, *numbers, sizes=None):
    return best_of_group(np.array(own, dtype=np.float32), groups(*numbers), sizes).tolist()


def test_a_word_said_nearby_counts_the_less_the_further_off_and_only_inside_the_group():
    found = coverage_nearby([said((2, 0.5))], everything(7, 7, 7, 7, 7, 7, 9))
    assert found.tolist() == pytest.approx([0.245, 0.35, 0.5, 0.35, 0.245, 0, 0])
    assert coverage_nearby([said((5, 0.5))], everything(7, 7, 7, 7, 7, 7, 9))[6] == 0


def test_of_each_word_the_nearest_saying_counts_and_different_words_add_up():
    found = coverage_nearby([said((0, 0.5), (1, 0.5)), said((2, 0.4))], everything(1, 1, 1))
    assert found.tolist() == pytest.approx([0.5 + 0.4 * 0.49, 0.5 + 0.4 * 0.7, 0.35 + 0.4])


def test_however_often_a_neighbour_says_a_word_no_row_beside_it_comes_level():
    found = coverage_nearby([said((1, 1.6), most=1.0)], everything(1, 1, 1))
    assert found.tolist() == pytest.approx([0.7, 1.0, 0.7])


def test_a_pool_that_leaves_rows_out_is_covered_as_if_it_had_them_all():
    # given eight rows in two groups, and three of them as the pool
    numbers, terms = (1, 1, 1, 1, 1, 2, 2, 2), [said((1, 0.3), (5, 0.2)), said((4, 0.6))]
    places = np.array([0, 3, 6])
    pool = Neighbourhood.of(places, np.arange(8), groups(*numbers))
    # then
    assert coverage_nearby(terms, pool).tolist() == coverage_nearby(terms, everything(*numbers))[places].tolist()
    assert pool.sizes.tolist() == [3, 4, 3]


def test_a_word_that_nobody_says_covers_nothing():
    assert coverage_nearby([said()], everything(1, 1)).tolist() == [0, 0]
    assert coverage_nearby([], everything(1)).tolist() == [0]


def test_a_group_is_judged_by_its_three_best_rows_or_all_it_has():
    assert best([0.9, 0.0, 0.6, 0.3, 0.1, 0.8], 1, 1, 1, 1, 1, 2) == pytest.approx([0.6] * 5 + [0.8])
    assert best([0.8, 0.2], 1, 1) == pytest.approx([0.5, 0.5])


def test_rows_of_a_group_that_were_left_out_count_as_nothing():
    assert best([0.9, 0.3], 1, 2, sizes=np.array([5, 1])) == pytest.approx([0.3, 0.3])


def test_equal_relevance_counts_as_often_as_it_is_there():
    assert best([0.5, 0.5, 0.5, 0.5], 1, 1, 1, 1) == pytest.approx([0.5] * 4)


def test_nothing_has_no_surroundings():
    assert best([]) == []
    nothing = np.zeros(0, dtype=np.int64)
    assert len(coverage_nearby([], Neighbourhood.of(nothing, nothing, groups()))) == 0
