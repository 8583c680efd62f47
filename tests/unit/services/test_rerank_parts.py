import numpy as np
import pytest

from services.rerank_parts import all_equal, joined, part_positions


@pytest.mark.parametrize(
    ("count", "workers", "sizes"), [(40, 3, [14, 13, 13]), (40, 1, [40]), (15, 3, [15]), (16, 3, [8, 8]), (1, 5, [1])]
)
def test_every_passage_is_in_one_part_and_no_part_is_small(count, workers, sizes):
    parts = part_positions(count, workers)
    assert [len(part) for part in parts] == sizes
    assert sorted(position for part in parts for position in part) == list(range(count))


def test_answers_come_back_in_order_and_what_is_missing_is_named():
    parts = part_positions(16, 2)
    whole, none = joined(16, parts, {n: np.array(part, dtype=np.float32) for n, part in enumerate(parts)})
    assert (whole.tolist(), none) == (list(range(16)), frozenset())
    scores, missing = joined(16, parts, {0: np.zeros(8, dtype=np.float32), 1: np.zeros(7, dtype=np.float32)})
    assert missing == frozenset(parts[1])
    assert np.isnan(scores[sorted(missing)]).all()


def test_equal_scores_of_equal_texts_are_right():
    same = np.ones(2, dtype=np.float32)
    assert all_equal(same, ["a", "b"])
    assert not all_equal(same, ["a", "a"])
    assert not all_equal(same[:1], ["a"])
