import numpy as np
import pytest

from memory.retrieval import WEIGHTS, best, cosines, either, fuse, mix_reranked, score


def floats(*values):
    return np.array(values, dtype=np.float32)


def test_a_negative_cosine_counts_as_nothing():
    vectors = np.array([[1, 0], [-1, 0], [0, 0]], dtype=np.float32)
    assert cosines(vectors, floats(1, 0)).tolist() == [1, 0, 0]


def test_the_arm_that_is_there_counts_whole_when_the_other_is_missing():
    weights = {"vectors": 0.5, "lexical": 0.5}
    assert fuse({"lexical": floats(0.8)}, weights).tolist() == pytest.approx([0.8])
    assert fuse({"lexical": floats(0.8), "vectors": floats(0.4)}, weights).tolist() == pytest.approx([0.6])


def test_combined_signals_stay_within_0_and_1():
    assert either([(1.0, floats(1, 0)), (0.5, floats(1, 0))]).tolist() == pytest.approx([1, 0])


def test_relevance_follows_the_stated_formula():
    # given three rows of one session, the first two visible, the second of the speaker who is named
    arms = {"vectors": floats(0.6, 0.2, 0.9), "lexical": floats(0.4, 0.0, 0.9)}
    # when
    scored = score(
        arms,
        reading_order=np.array([0, 1]),
        groups=np.array([0, 0, 0], dtype=np.int32),
        speaker=np.array([False, True, True]),
    )
    # then
    group = (0.5 + 0.1) / 3
    first = 1 - (1 - 0.5) * (1 - 0.3 * 0.1) * (1 - 0.5 * group)
    second = 1 - (1 - 0.1) * (1 - 0.3 * 0.5) * (1 - 0.5 * group) * (1 - 0.1)
    assert scored.relevance[:2].tolist() == pytest.approx([first, second], abs=1e-6)


def test_a_row_stands_alone_when_surroundings_are_off():
    scored = score(
        {"vectors": floats(0.6, 0.2)},
        reading_order=np.array([0, 1]),
        groups=np.array([0, 0], dtype=np.int32),
        surroundings=False,
    )
    assert scored.relevance.tolist() == pytest.approx([0.6, 0.2])


def test_equal_scores_come_in_the_order_of_their_rows():
    scores = np.full(100, 0.5, dtype=np.float32)
    assert best(scores, np.ones(100, dtype=np.bool_), np.arange(100), 7).tolist() == list(range(7))


def test_equal_text_comes_once_and_makes_room_for_the_next():
    scores, keys = floats(0.9, 0.8, 0.8, 0.7, 0.1), np.array([1, 1, 1, 2, 3])
    assert best(scores, np.ones(5, dtype=np.bool_), keys, 3).tolist() == [0, 3, 4]


def test_rows_under_the_threshold_are_not_returned():
    assert best(floats(0.9, 0.2, 0.5), np.ones(3, dtype=np.bool_), np.arange(3), 10, 0.5).tolist() == [0, 2]


def test_nothing_is_picked_from_nothing():
    assert len(best(floats(), np.ones(0, dtype=np.bool_), np.arange(0), 5)) == 0


def test_reranked_rows_are_ordered_by_both_opinions_whatever_the_scale():
    relevance, logits = floats(0.9, 0.8, 0.1), floats(-11, 4, -10)
    assert np.argmax(mix_reranked(relevance, logits)) == 1
    assert mix_reranked(relevance, floats(3, 3, 3)).tolist() == pytest.approx([0.7, 0.6125, 0])


def test_weights_are_round_numbers():
    values = [getattr(WEIGHTS, name) for name in WEIGHTS.__slots__]
    assert values == [round(value, 1) for value in values]
