import numpy as np
import pytest

from memory.retrieval import WEIGHTS, are_logits, best, calibrated, cosines, either, fuse, relevance_of, score


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
    # given two rows of one session, the second a question and linked to a name, and a third that stands alone
    scored = score(
        {"vectors": floats(0.6, 0.2, 0.8), "lexical": floats(0.4, 0.0, 0.6)},
        groups=np.array([0, 0, 1], dtype=np.int32),
        words=floats(0.4, 0.28, 0.6),
        questions=np.array([False, True, False]),
        entities=floats(0, 1, 0),
        time=floats(0.5, 0, 0),
    )
    # then
    group = (0.5 + 0.1) / 2
    first = 1 - (1 - (0.4 * 0.6 + 0.3 * 0.4 + 0.3 * group)) * (1 - 0.2 * 0.5)
    second = 1 - (1 - 0.9 * (0.4 * 0.2 + 0.3 * 0.28 + 0.3 * group)) * (1 - 0.1)
    third = 0.4 * 0.8 + 0.3 * 0.6 + 0.3 * 0.7
    assert scored.relevance.tolist() == pytest.approx([first, second, third], abs=1e-6)
    assert scored.parts["own"].tolist() == pytest.approx([0.5, 0.1, 0.7])
    assert scored.parts["question"].tolist() == [0, 1, 0]


def test_what_was_reread_follows_the_second_formula():
    parts = {name: floats(value) for name, value in (("vectors", 0.4), ("words", 0.5), ("group", 0.6), ("rerank", 0.7))}
    assert relevance_of(parts).tolist() == pytest.approx([0.5 * 0.7 + 0.1 * 0.4 + 0.2 * 0.5 + 0.2 * 0.6])


def test_a_part_that_is_missing_leaves_its_share_to_the_others():
    assert relevance_of({"words": floats(0.8), "group": floats(0.8)}).tolist() == pytest.approx([0.8])
    assert relevance_of({"vectors": floats(0.8), "group": floats(0.1)}).tolist() == pytest.approx([(3.2 + 0.3) / 7])


def test_a_row_that_is_all_the_question_and_stands_alone_is_wholly_relevant():
    scored = score({"vectors": floats(1), "lexical": floats(1)}, groups=np.zeros(1, dtype=np.int32), words=floats(1))
    assert scored.relevance.tolist() == pytest.approx([1.0])


def test_a_row_stands_alone_when_surroundings_are_off():
    scored = score({"vectors": floats(0.6, 0.2)}, groups=np.zeros(2, dtype=np.int32), surroundings=False)
    assert scored.relevance.tolist() == pytest.approx([0.6, 0.2])


def test_cosines_and_probabilities_are_what_they_are_and_logits_become_probabilities():
    assert calibrated(floats(0.5, -0.2, 1.0), logits=False).tolist() == pytest.approx([0.5, 0, 1])
    assert calibrated(floats(0, 3, -11, 5000), logits=True).tolist() == pytest.approx([0.5, 0.9526, 0, 1], abs=1e-4)
    assert len(calibrated(floats(), logits=True)) == 0


def test_a_score_is_worth_the_same_whichever_are_read_with_it():
    for logits, raw in ((True, floats(8.1, 0.3, -0.4, 1.1)), (False, floats(0.9, 0.3, -0.4, 0.0))):
        together = calibrated(raw, logits=logits)
        assert [float(calibrated(raw[n : n + 1], logits=logits)[0]) for n in range(4)] == together.tolist()


def test_a_logit_is_told_by_a_score_that_no_cosine_has():
    assert are_logits(floats(0.2, -3))
    # float16 writes 1 as up to 1.001
    assert not are_logits(floats(0.2, -1.0, 1.0005))
    assert not are_logits(floats())


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


def test_weights_are_round_numbers():
    shares = [*WEIGHTS.base.values(), *WEIGHTS.reread.values()]
    single = [getattr(WEIGHTS, name) for name in ("vectors", "lexical", "question", "entities", "time")]
    assert [*shares, *single] == [round(value, 1) for value in (*shares, *single)]
    assert sum(WEIGHTS.base.values()) == pytest.approx(1)
    assert sum(WEIGHTS.reread.values()) == pytest.approx(1)
