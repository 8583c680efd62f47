"""Searches that return documents, and what results are told to rest on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.filters import parse
from memory.records import Clocks, NewMemory, SearchQuery
from services import document_search, documents, hit_details, memories
from services.document_search import search_documents
from services.hit_details import Wanted
from services.search import search
from tests.pipeline import HOME, PERSON

ANN, BOB = replace(HOME, user="ann"), replace(HOME, user="bob")
AWAY = replace(HOME, spaces=("away",))


def section(word, number):
    return f"## Part {number}\n\n" + f"The {word} of part {number} is told here at length. " * 40


def test_a_document_of_many_chunks_takes_no_place_of_another(pipeline):
    # given one document with more chunks near the question than are looked at first
    long = pipeline.add("\n\n".join(section("crane", number) for number in range(60))).id
    short = [pipeline.add(f"A crane {word} stands there.").id for word in ("red", "blue", "old")]
    # when as many documents are wanted as there are
    answer = search_documents(HOME, pipeline.host, SearchQuery(q="the crane of part is told", limit=4))
    # then each is there once, the best first
    assert {one.document.id for one in answer.found} == {long, *short}
    scores = [one.score for one in answer.found]
    assert scores == sorted(scores, reverse=True)
    assert all(len(one.matching) <= document_search.MOST_CHUNKS for one in answer.found)


def test_within_one_document_the_limit_counts_chunks(pipeline):
    ref = pipeline.add("\n\n".join(section("crane", number) for number in range(20)), custom_id="c").id
    pipeline.add("A crane stands there.")
    answer = search_documents(HOME, pipeline.host, SearchQuery(q="crane", limit=15, document_id="c"))
    (one,) = answer.found
    assert (one.document.id, len(one.matching)) == (ref, 15)


def test_chunks_around_a_match_are_of_the_same_revision_and_no_matches(pipeline):
    parts = [section("pump", number) for number in range(5)]
    pipeline.add("\n\n".join(parts), custom_id="c")
    parts[2] = section("crane", 2)
    pipeline.add("\n\n".join(parts), custom_id="c")
    query = SearchQuery(q="crane", limit=1, threshold=0.4)
    (one,) = search_documents(HOME, pipeline.host, query, around=True, content=True).found
    matches = {hit.position for hit in one.matching}
    assert all("crane" in hit.text for hit in one.matching)
    assert {chunk.position for chunk in one.around} == {near for at in matches for near in (at - 1, at + 1)} - matches
    assert {chunk.revision for chunk in one.around} == {2}
    assert one.document.content is not None
    assert "crane" in one.document.content


def test_another_users_document_is_neither_found_nor_told_of(pipeline):
    hers = pipeline.add("The crane is red.", scope=ANN).id
    pipeline.add("The crane is far.", scope=AWAY)
    assert search_documents(BOB, pipeline.host, SearchQuery(q="crane")).found == ()
    (one,) = search_documents(ANN, pipeline.host, SearchQuery(q="crane")).found
    assert one.document.id == hers
    # and a result of hers tells of nothing to somebody else
    hits = search(ANN, pipeline.host, SearchQuery(q="crane")).hits
    told = hit_details.details(BOB, pipeline.host, hits, Wanted(documents=True, chunks=True), Clocks())
    assert [(one.documents, one.chunks) for one in told.values()] == [((), ())]


def test_a_path_leaves_what_rests_on_it_and_combines_with_filters_and_scope(pipeline):
    pipeline.add("The crane is red.", filepath="/a/b.md", metadata={"n": 1})
    pipeline.add("The crane is blue.", filepath="/a/c.md", metadata={"n": 2})
    pipeline.add("The crane is green.", filepath="/ab.md")
    pipeline.add("The crane is grey.", scope=AWAY, filepath="/a/d.md")

    def seen(path, scope=HOME, **more):
        hits = search(scope, pipeline.host, SearchQuery(q="crane", filepath=path, **more)).hits
        return {hit.text.removesuffix(".").rpartition(" ")[2] for hit in hits}

    assert seen("/a/") == {"red", "blue"}
    assert seen("/a/b.md", mode="hybrid") == {"red"}
    assert seen("/a") == set()
    assert seen("/a/", filters=parse({"key": "n", "value": "2"})) == {"blue"}
    assert seen("/a/", AWAY) == {"grey"}


@pytest.fixture
def chain(pipeline):
    """A memory of three versions, and the times at which each was known."""
    times = [pipeline.clock()]
    pipeline.clock.advance(1)
    made = memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Ann lives in Rome.")]).memories[0]
    for city in ("Bern", "Oslo"):
        times.append(pipeline.clock())
        pipeline.clock.advance(1)
        made = memories.update(HOME, pipeline.host, PERSON, memory_id=made.id, new_content=f"Ann lives in {city}.")
    times.append(pipeline.clock())
    return made, times


def told(pipeline, scope=HOME, forgotten=False, **clocks):
    query = SearchQuery(q="Ann lives", forgotten=forgotten, **clocks)
    hits = search(scope, pipeline.host, query).hits
    wanted = Wanted(versions=True, forgotten=forgotten)
    found = hit_details.details(scope, pipeline.host, hits, wanted, Clocks(**clocks))
    return {
        hit.text: ([one.text for one in found[hit.id].before], [one.text for one in found[hit.id].after])
        for hit in hits
    }


def test_versions_before_and_after_are_those_known_then(pipeline, chain):
    _, times = chain
    assert told(pipeline) == {"Ann lives in Oslo.": (["Ann lives in Bern.", "Ann lives in Rome."], [])}
    assert told(pipeline, known_at=times[2], as_of=times[2]) == {"Ann lives in Bern.": (["Ann lives in Rome."], [])}
    assert told(pipeline, as_of=times[1]) == {"Ann lives in Rome.": ([], ["Ann lives in Bern.", "Ann lives in Oslo."])}


def test_what_was_forgotten_is_found_only_when_asked_for_and_only_by_its_owner(pipeline):
    for scope, name in ((ANN, "Ann lives in Rome."), (BOB, "Ann lives in Bern."), (AWAY, "Ann lives in Oslo.")):
        made = memories.remember(scope, pipeline.host, PERSON, [NewMemory(content=name)]).memories[0]
        pipeline.clock.advance(1)
        memories.forget(scope, pipeline.host, PERSON, memory_id=made.id, reason="wrong")
        pipeline.clock.advance(1)
    for scope in (ANN, BOB, AWAY):
        assert told(pipeline, scope) == {}
    assert set(told(pipeline, ANN, forgotten=True)) == {"Ann lives in Rome."}
    assert set(told(pipeline, BOB, forgotten=True)) == {"Ann lives in Bern."}
    assert set(told(pipeline, AWAY, forgotten=True)) == {"Ann lives in Oslo."}
    # what was not yet forgotten then is not found as forgotten, and what was not yet known is not found at all
    assert told(pipeline, ANN, forgotten=True, known_at=0) == {}


def test_what_took_the_place_of_a_forgotten_version_hides_it(pipeline, chain):
    latest, _ = chain
    memories.forget(HOME, pipeline.host, PERSON, memory_id=latest.id, reason="wrong")
    assert told(pipeline) == {}
    assert list(told(pipeline, forgotten=True)) == ["Ann lives in Oslo."]
    pipeline.clock.advance(1)
    memories.restore(HOME, pipeline.host, PERSON, memory_id=latest.id)
    # the restored version is live: the forgotten one is its history
    ((text, (before, _)),) = told(pipeline).items()
    assert (text, before) == ("Ann lives in Oslo.", ["Ann lives in Bern.", "Ann lives in Rome."])
    ((_, (with_it, _)),) = told(pipeline, forgotten=True).items()
    assert with_it == ["Ann lives in Oslo.", "Ann lives in Bern.", "Ann lives in Rome."]


def test_a_memory_tells_the_documents_and_chunks_that_say_it(pipeline):
    one, two = (pipeline.add("The crane lifts 55 kg.", custom_id=name).id for name in ("a", "b"))
    hits = search(HOME, pipeline.host, SearchQuery(q="crane")).hits
    wanted = Wanted(documents=True, chunks=True)
    (found,) = hit_details.details(HOME, pipeline.host, hits, wanted, Clocks()).values()
    assert {document.id for document in found.documents} == {one, two}
    assert [chunk.body for chunk in found.chunks] == ["The crane lifts 55 kg."] * 2
    # and not one that was deleted
    documents.delete(HOME, pipeline.host, PERSON, "a")
    hits = search(HOME, pipeline.host, SearchQuery(q="crane")).hits
    (left,) = hit_details.details(HOME, pipeline.host, hits, wanted, Clocks()).values()
    assert ([document.id for document in left.documents], len(left.chunks)) == ([two], 1)
