import numpy as np

from services.fake_models import WordModels
from services.query_vectors import CachedVectors


def cached(size=2):
    models = WordModels()
    return models, CachedVectors(models, model="words", size=size)


def test_a_repeated_query_costs_no_model_call():
    models, vectors = cached()
    first, second = vectors.embed(["tea?"]), vectors.embed(["tea?"])
    assert models.asked == ["tea?"]
    np.testing.assert_array_equal(first.vectors, second.vectors)


def test_the_least_recent_query_is_forgotten():
    models, vectors = cached()
    for text in ("one", "two", "one", "three", "one", "two"):
        vectors.embed([text])
    assert models.asked == ["one", "two", "three", "two"]


def test_several_texts_go_straight_through():
    models, vectors = cached()
    vectors.embed(["one", "two"])
    vectors.embed(["one", "two"])
    assert len(models.asked) == 4


def test_a_cache_of_nothing_keeps_nothing():
    models, vectors = cached(size=0)
    vectors.embed(["one"])
    vectors.embed(["one"])
    assert models.asked == ["one", "one"]


def test_a_query_is_asked_for_before_anybody_waits():
    asked = []

    class Models(WordModels):
        def start_embedding(self, texts):
            asked.append(list(texts))
            return super().start_embedding(texts)

    vectors = CachedVectors(Models(), model="words", size=2)
    answer = vectors.start_embedding(["tea?"])
    assert asked == [["tea?"]]
    np.testing.assert_array_equal(answer().vectors, vectors.start_embedding(["tea?"])().vectors)
    assert asked == [["tea?"]]


def test_what_is_waited_for_in_full_is_not_asked_for_as_a_question():
    # A question is given up sooner.
    class Models(WordModels):
        def start_embedding(self, texts):
            raise AssertionError("a write cannot do without")

    vectors = CachedVectors(Models(), model="words", size=2)
    assert vectors.embed(["tea"]).vectors.shape[0] == 1
    assert vectors.start_embedding(["tea"])().vectors.shape[0] == 1
