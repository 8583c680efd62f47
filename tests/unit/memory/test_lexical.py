import numpy as np
import pytest

from memory.lexical import Posting, relative_lengths, score_terms

EVERYTHING = np.ones(4, dtype=np.bool_)
AVERAGE = np.ones(4, dtype=np.float32)


def posting(*slots, counts=None):
    return Posting(np.array(slots, dtype=np.int32), np.array(counts or [1] * len(slots), dtype=np.int32))


def test_a_row_of_average_length_with_every_word_once_is_covered_whole():
    found = score_terms({"blue": posting(1), "car": posting(1, 2)}, EVERYTHING, AVERAGE)
    assert found.coverage[1] == pytest.approx(1.0)
    assert 0 < found.coverage[2] < 0.5
    assert found.coverage[0] == 0


def test_a_rare_word_weighs_more_than_a_common_one():
    weights = score_terms({"rare": posting(0), "common": posting(0, 1, 2, 3)}, EVERYTHING, AVERAGE).weights
    assert weights["rare"] > weights["common"] > 0


def test_a_word_that_nobody_says_counts_against_the_coverage():
    alone = score_terms({"blue": posting(1)}, EVERYTHING, AVERAGE).coverage[1]
    beside = score_terms({"blue": posting(1), "zebra": posting()}, EVERYTHING, AVERAGE).coverage[1]
    assert alone == pytest.approx(1.0)
    assert beside < 0.5


def test_a_row_that_says_something_akin_is_worth_its_strength_and_makes_the_word_so_much_more_common():
    akin = Posting(*(np.array(one, dtype=np.int32) for one in ([0, 1], [1, 1])), np.array([1.0, 0.25], np.float32))
    found = score_terms({"garden": akin}, EVERYTHING, AVERAGE)
    assert found.coverage.tolist() == pytest.approx([1.0, 0.25, 0, 0])
    assert found.weights["garden"] == pytest.approx(np.log1p((4 - 1.25 + 0.5) / (1.25 + 0.5)))


def test_rows_that_are_not_visible_do_not_change_what_a_word_weighs():
    # given one visible row with the word, and two hidden ones
    visible = np.array([True, True, False, False])
    # when the hidden ones have it too, or do not
    with_hidden = score_terms({"blue": posting(0, 2, 3)}, visible, AVERAGE).weights
    without = score_terms({"blue": posting(0)}, visible, AVERAGE).weights
    # then nothing changes
    assert with_hidden == without


def test_a_query_without_words_covers_nothing():
    found = score_terms({}, EVERYTHING, AVERAGE)
    assert not found.coverage.any()
    assert found.weights == {}


def test_lengths_are_measured_against_rows_of_the_same_kind():
    kinds = np.array([0, 0, 1, 1], dtype=np.int8)
    relative = relative_lengths(np.array([10, 30, 100, 300], dtype=np.int32), kinds, EVERYTHING)
    assert relative.tolist() == pytest.approx([0.5, 1.5, 0.5, 1.5])
