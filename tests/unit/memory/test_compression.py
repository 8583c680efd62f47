import numpy as np

from memory.compression import join, select, units

TEXT = "One is here. Two is there.\nThree is nowhere. Four is gone."


def test_pieces_are_sentences_until_there_are_too_many():
    assert [TEXT[start:end] for start, end in units(TEXT, 10)][:2] == ["One is here.", "Two is there."]
    assert len(units(TEXT, 2)) == 2
    assert units(" \n ", 5) == []


def test_the_best_that_fit_are_kept_in_source_order():
    scores = np.array([0.9, 0.1, 0.8, 0.7], dtype=np.float32)
    assert select(scores, [5, 5, 20, 5], 12) == [0, 3]


def test_nothing_is_kept_when_nothing_fits():
    assert select(np.array([0.9], dtype=np.float32), [5], 4) == []


def test_what_has_been_said_gives_way_to_something_else():
    scores = np.array([0.9, 0.89, 0.6], dtype=np.float32)
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    assert select(scores, [1, 1, 1], 2, vectors=vectors, redundancy=0.5) == [0, 2]


def test_neighbours_stay_as_they_were_and_gaps_are_closed():
    spans = units(TEXT, 10)
    assert join(TEXT, spans, [0, 1, 3]) == "One is here. Two is there.\nFour is gone."
    assert join(TEXT, spans, [0, 3]) == "One is here.\nFour is gone."
