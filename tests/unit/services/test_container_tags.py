"""A container tag is put away as a whole and comes back as a whole; its settings act on what comes in."""

from dataclasses import replace

import pytest

from memory.errors import Forbidden, NotFound, StateConflict
from memory.records import Actor, Message, NewMemory, Scope, SearchQuery
from services import bucket_changes, container_tags, documents, erasure, jobs, memories, profile, search, spaces
from store import spaces as stored
from tests.pipeline import HOME, PERSON, Pipeline

AGENT = Actor(kind="agent", id="key_1")


def texts(pipeline: Pipeline, scope: Scope = HOME) -> set[str]:
    return {one.statement for one in memories.listing(scope, pipeline.host, limit=100).rows}


def found(pipeline: Pipeline, words: str, mode: str = "hybrid") -> list[str]:
    hits = search.search(HOME, pipeline.host, SearchQuery(q=words, mode=mode)).hits  # type: ignore[arg-type]
    return [one.id for one in hits]


def write(pipeline: Pipeline, text: str, scope: Scope = HOME) -> str:
    (one,) = memories.remember(scope, pipeline.host, PERSON, [NewMemory(content=text)]).memories
    return one.id


def restore(pipeline: Pipeline, deletion_id: str, name: str | None = None) -> container_tags.TagSettings:
    return container_tags.restore(HOME, pipeline.host, PERSON, deletion_id, every=True, name=name)


def test_what_was_put_away_is_found_by_no_read_and_comes_back_whole(pipeline):
    accepted = pipeline.add("# Boats\n\nAnn owns a red boat.", custom_id="boats")
    pipeline.say(Message(role="user", content="I moved to Oslo."))
    one = write(pipeline, "Bob plays chess.")
    before, hits = texts(pipeline), found(pipeline, "red boat")

    gone = container_tags.delete(HOME, pipeline.host, PERSON, reason="moved out")

    assert (gone.name, gone.documents, gone.memories, gone.reason) == ("home", 1, len(before), "moved out")
    assert texts(pipeline) == set()
    assert found(pipeline, "red boat") == []
    assert profile.profile(HOME, pipeline.host, profile.Wanted()).static == ()
    assert spaces.names(pipeline.host, "default") == ()
    for read in (
        lambda: documents.get(HOME, pipeline.host, "boats"),
        lambda: documents.get(HOME, pipeline.host, accepted.id),
        lambda: memories.get(HOME, pipeline.host, one),
        lambda: jobs.get(HOME, pipeline.host, str(accepted.job_id)),
        lambda: container_tags.get(HOME, pipeline.host),
    ):
        with pytest.raises(NotFound):
            read()

    restore(pipeline, gone.id)

    assert texts(pipeline) == before
    assert found(pipeline, "red boat") == hits
    assert documents.get(HOME, pipeline.host, "boats").id == accepted.id


def test_a_write_after_the_deletion_makes_a_new_space_that_knows_nothing_of_the_old(pipeline):
    old = write(pipeline, "Ann lives in Rome.")
    assert found(pipeline, "Ann Rome") == [old]
    container_tags.delete(HOME, pipeline.host, PERSON)

    new = write(pipeline, "Ann lives in Rome.")

    assert new != old
    assert found(pipeline, "Ann Rome") == [new]
    assert texts(pipeline) == {"Ann lives in Rome."}


def test_a_name_that_was_used_again_is_not_taken_by_a_restored_space(pipeline):
    write(pipeline, "Ann lives in Rome.")
    gone = container_tags.delete(HOME, pipeline.host, PERSON)
    write(pipeline, "Bob plays chess.")

    with pytest.raises(StateConflict):
        restore(pipeline, gone.id)
    restore(pipeline, gone.id, "home-before")

    assert texts(pipeline, replace(HOME, spaces=("home-before",))) == {"Ann lives in Rome."}
    assert texts(pipeline) == {"Bob plays chess."}
    with pytest.raises(StateConflict):
        restore(pipeline, gone.id, "again")


def test_work_under_way_goes_on_and_is_there_when_the_space_comes_back(pipeline):
    pipeline.held = lambda message: message.task == "embed.texts"
    accepted = pipeline.add("Ann lives in Rome.")
    gone = container_tags.delete(HOME, pipeline.host, PERSON)
    pipeline.held = lambda message: False
    pipeline.settle()

    restore(pipeline, gone.id)

    assert documents.get(HOME, pipeline.host, accepted.id).status == "done"
    assert texts(pipeline) == {"Ann lives in Rome."}


def test_an_agent_may_not_delete_and_what_is_not_there_is_not_found(pipeline):
    write(pipeline, "Ann lives in Rome.")
    with pytest.raises(Forbidden):
        container_tags.delete(HOME, pipeline.host, AGENT)
    with pytest.raises(NotFound):
        container_tags.delete(replace(HOME, spaces=("nowhere",)), pipeline.host, PERSON)
    with pytest.raises(NotFound):
        container_tags.restore(HOME, pipeline.host, PERSON, "del_none", every=True)


def test_a_limited_scope_restores_only_names_of_its_own(pipeline):
    write(pipeline, "Ann lives in Rome.")
    gone = container_tags.delete(HOME, pipeline.host, PERSON)
    other = replace(HOME, spaces=("other",))

    with pytest.raises(NotFound):
        container_tags.restore(other, pipeline.host, PERSON, gone.id, every=False, name="other")
    with pytest.raises(NotFound):
        container_tags.restore(HOME, pipeline.host, PERSON, gone.id, every=False, name="other")
    assert container_tags.deleted(other, pipeline.host, every=False, limit=10).rows == ()
    assert container_tags.deleted(HOME, pipeline.host, every=False, limit=10).total == 1


@pytest.mark.parametrize("used_again", [False, True])
def test_erasing_a_space_reaches_what_was_put_away_under_its_name(pipeline, used_again):
    pipeline.add("Ann owns a boat called DELME77.")
    write(pipeline, "The word is DELME77.")
    container_tags.delete(HOME, pipeline.host, PERSON)
    if used_again:
        write(pipeline, "The new word is DELME77 too.")

    target = erasure.find_target(HOME, pipeline.host, "space", "home")
    receipt = erasure.request(HOME, pipeline.host, PERSON, target)
    pipeline.settle()

    assert erasure.get(HOME, pipeline.host, receipt.id).state in ("purging", "finished")
    with pipeline.host.store.read("default") as db:
        dump = "\n".join(line for line in db.iterdump())  # type: ignore[attr-defined]
    assert "DELME77" not in dump
    assert pipeline.rows("SELECT count(*) FROM space UNION ALL SELECT count(*) FROM deletion") == [(0,), (0,)]


def test_a_number_stands_for_its_name_also_when_it_is_put_away(pipeline):
    write(pipeline, "Ann lives in Rome.")
    with pipeline.host.store.read("default") as db:
        number = stored.find(HOME, db)["home"]
    container_tags.delete(HOME, pipeline.host, PERSON)
    with pipeline.host.store.read("default") as db:
        assert stored.name_of(db, number) == "home"


def test_only_documents_below_the_paths_teach_and_all_are_searched(pipeline):
    container_tags.update(HOME, pipeline.host, PERSON, {"memory_paths": ["/memory/", "user.md"]})

    pipeline.add("Ann lives in Rome.", filepath="/memory/ann.md")
    pipeline.add("Bob lives in Oslo.", filepath="/user.md")
    pipeline.add("Cid lives in Bonn.", filepath="/memories/cid.md")
    pipeline.add("Dan lives in Graz.")

    assert texts(pipeline) == {"Ann lives in Rome.", "Bob lives in Oslo.", "Dan lives in Graz."}
    assert len(found(pipeline, "Cid Bonn", "documents")) >= 1
    assert {one.status for one in documents.listing(HOME, pipeline.host, limit=10).rows} == {"done"}


def test_a_change_leaves_what_it_does_not_name_and_none_takes_away(pipeline):
    container_tags.update(HOME, pipeline.host, PERSON, {"display_name": "Home", "entity_context": "A household."})
    container_tags.update(HOME, pipeline.host, PERSON, {"display_name": None})

    shown = container_tags.get(HOME, pipeline.host)

    assert (shown.display_name, shown.entity_context) == (None, "A household.")
    assert "No language model" in str(container_tags.warning(pipeline.host, shown))


def test_the_buckets_of_a_tag_are_just_those_named(pipeline):
    write(pipeline, "The user likes pizza and wine.")
    container_tags.update(HOME, pipeline.host, PERSON, {}, [("food", "Pizza and wine."), ("pets", "Dogs.")])
    container_tags.update(HOME, pipeline.host, PERSON, {}, [("food", "Pizza and wine.")])

    assert [one.key for _, one in bucket_changes.listing(HOME, pipeline.host)] == ["food"]
    held = profile.profile(HOME, pipeline.host, profile.Wanted()).buckets
    assert [one.statement for one in held["food"]] == ["The user likes pizza and wine."]
    container_tags.update(HOME, pipeline.host, PERSON, {}, [])
    assert bucket_changes.listing(HOME, pipeline.host) == []


def test_tags_are_listed_a_page_at_a_time(pipeline):
    for name in ("c", "a", "b"):
        write(pipeline, f"Ann lives in {name}.", replace(HOME, spaces=(name,)))
        pipeline.clock.advance(0.01)
    every = replace(HOME, spaces=("a", "b", "c"))

    first = container_tags.listing(every, pipeline.host, limit=2)
    second = container_tags.listing(every, pipeline.host, limit=2, cursor=first.next_cursor)

    assert [one.name for one in (*first.rows, *second.rows)] == ["c", "a", "b"]
    assert (first.total, second.next_cursor) == (3, None)
