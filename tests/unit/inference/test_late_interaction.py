"""Late interaction on hand-made states."""

from __future__ import annotations

import numpy as np
import pytest

from inference.late_interaction import passage_score, piece_weights, text_states
from inference.token_states import TokenStates

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def states(*rows: list[list[float]]) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


def test_special_tokens_and_padding_do_not_count() -> None:
    given = states([EAST, [3.0, 4.0], NORTH, [9.0, 9.0]], [EAST, EAST, NORTH, EAST])
    first, second = text_states(given, np.array([[True, True, True, False], [True, True, True, True]]))
    assert first.tolist() == [[3.0, 4.0]]
    assert second.tolist() == [EAST, NORTH]


def test_an_empty_text_has_no_states() -> None:
    (none,) = text_states(states([EAST, NORTH]), np.array([[True, True]]))
    assert none.shape == (0, 2)


def test_each_query_token_takes_its_best_match_and_weights_decide_which_matters() -> None:
    query, passage = np.array([EAST, NORTH], np.float32), TokenStates.of(np.array([[5, 0], [-1, 0]], np.float32))
    assert passage_score(query, np.array([1.0, 3.0], np.float32), passage) == pytest.approx(0.25)
    assert passage_score(query, np.array([3.0, 1.0], np.float32), passage) == pytest.approx(0.75)
    turned = TokenStates.of(np.array([[-1, 0]], np.float32))
    assert passage_score(query[:1], np.ones(1, np.float32), turned) == pytest.approx(-1.0)


def test_nothing_to_compare_scores_zero() -> None:
    none, some = np.zeros((0, 2), np.float32), np.array([EAST], np.float32)
    assert passage_score(none, np.zeros(0, np.float32), TokenStates.of(some)) == 0.0
    assert passage_score(some, np.ones(1, np.float32), TokenStates.of(none)) == 0.0


def test_without_idf_every_token_weighs_the_same() -> None:
    names = [("anna", "anna"), ("?", "?")]
    assert piece_weights(names, None).tolist() == piece_weights(names, {}).tolist() == [1.0, 1.0]


def test_a_weight_is_found_by_word_then_by_piece() -> None:
    names = [("unaffable", "una"), ("unaffable", "##ffa"), ("walking", "walking"), ("ok", "ok")]
    weights = piece_weights(names, {"unaffable": 4.0, "##ffa": 1.0, "walking": 2.0, "ok": 0.0})
    assert weights.tolist() == pytest.approx([4.0, 4.0, 2.0, 0.05])


def test_an_unknown_word_weighs_the_mean_and_punctuation_the_least() -> None:
    assert piece_weights([("oslo", "oslo"), ("?", "?")], {"a": 1.0, "b": 3.0}).tolist() == pytest.approx([2.0, 0.05])
