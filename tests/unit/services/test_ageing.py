"""`half_life_days`: memories that fit about equally well are ordered by age, chunks and relevance are left alone."""

import pytest

from memory.records import FOREVER, SearchQuery
from services.ageing import asked_at
from services.search import search
from tests.pipeline import HOME, Pipeline
from tests.rows import put_memories

DAY = 24 * 3600 * 1_000_000


@pytest.fixture
def pipeline(tmp_path):
    one = Pipeline(tmp_path)
    for number, days in enumerate((400, 3, 40)):
        window = (one.clock() - days * DAY, FOREVER)
        put_memories(one.host, "home", [f"The depot keeps its crane {number}."], group=f"ses_{number}", window=window)
    yield one
    one.host.store.close()


def found(pipeline, q="Where does the depot keep its crane?", **more):
    return search(HOME, pipeline.host, SearchQuery(q=q, surroundings=False, **more)).hits


def numbers(hits):
    return [hit.text.removesuffix(".")[-1] for hit in hits]


def test_of_near_equals_the_newer_comes_first_and_similarity_stays(pipeline):
    plain, aged = found(pipeline), found(pipeline, half_life_days=30)

    assert numbers(aged) == ["1", "2", "0"]
    assert {hit.id: hit.similarity for hit in plain} == {hit.id: hit.similarity for hit in aged}
    fresh = [hit.explain["recency"] for hit in aged]
    assert fresh == pytest.approx([2 ** (-3 / 30), 2 ** (-40 / 30), 2 ** (-400 / 30)], rel=1e-3)
    assert [hit.score for hit in aged] == pytest.approx(
        [hit.similarity * (1 - 0.1 * (1 - one)) for hit, one in zip(aged, fresh, strict=True)]
    )
    assert all("recency" not in hit.explain for hit in plain)


def test_what_fits_clearly_better_stays_first_however_old_it_is(pipeline):
    assert numbers(found(pipeline, q="crane 0", half_life_days=0.01))[0] == "0"


def test_ages_count_from_the_time_that_is_asked_from(pipeline):
    then = pipeline.clock() - 39 * DAY
    hits = found(pipeline, half_life_days=30, now=then)

    assert {one: hit.explain["recency"] for one, hit in zip(numbers(hits), hits, strict=True)}["1"] == 1.0


def test_without_a_now_it_counts_from_the_time_whose_truth_is_asked_for_else_from_the_clock():
    assert asked_at(SearchQuery(q="q", now=3, as_of=2), now=1) == 3
    assert asked_at(SearchQuery(q="q", as_of=2), now=1) == 2
    assert asked_at(SearchQuery(q="q"), now=1) == 1
    assert asked_at(SearchQuery(q="q", now=0, as_of=2), now=1) == 0


def test_a_newer_one_can_come_into_the_list(pipeline):
    assert numbers(found(pipeline, half_life_days=30, limit=1)) == ["1"]


def test_passages_have_no_age(pipeline):
    pipeline.add("# Depot\n\nThe depot keeps its crane behind the gate.", document_date=0)
    hits = found(pipeline, half_life_days=1, mode="documents")

    assert hits
    assert all("recency" not in hit.explain and hit.score == hit.similarity for hit in hits)
