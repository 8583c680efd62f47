"""`distance`: only rows so near by their vectors are found, as many as there are of them."""

from dataclasses import replace

import pytest

from memory.errors import ModelUnavailable
from memory.records import Scope, SearchQuery
from services.fakes import UnreachableModels
from services.search import search
from tests.rows import put_memories, searching_host

HOME = Scope(tenant="default", spaces=("home",))


@pytest.fixture
def host(tmp_path):
    one = searching_host(tmp_path)
    put_memories(one, "home", ["The crane is red.", "The crane is tall and red.", "Ada likes tea.", "Bob likes rum."])
    yield one
    one.store.close()


def found(host, q="The crane is red.", **more):
    return search(HOME, host, SearchQuery(q=q, **more)).hits


def test_rows_beyond_the_distance_are_not_found(host):
    distances = {hit.text: 1 - hit.explain["vectors"] for hit in found(host)}
    assert len(distances) == 4

    for limit in (0.0, *distances.values(), 1.0):
        near = {text for text, distance in distances.items() if distance <= limit + 1e-6}
        assert {hit.text for hit in found(host, distance=limit)} == near
    assert {hit.text for hit in found(host, distance=0.0)} == {"The crane is red."}


def test_there_are_as_many_results_as_rows_within_the_distance(host):
    put_memories(host, "home", [f"The crane of quay {n} is green." for n in range(50)], group="ses_2")

    assert len(found(host, distance=0.9, limit=40)) == 40


def test_without_a_vector_of_the_question_it_is_no_answer(tmp_path, host):
    away = replace(host, models=UnreachableModels())
    assert found(away)
    with pytest.raises(ModelUnavailable):
        found(away, distance=0.5)
