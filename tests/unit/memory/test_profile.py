"""`memory.profile`: which memories a profile tells, and in which order."""

from dataclasses import replace

from memory.profile import DISPUTED, UNJUDGED, begins, gathered, lasting, line, recent
from memory.records import FOREVER, Actor, Memory, Window

WHO = Actor(kind="person", id="local")


def window(start, **more):
    return Window(valid_from=start, valid_to=FOREVER, recorded_at=start, retired_at=None, actor=WHO, **more)


def memory(name, *, at=0, **more):
    base = Memory(
        id=name, space="home", root_id=name, parent_id=None, version=1, statement=name, speaker=None, said_at=None,
        said_zone=None, kind="fact", confidence=0.7, support=1, is_static=False, is_latest=True, is_forgotten=False,
        forget_reason=None, metadata={}, actor=WHO, recorded_at=at, updated_at=at, windows=(window(at),),
    )  # fmt: skip
    return replace(base, **more)


def names(rows):
    return [row.id for row in rows]


def test_static_come_first_then_preferences_then_facts_by_support_and_doubtful_ones_last():
    rows = [
        memory("weak"),
        memory("strong", support=3),
        memory("taste", kind="preference"),
        memory("fixed", is_static=True),
        memory("disputed", is_static=True, support=9, is_disputed=True),
        memory("event", kind="episode", support=9),
    ]

    assert names(lasting(rows, limit=9)) == ["fixed", "taste", "strong", "weak", "disputed"]
    assert names(lasting(rows, limit=2, but=[rows[3]])) == ["taste", "strong"]


def test_what_is_new_began_within_the_time_and_is_an_episode_or_an_update():
    rows = [
        memory("old event", kind="episode", at=4),
        memory("event", kind="episode", at=5),
        memory("update", version=2, at=7),
        memory("fact", at=8),
        memory("ahead", kind="episode", at=11),
        memory("doubtful", kind="episode", at=9, is_unjudged=True),
    ]

    assert names(recent(rows, since=5, until=10, limit=9)) == ["update", "event", "doubtful"]
    assert names(recent(rows, since=5, until=10, limit=1)) == ["update"]


def test_a_bucket_tells_what_most_sources_say_first():
    rows = [
        memory("new", at=5),
        memory("old", at=1),
        memory("firm", support=2),
        memory("odd", support=9, is_disputed=True),
    ]

    assert names(gathered(rows, limit=9)) == ["firm", "new", "old", "odd"]


def test_a_memory_begins_with_what_is_still_believed():
    retired = replace(window(9), retired_at=10, reason="changed", retired_by=WHO)

    assert begins(memory("dated", windows=(window(3), retired))) == 3
    assert begins(memory("bare", at=4, windows=())) == 4


def test_a_doubtful_line_is_marked():
    assert line(memory("plain")) == "plain"
    assert line(memory("odd", is_disputed=True, is_unjudged=True)) == f"{DISPUTED}odd"
    assert line(memory("new", is_unjudged=True)) == f"{UNJUDGED}new"
