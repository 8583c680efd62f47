import pytest

from benchmarks.histories import history
from inference.fake_words import word_vectors
from memory.judging import NEIGHBOUR_FLOOR


def near(texts, others):
    return word_vectors(texts, 384) @ word_vectors(others, 384).T >= NEIGHBOUR_FLOOR


def test_every_new_fact_is_near_to_just_one_known_fact():
    told = history(seed=1, count=200, touching=0.3)
    assert (near(told.said, told.known).sum(axis=1) == 1).all()


@pytest.mark.parametrize(("touching", "least", "most"), [(0.0, 0, 0), (0.1, 10, 35), (1.0, 199, 199)])
def test_so_many_new_facts_touch_an_earlier_one_as_is_said(touching, least, most):
    told = history(seed=1, count=200, touching=touching)
    together = near(told.said, told.said)
    touched = sum(bool(together[place, :place].any()) for place in range(200))
    assert least <= touched <= most


def test_the_same_seed_makes_the_same_history():
    assert history(seed=7, count=50, touching=0.1) == history(seed=7, count=50, touching=0.1)
    assert history(seed=7, count=50, touching=0.1) != history(seed=8, count=50, touching=0.1)
