"""Erasing by id reaches what was put away, and what was erased there stays so under whatever name it comes back."""

from dataclasses import replace

import pytest

from memory.errors import Ambiguous, Erased, NotFound
from memory.records import Message, NewMemory, Scope
from services import container_tags, documents, erasure, memories, merging
from tests.pipeline import HOME, PERSON, Pipeline

OTHER = replace(HOME, spaces=("other",))
SECRET = "Ann owns a boat called DELME77."


def put_away(pipeline: Pipeline, scope: Scope = HOME) -> str:
    return container_tags.delete(scope, pipeline.host, PERSON).id


def restore(pipeline: Pipeline, deletion_id: str, name: str) -> None:
    container_tags.restore(HOME, pipeline.host, PERSON, deletion_id, every=True, name=name)


def erase(pipeline: Pipeline, kind: str, named: str, *, scope: Scope = HOME, every: bool = False) -> erasure.Receipt:
    target = erasure.find_target(scope, pipeline.host, kind, named, every=every)  # type: ignore[arg-type]
    asked = erasure.request(scope, pipeline.host, PERSON, target, verify=True)
    pipeline.settle()
    return erasure.get(scope, pipeline.host, asked.id)


def write(pipeline: Pipeline, text: str, scope: Scope = HOME) -> str:
    (one,) = memories.remember(scope, pipeline.host, PERSON, [NewMemory(content=text)]).memories
    pipeline.settle()
    return one.id


def dump(pipeline: Pipeline) -> str:
    with pipeline.host.store.read("default") as db:
        return "\n".join(db.iterdump())  # type: ignore[attr-defined]


def texts(pipeline: Pipeline, scope: Scope) -> set[str]:
    return {one.statement for one in memories.listing(scope, pipeline.host, limit=100).rows}


@pytest.mark.parametrize("by", ["id", "customId"])
def test_a_document_is_erased_with_what_rests_on_it_while_its_space_is_put_away(pipeline, by):
    accepted = pipeline.add(f"{SECRET} Bob plays chess.", custom_id="boats")
    kept = pipeline.add("Cid lives in Bonn.", custom_id="bees")
    gone = put_away(pipeline)

    receipt = erase(pipeline, "document", accepted.id if by == "id" else "boats")

    assert receipt.counts["documents"] == 1
    assert "DELME77" not in dump(pipeline)
    restore(pipeline, gone, "home")
    assert texts(pipeline, HOME) == {"Cid lives in Bonn."}
    assert documents.get(HOME, pipeline.host, "bees").id == kept.id


def test_a_memory_is_erased_with_its_versions_while_its_space_is_put_away(pipeline):
    first = write(pipeline, SECRET)
    second = memories.update(HOME, pipeline.host, PERSON, memory_id=first, new_content=f"{SECRET} It is red.").id
    gone = put_away(pipeline)

    receipt = erase(pipeline, "memory", second)

    assert receipt.counts["memories"] == 2
    assert "DELME77" not in dump(pipeline)
    restore(pipeline, gone, "home")
    assert texts(pipeline, HOME) == set()


def test_only_erasing_sees_what_was_put_away_and_only_in_the_names_of_its_scope(pipeline):
    accepted, one = pipeline.add("Ann lives in Rome.", custom_id="rome"), write(pipeline, "Bob plays chess.")
    put_away(pipeline)

    for kind, named in (("document", accepted.id), ("document", "rome"), ("memory", one), ("space", "home")):
        with pytest.raises(NotFound):
            erasure.find_target(OTHER, pipeline.host, kind, named)
        erasure.find_target(OTHER, pipeline.host, kind, named, every=True)
        with pytest.raises(NotFound):
            documents.get(HOME, pipeline.host, named)
        with pytest.raises(NotFound):
            memories.get(HOME, pipeline.host, named)


def test_a_scope_of_a_user_does_not_reach_what_is_anothers(pipeline):
    one = write(pipeline, "Ann lives in Rome.", replace(HOME, user="ann"))
    put_away(pipeline)
    with pytest.raises(NotFound):
        erasure.find_target(replace(HOME, user="ben"), pipeline.host, "memory", one, every=True)
    assert erasure.find_target(replace(HOME, user="ann"), pipeline.host, "memory", one).id == one


def test_a_name_that_is_used_again_means_the_document_that_is_there(pipeline):
    old = pipeline.add("Ann lives in Rome.", custom_id="one").id
    put_away(pipeline)
    older = pipeline.add("Ann lives in Oslo.", custom_id="one").id
    put_away(pipeline)

    with pytest.raises(Ambiguous):
        erasure.find_target(HOME, pipeline.host, "document", "one")
    assert erasure.find_target(HOME, pipeline.host, "document", old).id == old
    new = pipeline.add("Ann lives in Graz.", custom_id="one").id
    assert erasure.find_target(HOME, pipeline.host, "document", "one").id == new
    assert erasure.find_target(HOME, pipeline.host, "document", older).id == older


@pytest.mark.parametrize("erased_while", ["in use", "put away"])
@pytest.mark.parametrize("name", ["home", "elsewhere"])
def test_an_erased_memory_is_not_taught_again_under_another_name(pipeline, erased_while, name):
    one = write(pipeline, "Ann lives in Rome.")
    if erased_while == "in use":
        erase(pipeline, "memory", one)
    gone = put_away(pipeline)
    if erased_while == "put away":
        erase(pipeline, "memory", one)
    restore(pipeline, gone, name)

    pipeline.add("Ann lives in Rome. Bob lives in Oslo.", scope=replace(HOME, spaces=(name,)), document_date=1)

    assert texts(pipeline, replace(HOME, spaces=(name,))) == {"Bob lives in Oslo."}


def test_what_is_erased_in_a_space_that_is_put_away_does_not_bind_the_one_that_took_its_name(pipeline):
    one = write(pipeline, "Ann lives in Rome.")
    gone = put_away(pipeline)
    erase(pipeline, "memory", one)

    pipeline.add("Ann lives in Rome.", document_date=1)
    assert texts(pipeline, HOME) == {"Ann lives in Rome."}

    restore(pipeline, gone, "before")
    erase(pipeline, "memory", memories.listing(HOME, pipeline.host, limit=1).rows[0].id)
    pipeline.add("Bob lives in Oslo.", scope=replace(HOME, spaces=("before",)))
    merging.merge(
        replace(HOME, spaces=("before", "third")), pipeline.host, PERSON, ["before"], "third"
    )  # fmt: skip
    pipeline.settle()
    pipeline.add("Ann lives in Rome.", scope=replace(HOME, spaces=("third",)), document_date=1)
    assert texts(pipeline, replace(HOME, spaces=("third",))) == {"Bob lives in Oslo."}


@pytest.mark.parametrize("name", ["home", "elsewhere"])
def test_a_conversation_erased_while_its_space_was_put_away_is_refused_when_that_is_back(pipeline, name):
    ann, there = replace(HOME, user="ann"), replace(HOME, spaces=(name,), user="ann")
    pipeline.say(Message(role="user", content="I moved to Oslo."), scope=ann)
    gone = put_away(pipeline)
    erase(pipeline, "subject", "ann")
    restore(pipeline, gone, name)

    with pytest.raises(Erased):
        pipeline.say(Message(role="user", content="I moved to Oslo."), scope=there)
    pipeline.say(Message(role="user", content="I like tea."), scope=there, conversation="another")


def test_a_conversation_erased_in_the_space_that_took_a_name_does_not_bind_the_one_that_had_it(pipeline):
    ann = replace(HOME, user="ann")
    pipeline.say(Message(role="user", content="I moved to Oslo."), conversation="old")
    gone = put_away(pipeline)
    pipeline.say(Message(role="user", content="I moved to Rome."), scope=ann)
    erase(pipeline, "subject", "ann")
    restore(pipeline, gone, "before")

    pipeline.say(Message(role="user", content="I moved to Graz."), scope=replace(HOME, spaces=("before",)))
    with pytest.raises(Erased):
        pipeline.say(Message(role="user", content="I moved to Rome."), scope=ann)
