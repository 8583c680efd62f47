"""A context is put together of what there is, at any point of both clocks, and says what it had to leave out."""

from dataclasses import replace

import pytest

from inference.tokens import count_tokens
from memory.context_forms import SECTIONS
from memory.errors import InvalidInput
from memory.records import Clocks, Message, NewMemory, Scope, SearchQuery
from services import context, memories, scratchpad
from services.context import Wanted
from services.fakes import UnreachableModels
from tests.pipeline import HOME, PERSON, Pipeline

DAY = 24 * 3600 * 1_000_000
TALK = replace(HOME, session="talk")
QUESTION = SearchQuery(q="Which tea does Ada like?")


@pytest.fixture
def pipeline(tmp_path):
    one = Pipeline(tmp_path)
    one.host = replace(one.host, count_tokens=count_tokens)
    yield one
    one.host.store.close()


@pytest.fixture
def filled(pipeline):
    """Something of every kind."""
    memories.remember(HOME, pipeline.host, PERSON, [
        NewMemory(content="Ada likes green tea.", is_static=True), NewMemory(content="The gate code is 4417."),
    ])  # fmt: skip
    pipeline.add("# Teas\n\nGreen tea is steeped for two minutes.", title="Kitchen")
    pipeline.say(
        Message(role="user", content="I bought tea today.", name="Ada", said_at=pipeline.clock() - DAY),
        Message(role="assistant", content="Which one?", said_at=pipeline.clock()),
    )
    scratchpad.write(TALK, pipeline.host, "Ask Ada about milk", append=True)
    return pipeline


def assemble(pipeline, scope=TALK, **wanted):
    return context.assemble(scope, pipeline.host, Wanted(**{"budget": 2000, "query": QUESTION, **wanted}))


def ids(found, name):
    return [item.id for one in found.packed.sections if one.name == name for item in one.items]


def texts(found, name):
    return [item.text for one in found.packed.sections if one.name == name for item in one.items]


def test_something_of_every_kind_is_in_it(filled):
    found = assemble(filled, system="You are a helper.")

    assert [one.name for one in found.packed.sections if one.items] == list(SECTIONS)
    assert found.packed.tokens == count_tokens(found.packed.text) <= 2000
    assert (found.packed.truncated, found.degraded) == (False, ())
    assert texts(found, "turns") == ["Ada: I bought tea today.", "assistant: Which one?"]
    assert texts(found, "scratchpad") == ["Ask Ada about milk"]
    assert "[6] Kitchen: Teas\n# Teas\n\nGreen tea is steeped for two minutes.\n## Notes" in found.packed.text
    assert "[31 December 2025] Ada: I bought tea today." in found.packed.text


def test_what_the_profile_says_is_not_said_again(filled):
    found = assemble(filled)

    assert set(ids(found, "profile")) & set(ids(found, "memories")) == set()
    assert found.packed.text.count("Ada likes green tea.") == 1
    alone = assemble(filled, sections=["memories"])
    assert ids(found, "profile")[0] in ids(alone, "memories")


def test_equal_facts_of_two_spaces_are_said_once(filled):
    work = Scope(tenant="default", spaces=("work",))
    memories.remember(work, filled.host, PERSON, [NewMemory(content="Ada likes  green tea")])
    both = assemble(filled, scope=replace(HOME, spaces=("home", "work")), sections=["memories"])

    assert both.packed.text.count("green tea") == 1
    assert sum(both.packed.left_out.values()) == 0


@pytest.mark.parametrize("name", [one for one in SECTIONS if one != "system"])
def test_a_section_can_be_asked_for_alone(filled, name):
    found = assemble(filled, sections=[name])

    assert [one.name for one in found.packed.sections] == [name]
    assert ids(found, name)


def test_without_a_question_or_a_session_what_can_be_told_is_told(filled):
    found = assemble(filled, scope=HOME, query=None)

    assert [one.name for one in found.packed.sections] == ["profile"]
    assert ids(found, "profile")


@pytest.mark.parametrize(
    ("scope", "wanted", "field"),
    [
        (TALK, {"query": None, "sections": ["memories"]}, "query"),
        (TALK, {"query": None, "sections": ["profile", "chunks"]}, "query"),
        (HOME, {"sections": ["turns"]}, "session_id"),
        (HOME, {"sections": ["scratchpad"]}, "session_id"),
        (HOME, {"sections": ["system"]}, "system"),
    ],
)
def test_a_section_that_lacks_something_is_refused_by_name(filled, scope, wanted, field):
    with pytest.raises(InvalidInput) as refused:
        assemble(filled, scope=scope, **wanted)
    assert refused.value.details["field"] == field


def test_the_newest_turns_are_kept_and_told_in_their_order(pipeline):
    pipeline.say(*(Message(role="user", content=f"Hello for the {n} time.") for n in range(30)))
    found = assemble(pipeline, sections=["turns"], budget=150)

    kept = texts(found, "turns")
    assert kept == [f"user: Hello for the {n} time." for n in range(30 - len(kept), 30)]
    assert 3 < len(kept) < 30
    assert found.packed.left_out["turns"] + len(kept) <= 30
    assert found.packed.truncated


def test_a_session_is_called_by_its_id_or_by_the_name_of_its_conversation(filled):
    ((session_id,),) = filled.rows("SELECT id FROM session")

    assert texts(assemble(filled, scope=replace(HOME, session=session_id)), "turns")
    assert texts(assemble(filled, scope=replace(HOME, session="another")), "turns") == []


def test_a_conversation_of_another_user_is_not_told(pipeline):
    ann, bob = replace(HOME, user="ann"), replace(HOME, user="bob")
    pipeline.say(Message(role="user", content="My pin is 1234."), scope=ann)

    assert texts(assemble(pipeline, scope=replace(ann, session="talk")), "turns") == ["user: My pin is 1234."]
    assert texts(assemble(pipeline, scope=replace(bob, session="talk")), "turns") == []
    assert texts(assemble(pipeline, scope=replace(TALK, spaces=("work",))), "turns") == []


def test_what_was_recalled_into_a_turn_is_not_told_again(filled):
    first = assemble(filled)
    filled.say(
        Message(role="user", content="I bought tea today.", name="Ada", said_at=filled.clock() - DAY),
        Message(role="user", content=f"{first.packed.text}\nWhat else is there?"),
        Message(role="user", content=first.packed.text),
        conversation="next",
    )
    again = assemble(filled, scope=replace(HOME, session="next"))

    assert texts(again, "turns") == ["Ada: I bought tea today.", "user: What else is there?"]


def test_both_clocks_hold_for_every_section(filled):
    before = filled.clock()
    filled.clock.advance(3600)
    filled.writer.renew()
    filled.add("# Later\n\nBlack tea is steeped for four minutes.")
    memories.remember(HOME, filled.host, PERSON, [NewMemory(content="Ada likes black tea.", is_static=True)])
    scratchpad.write(TALK, filled.host, "Buy black tea", append=True)
    filled.say(Message(role="assistant", content="Which one?"), Message(role="user", content="The black one."))

    assert "lack" in assemble(filled).packed.text
    for clocks in (Clocks(known_at=before), Clocks(as_of=before, known_at=before)):
        query = replace(QUESTION, as_of=clocks.as_of, known_at=clocks.known_at)
        found = assemble(filled, query=query, clocks=clocks)
        assert "lack" not in found.packed.text
        assert all(ids(found, name) for name in ("profile", "chunks", "turns", "scratchpad"))


def test_without_models_the_rest_is_told_and_that_is_said(filled):
    filled.host = replace(filled.host, models=UnreachableModels())
    found = assemble(filled, query=SearchQuery(q="xyzzy"))

    assert ids(found, "profile")
    assert ids(found, "memories") == []
    assert found.degraded[0].startswith("Nothing was searched: No model server could be reached")


def test_without_the_broker_the_rest_is_told_and_that_is_said(filled):
    filled.host.scratchpads.down = True
    found = assemble(filled)

    assert texts(found, "scratchpad") == []
    assert ids(found, "memories") or ids(found, "profile")
    assert ["Notes are left out" in one for one in found.degraded] == [True]


def test_so_many_items_are_looked_at_as_have_room_and_the_rest_is_said(pipeline):
    facts = [NewMemory(content=f"Tea number {n} is green.") for n in range(30)]
    memories.remember(HOME, pipeline.host, PERSON, facts)
    small = assemble(pipeline, sections=["memories"], budget=100)
    huge = assemble(pipeline, sections=["memories"], budget=2**63)

    assert (small.packed.more, small.packed.truncated) == (("memories",), True)
    assert len(ids(small, "memories")) + small.packed.left_out["memories"] == 11
    assert (huge.packed.more, len(ids(huge, "memories"))) == ((), 30)


def test_a_doubtful_fact_is_marked(pipeline):
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Ada likes green tea.")])
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE memory SET unjudged = 1")
    found = assemble(pipeline, sections=["memories"])

    assert "[1] [1 January 2026] [Unjudged] Ada likes green tea." in found.packed.text


def test_notes_of_several_spaces_have_names_of_their_own(pipeline):
    for space in ("home", "work"):
        scratchpad.write(replace(TALK, spaces=(space,)), pipeline.host, f"a note of {space}", append=True)

    found = assemble(pipeline, scope=replace(TALK, spaces=("home", "work")), sections=("scratchpad",))

    assert len(texts(found, "scratchpad")) == len(set(ids(found, "scratchpad"))) == 2
