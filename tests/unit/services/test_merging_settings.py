"""A merge changes no end of what is kept, and what taught in a source goes on teaching in the target."""

from dataclasses import replace

import pytest

from memory.errors import StateConflict
from memory.records import Message, NewMemory, Scope, SearchQuery
from services import container_tags, expiry, memories, merging, search, spaces
from store import merging as moving
from tests.pipeline import PERSON, Pipeline

NEW, OLD, THIRD = (Scope(tenant="default", spaces=(name,)) for name in ("new", "old", "third"))
EVERY = Scope(tenant="default", spaces=("new", "old", "third"))
DAY = 24 * 3600


def ask(pipeline: Pipeline, *sources: str, target: str = "new") -> str:
    pipeline.writer.renew()
    return merging.merge(EVERY, pipeline.host, PERSON, sources, target).id


def merge(pipeline: Pipeline, *sources: str, target: str = "new") -> merging.Merge:
    merge_id = ask(pipeline, *sources, target=target)
    pipeline.settle()
    done = merging.get(EVERY, pipeline.host, merge_id, every=True)
    assert done.state == "completed", done.reason
    return done


def write(pipeline: Pipeline, scope: Scope, *texts: str) -> list[str]:
    pipeline.writer.renew()
    written = memories.remember(scope, pipeline.host, PERSON, [NewMemory(content=text) for text in texts])
    pipeline.settle()
    return [one.id for one in written.memories]


def keep(pipeline: Pipeline, name: str, days: int | None) -> None:
    expiry.set_retention(EVERY, pipeline.host, PERSON, name, days)


def left(pipeline: Pipeline, *, days: float, scope: Scope = NEW) -> set[str]:
    """Let so many days go by, and return what is live then."""
    pipeline.clock.advance(days * DAY)
    pipeline.writer.renew()
    expiry.look(pipeline.host)
    pipeline.settle()
    return {one.statement for one in memories.listing(scope, pipeline.host, limit=100).rows}


def retention(pipeline: Pipeline, name: str) -> int | None:
    (shown,) = spaces.listing(replace(EVERY, spaces=(name,)), pipeline.host)
    return shown["retention_days"]


@pytest.mark.parametrize(("source", "target"), [(7, None), (None, 7), (7, 30), (30, 7), (7, 7), (None, None)])
def test_each_memory_ends_when_it_would_have_ended_without_the_merge(pipeline, source, target):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "old", source)
    keep(pipeline, "new", target)
    pipeline.clock.advance(DAY)

    done = merge(pipeline, "old")

    assert done.progress.get("own_ends", 0) == (source != target)
    ends = {"Bob plays chess.": source, "Cid keeps bees.": target}
    gone_by = 1.0
    for day in (6.5, 7.5, 29.5, 30.5, 400.0):
        expected = {text for text, days in ends.items() if days is None or day < days}
        assert left(pipeline, days=day - gone_by) == expected, f"day {day}"
        gone_by = day


def test_what_is_written_after_a_merge_is_kept_as_long_as_the_target_says(pipeline):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "new", 7)
    merge(pipeline, "old")
    write(pipeline, NEW, "Dan lives in Graz.")

    assert left(pipeline, days=8) == {"Bob plays chess."}


@pytest.mark.parametrize("correction", [True, False])
@pytest.mark.parametrize(("source", "target", "days"), [(None, 1, None), (7, 1, 7), (7, None, 7)])
def test_a_new_version_of_what_came_in_is_kept_like_the_one_before_it(pipeline, source, target, days, correction):
    (bob,) = write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "old", source)
    keep(pipeline, "new", target)
    merge(pipeline, "old")
    pipeline.clock.advance(DAY / 2)
    pipeline.writer.renew()
    memories.update(NEW, pipeline.host, PERSON, memory_id=bob, new_content="Bob plays go.", correction=correction)
    pipeline.settle()

    assert "Bob plays go." in left(pipeline, days=(days or 400) - 0.25)
    assert ("Bob plays go." in left(pipeline, days=0.5)) == (days is None)


@pytest.mark.parametrize(("source", "target", "days"), [(None, 1, None), (7, 1, 7), (7, None, 7)])
def test_what_came_in_and_is_restored_is_kept_as_long_as_before(pipeline, source, target, days):
    (bob,) = write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "old", source)
    keep(pipeline, "new", target)
    merge(pipeline, "old")
    pipeline.clock.advance(10 * DAY)
    pipeline.writer.renew()
    expiry.look(pipeline.host)
    pipeline.settle()
    if source is None:
        memories.forget(NEW, pipeline.host, PERSON, memory_id=bob)
    memories.restore(NEW, pipeline.host, PERSON, memory_id=bob)
    pipeline.settle()

    assert "Bob plays chess." in left(pipeline, days=(days or 400) - 0.25)
    assert ("Bob plays chess." in left(pipeline, days=0.5)) == (days is None)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ((None, None), (None, 2)), ((None, 2), (None, None)), ((None, 4), (None, 2)), ((None, 2), (None, 4)),
        ((None, 2), (7, None)), ((7, None), (None, 2)), ((7, 2), (4, None)), ((4, None), (7, 2)), ((7, 6), (4, 2)),
        ((4, 2), (7, 6)), ((7, 2), (4, 3)), ((None, 9), (7, None)), ((7, None), (None, 9)),
    ],
)  # fmt: skip
def test_what_both_say_stays_until_the_later_of_the_two_ends(pipeline, source, target):
    """Each is the retention of its space and when the memory is to be forgotten, in days."""
    for scope, (days, after) in ((NEW, target), (OLD, source)):
        until = None if after is None else int(pipeline.clock() + after * DAY * 1_000_000)
        memories.remember(scope, pipeline.host, PERSON, [NewMemory(content="Ann lives in Rome.", forget_after=until)])
        pipeline.settle()
        keep(pipeline, scope.space, days)
    assert merge(pipeline, "old").progress["duplicates"] == 1

    each = [min((one for one in ends if one is not None), default=None) for ends in (source, target)]
    last = None if None in each else max(each)
    assert left(pipeline, days=(last or 400) - 0.5) == {"Ann lives in Rome."}
    if last is not None:
        assert left(pipeline, days=1) == set()


@pytest.mark.parametrize(("source", "target"), [(None, 1), (7, 1), (7, None), (7, 7)])
def test_what_is_found_later_is_kept_as_the_space_does_in_which_it_was_accepted(pipeline, source, target):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "old", source)
    keep(pipeline, "new", target)
    pipeline.held = lambda message: message.task == "embed.texts"
    pipeline.add("Ann lives in Rome.", scope=OLD)
    pipeline.say(Message(role="user", content="I keep goats."), scope=OLD)
    merge(pipeline, "old")
    pipeline.held = lambda message: False
    pipeline.settle()
    pipeline.add("Dan lives in Bern.", scope=NEW)

    late, own = {"Ann lives in Rome.", "I keep goats."}, {"Dan lives in Bern."}
    assert left(pipeline, days=0.5) >= late | own
    assert left(pipeline, days=(source or 400) - 1) & late == late
    assert left(pipeline, days=1) & late == (late if source is None else set())


def test_what_is_found_later_and_known_in_the_target_is_kept_as_long_as_either_says(pipeline):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Ann lives in Rome.", "Cid keeps bees.")
    keep(pipeline, "new", 1)
    pipeline.held = lambda message: message.task == "embed.texts"
    pipeline.add("Ann lives in Rome.", scope=OLD)
    merge(pipeline, "old")
    pipeline.held = lambda message: False
    pipeline.settle()

    assert left(pipeline, days=2) == {"Ann lives in Rome.", "Bob plays chess."}


def test_a_search_finds_what_is_kept_longer_since_a_merge(pipeline):
    def found() -> list[str]:
        return [one.id for one in search.search(NEW, pipeline.host, SearchQuery(q="Ann Rome", mode="memories")).hits]

    until = int(pipeline.clock() + 15 * 1_000_000)
    told = [NewMemory(content="Ann lives in Rome.", forget_after=until)]
    kept = memories.remember(NEW, pipeline.host, PERSON, told).memories[0].id
    write(pipeline, OLD, "Ann lives in Rome.")
    assert found() == [kept]

    merge(pipeline, "old")
    pipeline.clock.advance(16)

    assert found() == [kept]
    assert left(pipeline, days=1) == {"Ann lives in Rome."}
    assert memories.get(NEW, pipeline.host, kept).forget_after is None


def test_a_retention_that_is_set_after_a_merge_is_that_of_what_is_found_later_too(pipeline):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "new", 1)
    pipeline.held = lambda message: message.task == "embed.texts"
    pipeline.add("Ann lives in Rome.", scope=OLD)
    merge(pipeline, "old")
    pipeline.clock.advance(1)
    keep(pipeline, "new", 3)
    pipeline.held = lambda message: False
    pipeline.settle()

    assert "Ann lives in Rome." in left(pipeline, days=2.5)
    assert left(pipeline, days=1) == set()


def test_a_retention_that_is_set_after_a_merge_was_asked_for_is_that_of_all_that_comes_in(pipeline, monkeypatch):
    monkeypatch.setattr(moving, "BATCH", 1)
    write(pipeline, OLD, "Bob plays chess.", "Ann lives in Rome.")
    write(pipeline, THIRD, "Eve keeps goats.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "third", 7)
    pipeline.queue.down = True
    ask(pipeline, "old", "third")
    pipeline.queue.down = False
    with pytest.raises(StateConflict, match="being merged"):
        keep(pipeline, "old", 3)
    pipeline.clock.advance(60)
    keep(pipeline, "new", 20)
    write(pipeline, NEW, "Dan lives in Graz.")
    assert spaces.names(pipeline.host, "default") == ("new",)

    everything = {"Bob plays chess.", "Ann lives in Rome.", "Eve keeps goats.", "Cid keeps bees.", "Dan lives in Graz."}
    assert left(pipeline, days=19) == everything
    assert left(pipeline, days=2) == set()


def test_a_retention_is_lifted_for_what_a_merge_brought_in_too(pipeline):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    keep(pipeline, "old", 7)
    merge(pipeline, "old")
    pipeline.clock.advance(1)
    keep(pipeline, "new", None)

    assert left(pipeline, days=100) == {"Bob plays chess.", "Cid keeps bees."}


@pytest.mark.parametrize("third", [3, None])
def test_an_end_that_was_brought_along_goes_along_with_the_next_merge(pipeline, third):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    write(pipeline, THIRD, "Eve keeps goats.")
    keep(pipeline, "old", 7)
    keep(pipeline, "third", third)
    merge(pipeline, "old")
    pipeline.clock.advance(DAY)
    merge(pipeline, "new", target="third")

    own = {"Eve keeps goats."} if third is None else set()
    assert left(pipeline, days=2.5, scope=THIRD) == {"Bob plays chess.", "Cid keeps bees."} | own
    assert left(pipeline, days=4, scope=THIRD) == {"Cid keeps bees."} | own


def test_an_end_that_was_overruled_does_not_come_back_with_the_next_merge(pipeline):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, NEW, "Cid keeps bees.")
    write(pipeline, THIRD, "Eve keeps goats.")
    keep(pipeline, "old", 7)
    merge(pipeline, "old")
    pipeline.clock.advance(1)
    keep(pipeline, "new", None)
    merge(pipeline, "new", target="third")

    assert left(pipeline, days=100, scope=THIRD) == {"Bob plays chess.", "Cid keeps bees.", "Eve keeps goats."}


@pytest.mark.parametrize(("source", "target", "ends"), [(None, 7, None), (30, 7, 30), (7, None, None), (7, 30, 30)])
def test_what_both_know_is_kept_as_long_as_either_keeps_it(pipeline, source, target, ends):
    for scope, days in ((NEW, target), (OLD, source)):
        write(pipeline, scope, "Ann lives in Rome.")
        keep(pipeline, scope.space, days)

    assert merge(pipeline, "old").progress["duplicates"] == 1

    assert left(pipeline, days=(ends or 400) - 0.5) == {"Ann lives in Rome."}
    if ends is not None:
        assert left(pipeline, days=1) == set()


@pytest.mark.parametrize("said", ["directly", "in a document"])
@pytest.mark.parametrize(("target_days", "last"), [(None, 400), (3, 9)])
def test_what_is_said_again_in_the_target_is_kept_as_what_is_first_said_there(pipeline, said, target_days, last):
    (bob,) = write(pipeline, OLD, "Bob plays chess in Rome.")
    keep(pipeline, "old", 7)
    write(pipeline, NEW, "Cid keeps bees.")
    if target_days:
        keep(pipeline, "new", target_days)
    merge(pipeline, "old")
    pipeline.clock.advance(6 * DAY)
    pipeline.writer.renew()

    if said == "directly":
        assert write(pipeline, NEW, "Bob plays chess in Rome.") == [bob]
    else:
        pipeline.add("Bob plays chess in Rome.", scope=NEW)

    assert "Bob plays chess in Rome." in left(pipeline, days=last - 6.5)
    if target_days:
        assert "Bob plays chess in Rome." not in left(pipeline, days=1)


def test_a_target_that_the_merge_makes_takes_over_a_retention_that_all_sources_share(pipeline):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, THIRD, "Eve keeps goats.")
    for name in ("old", "third"):
        keep(pipeline, name, 7)
    merge(pipeline, "old", "third")
    assert retention(pipeline, "new") == 7
    write(pipeline, NEW, "Dan lives in Graz.")
    assert left(pipeline, days=8) == set()


def test_a_target_that_the_merge_makes_has_no_retention_where_its_sources_differ(pipeline):
    write(pipeline, OLD, "Bob plays chess.")
    write(pipeline, THIRD, "Eve keeps goats.")
    keep(pipeline, "old", 7)
    merge(pipeline, "old", "third")
    assert retention(pipeline, "new") is None
    assert left(pipeline, days=8) == {"Eve keeps goats."}


@pytest.mark.parametrize(
    ("target", "source", "after"),
    [
        (["/a/"], ["/b/", "/a/"], ("/a/", "/b/")),
        (None, ["/b/"], None),
        (["/a/"], None, None),
        (["/a/"], [], ("/a/",)),
        ("new", ["/b/"], ("/b/",)),
        ("new", None, None),
    ],
)  # fmt: skip
def test_every_document_that_taught_goes_on_teaching(pipeline, target, source, after):
    container_tags.update(OLD, pipeline.host, PERSON, {"memory_paths": source})
    if target != "new":
        container_tags.update(NEW, pipeline.host, PERSON, {"memory_paths": target})
    merge(pipeline, "old")
    assert container_tags.get(NEW, pipeline.host).memory_paths == after


def test_a_document_under_way_teaches_in_the_target_what_it_would_have_taught(pipeline):
    container_tags.update(OLD, pipeline.host, PERSON, {"memory_paths": ["/b/"], "entity_context": "A harbour."})
    container_tags.update(NEW, pipeline.host, PERSON, {"memory_paths": ["/a/"], "display_name": "Town"})
    pipeline.held = lambda message: message.task == "embed.texts"
    for path in ("/b/ann.md", "/c/bob.md"):
        pipeline.add(f"{path[3:6].title()} lives in Rome.", scope=OLD, filepath=path)
    ask(pipeline, "old")
    pipeline.held = lambda message: False
    pipeline.settle()

    assert left(pipeline, days=0) == {"Ann lives in Rome."}
    after = container_tags.get(NEW, pipeline.host)
    assert (after.display_name, after.entity_context) == ("Town", "A harbour.")
