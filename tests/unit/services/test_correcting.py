"""Correcting the kind of a memory: no new version, its past stays, and its judge gets a label."""

import pytest

from memory.errors import NotFound, NotLive, PersonOnly, StateConflict
from memory.records import Actor, Clocks, NewMemory
from services import calibration, labelling, memories
from services.correcting import correct_kind
from tests.pipeline import HOME, PERSON

AGENT = Actor(kind="agent", id="key_1")
TEXT = "Ann likes green tea."


def remember(pipeline, text=TEXT, **more):
    return memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content=text, **more)]).memories[0]


def correct(pipeline, one, kind, actor=PERSON):
    pipeline.clock.advance(1)
    return correct_kind(HOME, pipeline.host, actor, one.id, kind)


def said(pipeline):
    rows = labelling.listing(HOME, pipeline.host, limit=50, judge="kind").rows
    return [(one.model, one.verdict, one.label, one.labelled_by) for one in rows]


def test_a_corrected_kind_is_no_new_version_and_its_past_stays(pipeline):
    one = remember(pipeline)
    then = pipeline.clock()

    done = correct(pipeline, one, "fact")

    assert (one.kind, done.kind, done.id, done.version) == ("preference", "fact", one.id, 1)
    assert memories.get(HOME, pipeline.host, one.id, Clocks(known_at=then)).kind == "preference"


def test_a_correction_is_a_label_of_the_judge_and_a_later_one_takes_its_place(pipeline):
    one = remember(pipeline)

    correct(pipeline, one, "fact")
    assert said(pipeline) == [("rules", "preference", "fact", PERSON)]
    correct(pipeline, one, "preference")
    assert said(pipeline) == [("rules", "preference", "preference", PERSON)]


def test_how_often_the_judge_of_kinds_is_right_is_shown_and_it_is_not_fitted(pipeline):
    correct(pipeline, remember(pipeline), "preference")
    correct(pipeline, remember(pipeline, "Bob likes rum."), "fact")

    (judge,) = calibration.show(HOME, pipeline.host)

    found = judge.verdicts["preference"]
    assert (judge.name.judge, found.labels, found.right, judge.changes) == ("kind", 2, 1, {})
    with pytest.raises(StateConflict):
        calibration.fit(HOME, pipeline.host, PERSON)


def test_a_kind_that_somebody_said_is_no_answer_of_a_judge(pipeline):
    one = remember(pipeline, kind="episode")

    assert correct(pipeline, one, "fact").kind == "fact"
    assert said(pipeline) == []


def test_only_a_person_corrects_a_live_memory(pipeline):
    one = remember(pipeline)
    with pytest.raises(PersonOnly):
        correct(pipeline, one, "fact", AGENT)
    with pytest.raises(NotFound):
        correct_kind(HOME, pipeline.host, PERSON, "mem_none", "fact")

    pipeline.clock.advance(1)
    new = memories.update(HOME, pipeline.host, PERSON, memory_id=one.id, new_content="Ann likes black tea.")
    with pytest.raises(NotLive):
        correct(pipeline, one, "fact")
    memories.forget(HOME, pipeline.host, PERSON, memory_id=new.id)
    with pytest.raises(StateConflict):
        correct(pipeline, new, "fact")
