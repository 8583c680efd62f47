import pytest

from memory.errors import NotFound
from memory.filters import parse
from memory.records import Clocks, NewMemory, Scope, SearchQuery
from services import memories
from services.search import search
from store import memories as stored
from tests.pipeline import HOME, PERSON


def remember(pipeline, text, **more):
    pipeline.clock.advance(1)
    return memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content=text, **more)]).memories[0]


def change(pipeline, old, text, **more):
    pipeline.clock.advance(1)
    return memories.update(HOME, pipeline.host, PERSON, memory_id=old.id, new_content=text, **more)


def listed(pipeline, *, forgotten=False, history=False, **clocks):
    page = memories.listing(
        HOME, pipeline.host, Clocks(**clocks), limit=50, forgotten=forgotten, history=history
    )  # fmt: skip
    assert page.total == len(page.rows)
    return sorted(one.statement for one in page.rows)


def test_a_list_of_the_past_has_what_held_and_was_believed_then(pipeline):
    rome = remember(pipeline, "Ann lives in Rome.")
    in_rome = pipeline.clock()
    change(pipeline, rome, "Ann lives in Oslo.")
    wrong = remember(pipeline, "Bob is tall.")
    before = pipeline.clock()
    change(pipeline, wrong, "Bob is small.", correction=True)

    assert listed(pipeline) == ["Ann lives in Oslo.", "Bob is small."]
    assert listed(pipeline, as_of=in_rome) == ["Ann lives in Rome."]
    assert listed(pipeline, as_of=before) == ["Ann lives in Oslo.", "Bob is small."]
    assert listed(pipeline, as_of=before, known_at=before) == ["Ann lives in Oslo.", "Bob is tall."]
    assert listed(pipeline, known_at=in_rome) == ["Ann lives in Rome."]
    assert listed(pipeline, known_at=in_rome, history=True) == ["Ann lives in Rome."]


def test_what_is_forgotten_later_is_listed_as_it_was_known(pipeline):
    old = remember(pipeline, "Ann lives in Rome.")
    known = pipeline.clock()
    pipeline.clock.advance(1)
    memories.forget(HOME, pipeline.host, PERSON, memory_id=old.id, reason="private")

    (then,) = memories.listing(HOME, pipeline.host, Clocks(known_at=known), limit=5).rows

    assert (then.is_forgotten, then.forget_reason, then.windows[0].retired_at) == (False, None, None)
    assert then.updated_at == old.updated_at
    assert listed(pipeline) == []
    assert listed(pipeline, forgotten=True) == ["Ann lives in Rome."]
    assert listed(pipeline, known_at=known, forgotten=True) == ["Ann lives in Rome."]


def test_confidence_support_and_metadata_are_those_of_the_time(pipeline):
    old = remember(pipeline, "Ann lives in Rome.", metadata={"team": "a"})
    first = pipeline.clock()
    change(pipeline, old, "Ann lives in Rome.", metadata={"team": "b"})
    second = pipeline.clock()
    pipeline.clock.advance(1)
    with pipeline.host.store.write("default") as tx:
        stored.reinforce(tx, stored.by_id(tx, old.id), confidence=0.99, at=pipeline.clock())

    then = [memories.get(HOME, pipeline.host, old.id, Clocks(known_at=at)) for at in (first, second, pipeline.clock())]

    assert [one.metadata for one in then] == [{"team": "a"}, {"team": "b"}, {"team": "b"}]
    assert [(one.confidence, one.support) for one in then] == [(0.95, 1), (0.95, 1), (0.99, 2)]
    assert [one.updated_at for one in then] == [first, second, pipeline.clock()]
    assert then[-1] == memories.get(HOME, pipeline.host, old.id)


def test_a_filter_of_a_search_in_the_past_meets_the_metadata_of_then(pipeline):
    old = remember(pipeline, "Ann lives in Rome.", metadata={"team": "a"})
    first = pipeline.clock()
    change(pipeline, old, "Ann lives in Rome.", metadata={"team": "b"})

    def found(team, **clocks):
        wanted = parse({"AND": [{"key": "team", "value": team}]}, field="filters")
        return len(search(HOME, pipeline.host, SearchQuery(q="Ann", filters=wanted, **clocks)).hits)

    assert (found("a"), found("b")) == (0, 1)
    assert (found("a", known_at=first), found("b", known_at=first)) == (1, 0)


def test_a_memory_of_a_time_is_the_version_that_held_then(pipeline):
    rome = remember(pipeline, "Ann lives in Rome.")
    in_rome = pipeline.clock()
    oslo = change(pipeline, rome, "Ann lives in Oslo.")

    assert memories.get(HOME, pipeline.host, oslo.id, Clocks(as_of=in_rome)).id == rome.id
    assert memories.get(HOME, pipeline.host, rome.id, Clocks(as_of=pipeline.clock())).id == oslo.id
    then = memories.get(HOME, pipeline.host, rome.id, Clocks(known_at=in_rome))
    assert (then.is_latest, then.windows[0].retired_at) == (True, None)
    for clocks in (Clocks(as_of=in_rome - 5_000_000), Clocks(known_at=in_rome)):
        with pytest.raises(NotFound):
            memories.get(HOME, pipeline.host, oslo.id, clocks)


def test_a_history_of_a_time_has_the_versions_and_windows_known_then(pipeline):
    rome = remember(pipeline, "Ann lives in Rome.")
    in_rome = pipeline.clock()
    oslo = change(pipeline, rome, "Ann lives in Oslo.")
    in_oslo = pipeline.clock()
    change(pipeline, oslo, "Ann lives in Bern.")

    then = memories.history(HOME, pipeline.host, rome.id, Clocks(known_at=in_oslo))
    assert [(one.id, one.is_latest, len(one.windows)) for one in then] == [(rome.id, False, 2), (oslo.id, True, 1)]
    held = memories.history(HOME, pipeline.host, rome.id, Clocks(as_of=in_rome))
    assert [one.id for one in held] == [rome.id]
    with pytest.raises(NotFound):
        memories.history(HOME, pipeline.host, rome.id, Clocks(known_at=in_rome - 1))
    with pytest.raises(NotFound):
        memories.history(Scope(tenant="default", spaces=("elsewhere",)), pipeline.host, rome.id)
