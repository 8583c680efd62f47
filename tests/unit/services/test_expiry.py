"""Forgetting by itself: gone from every read at its moment, softly by the beat, and after the days of its space."""

from dataclasses import replace

import pytest

from memory.errors import InvalidInput, NotFound, PersonOnly, StateConflict
from memory.records import Actor, Clocks, NewMemory, SearchQuery
from services import expiry, memories, spaces
from services.search import search
from tests.pipeline import HOME, PERSON

AGENT = Actor(kind="agent", id="key_1")
DAY = 24 * 3600
TEXT = "The guest code is 4417."


def remember(pipeline, text=TEXT, *, seconds=None, scope=HOME, actor=PERSON):
    pipeline.writer.renew()
    ends = None if seconds is None else pipeline.clock() + round(seconds * 1_000_000)
    return memories.remember(scope, pipeline.host, actor, [NewMemory(content=text, forget_after=ends)]).memories[0]


def listed(pipeline, **more):
    return [one.text for one in memories.listing(HOME, pipeline.host, limit=50, **more).rows]


def found(pipeline, **clocks):
    return [hit.text for hit in search(HOME, pipeline.host, SearchQuery(q="guest code", **clocks)).hits]


def tick(pipeline):
    pipeline.writer.renew()
    expiry.look(pipeline.host)
    pipeline.settle()


def test_from_its_moment_on_no_read_has_it_although_the_beat_has_not_come(pipeline):
    one = remember(pipeline, seconds=60)
    before = pipeline.clock()
    assert (found(pipeline), listed(pipeline)) == ([TEXT], [TEXT])
    assert one.forget_after == before + 60_000_000

    pipeline.clock.advance(61)

    assert (found(pipeline), listed(pipeline)) == ([], [])
    assert found(pipeline, as_of=before, known_at=before) == [TEXT]
    assert listed(pipeline, clocks=Clocks(known_at=before, as_of=before)) == [TEXT]


def test_the_beat_forgets_it_softly_and_it_is_learned_when_it_is_said_again(pipeline):
    one = remember(pipeline, seconds=60)
    pipeline.clock.advance(61)

    tick(pipeline)

    gone = memories.get(HOME, pipeline.host, one.id)
    assert (gone.is_forgotten, gone.forget_reason) == (True, "expired")
    assert pipeline.rows("SELECT count(*) FROM tombstone") == [(0,)]
    again = remember(pipeline, actor=AGENT)
    pipeline.clock.advance(DAY)
    tick(pipeline)
    assert listed(pipeline) == [TEXT]
    assert again.forget_after is None


def test_what_expired_can_be_restored(pipeline):
    one = remember(pipeline, seconds=60)
    pipeline.clock.advance(61)
    tick(pipeline)

    memories.restore(HOME, pipeline.host, PERSON, one.id)

    assert (found(pipeline), listed(pipeline)) == ([TEXT], [TEXT])


def test_what_was_planned_to_be_said_is_said_when_the_moment_comes(pipeline):
    one = remember(pipeline, seconds=60)
    second = memories.update(
        HOME, pipeline.host, PERSON, memory_id=one.id, new_content=TEXT, forget_after=one.forget_after,
        forget_reason="The guests have left.",
    )  # fmt: skip
    assert (second.id, second.forget_reason) == (one.id, "The guests have left.")
    pipeline.clock.advance(61)
    tick(pipeline)

    gone = memories.get(HOME, pipeline.host, one.id)

    assert (gone.is_forgotten, gone.forget_reason) == (True, "The guests have left.")
    assert [window.reason for window in gone.windows] == ["The guests have left."]


def test_a_planned_forgetting_is_taken_back_and_needs_no_reason_without_one(pipeline):
    one = remember(pipeline, seconds=60)
    second = memories.update(HOME, pipeline.host, PERSON, memory_id=one.id, new_content=TEXT, keep=True)
    with pytest.raises(InvalidInput):
        memories.update(HOME, pipeline.host, PERSON, memory_id=one.id, new_content=TEXT, forget_reason="It is over.")
    pipeline.clock.advance(61)
    tick(pipeline)

    assert (second.forget_after, second.forget_reason) == (None, None)
    assert found(pipeline) == [TEXT]


def test_a_change_keeps_the_moment_or_sets_another(pipeline):
    one = remember(pipeline, seconds=60)
    pipeline.clock.advance(1)
    second = memories.update(HOME, pipeline.host, PERSON, memory_id=one.id, new_content="The guest code is 5528.")
    assert second.forget_after == one.forget_after
    later = pipeline.clock() + 600_000_000
    third = memories.update(
        HOME, pipeline.host, PERSON, memory_id=second.id, new_content=second.statement, forget_after=later
    )
    assert (third.id, third.forget_after) == (second.id, later)

    pipeline.clock.advance(61)

    assert found(pipeline) == ["The guest code is 5528."]
    pipeline.clock.advance(600)
    assert found(pipeline) == []


def test_a_moment_that_has_passed_is_refused(pipeline):
    with pytest.raises(InvalidInput):
        remember(pipeline, seconds=-1)


def test_a_space_keeps_its_memories_for_so_many_days(pipeline):
    attic = replace(HOME, spaces=("attic",))
    remember(pipeline)
    remember(pipeline, "The attic is dry.", scope=attic)
    shown = expiry.set_retention(HOME, pipeline.host, PERSON, "home", 30)
    assert shown["retention_days"] == 30

    pipeline.clock.advance(29 * DAY)
    newer = remember(pipeline, "The depot opens at seven.")
    tick(pipeline)
    assert len(listed(pipeline)) == 2
    pipeline.clock.advance(2 * DAY)
    tick(pipeline)

    assert listed(pipeline) == [newer.text]
    assert [one.text for one in memories.listing(attic, pipeline.host, limit=5).rows] == ["The attic is dry."]
    assert expiry.set_retention(HOME, pipeline.host, PERSON, "home", None)["retention_days"] is None
    assert [one["name"] for one in spaces.listing(replace(HOME, spaces=("home", "attic")), pipeline.host)] == [
        "attic", "home",
    ]  # fmt: skip


def test_only_a_person_sets_how_long_a_space_keeps(pipeline):
    remember(pipeline)
    with pytest.raises(PersonOnly):
        expiry.set_retention(HOME, pipeline.host, AGENT, "home", 1)
    with pytest.raises(NotFound):
        expiry.set_retention(HOME, pipeline.host, PERSON, "nowhere", 1)


def test_more_than_a_commit_holds_is_forgotten_in_several(pipeline):
    for start in range(0, 450, 90):
        texts = [NewMemory(content=f"Shelf {n} holds part {n * 7}.") for n in range(start, start + 90)]
        memories.remember(HOME, pipeline.host, PERSON, texts)
    expiry.set_retention(HOME, pipeline.host, PERSON, "home", 1)
    pipeline.clock.advance(2 * DAY)

    tick(pipeline)

    assert listed(pipeline) == []


def test_from_its_moment_on_it_is_shown_as_forgotten_and_cannot_be_changed(pipeline):
    one = remember(pipeline, seconds=60)
    pipeline.clock.advance(61)
    pipeline.writer.renew()

    assert memories.get(HOME, pipeline.host, one.id).is_forgotten
    assert memories.history(HOME, pipeline.host, one.id)[0].is_forgotten
    assert not memories.get(HOME, pipeline.host, one.id, Clocks(known_at=one.recorded_at)).is_forgotten
    with pytest.raises(StateConflict):
        memories.update(HOME, pipeline.host, PERSON, memory_id=one.id, new_content="The guest code is 5520.")
