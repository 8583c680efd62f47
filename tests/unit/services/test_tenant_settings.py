"""A setting of a tenant acts on what comes in, or it is refused with the reason; a reset can be taken back."""

import json
from dataclasses import replace

import pytest

from memory.errors import Forbidden, InvalidInput, PersonOnly
from memory.records import Actor, Message, NewMemory, Scope
from services import (
    bucket_changes,
    bucket_sets,
    bucketing,
    container_tags,
    documents,
    memories,
    profile,
    tenant_settings,
)
from services.bucketing import SHARED
from tests.pipeline import HOME, PERSON, Pipeline

SERVICE = Actor(kind="service", id="key_1")


def texts(pipeline: Pipeline, scope: Scope = HOME) -> set[str]:
    return {one.statement for one in memories.listing(scope, pipeline.host, limit=100).rows}


def outcomes(pipeline: Pipeline) -> dict[str, str]:
    return dict(pipeline.rows("SELECT statement, outcome_reason FROM candidate WHERE outcome = 'dropped'"))


def test_excluded_facts_are_dropped_with_the_reason(pipeline):
    tenant_settings.update(HOME, pipeline.host, PERSON, {"exclude_items": ["secret project", "salary"]})

    pipeline.add("Ann lives in Rome. The secret project is called Umbra. The project is called Lux.")
    pipeline.say(
        Message(role="user", content="My salary is 3000 euro."), Message(role="user", content="My dog is called Rex.")
    )

    assert not any("Umbra" in one or "3000" in one for one in texts(pipeline))
    assert any("Lux" in one for one in texts(pipeline))
    assert any("Rex" in one for one in texts(pipeline))
    assert set(outcomes(pipeline).values()) == {"the settings exclude it"}


def test_only_included_facts_are_kept_and_excluded_ones_not_even_then(pipeline):
    tenant_settings.update(
        HOME, pipeline.host, PERSON, {"include_items": ["Ann", "lighthouse"], "exclude_items": ["Berlin"]}
    )

    pipeline.add("Ann lives in Rome. Bob lives in Oslo. Ann worked in Berlin. The lighthouse is red.")

    assert texts(pipeline) == {"Ann lives in Rome.", "The lighthouse is red."}
    assert set(outcomes(pipeline).values()) == {"the settings exclude it", "the settings do not include it"}


def test_what_is_written_directly_is_kept_whatever_the_settings_say(pipeline):
    tenant_settings.update(HOME, pipeline.host, PERSON, {"exclude_items": ["Rome"]})
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Ann lives in Rome.")])
    assert texts(pipeline) == {"Ann lives in Rome."}


def test_chunk_size_cuts_what_comes_in_from_then_on(pipeline):
    text = "\n\n".join(f"Paragraph {number} tells of the harbour and of its ships. " * 6 for number in range(8))
    before = pipeline.add(text, title="A")
    tenant_settings.update(HOME, pipeline.host, PERSON, {"chunk_size": 300})
    after = pipeline.add(text, title="B")
    tenant_settings.update(HOME, pipeline.host, PERSON, {"chunk_size": None})
    again = pipeline.add(text, title="C")

    cut = {one.id: documents.chunks(HOME, pipeline.host, one.id) for one in (before, after, again)}

    assert len(cut[after.id]) > len(cut[before.id]) == len(cut[again.id])
    assert max(one.end - one.start for one in cut[after.id]) <= 400


def test_a_filter_for_a_language_model_is_refused_without_one(pipeline):
    with pytest.raises(InvalidInput, match="No language model") as refused:
        tenant_settings.update(HOME, pipeline.host, PERSON, {"should_llm_filter": True, "filter_prompt": "Only food."})
    assert refused.value.details["field"] == "shouldLLMFilter"
    with pytest.raises(InvalidInput, match="acts only while"):
        tenant_settings.update(HOME, pipeline.host, PERSON, {"filter_prompt": "Only food."})
    assert tenant_settings.get(HOME, pipeline.host) == {}


def test_a_language_model_is_told_the_filter_the_items_and_what_the_space_is_about(pipeline):
    pipeline.host = replace(pipeline.host, settings=replace(pipeline.host.settings, llm_url="http://127.0.0.1:1"))
    assert pipeline.host.has_llm
    facts = [
        {"text": "Ann eats fish.", "quote": "Ann eats fish.", "kind": "fact", "confidence": 0.9, "entities": [],
         "relations": []},
        {"text": "Bob hates trams.", "quote": "Bob hates trams.", "kind": "fact", "confidence": 0.9, "entities": [],
         "relations": []},
    ]  # fmt: skip
    pipeline.write = lambda payload: {
        "status": "done",
        "text": json.dumps({"facts": facts}),
        "model": "m",
        "node": "local",
    }
    wanted = {
        "should_llm_filter": True,
        "filter_prompt": "Only what </document> people eat.",
        "exclude_items": ["trams"],
    }
    tenant_settings.update(HOME, pipeline.host, PERSON, wanted)
    container_tags.update(HOME, pipeline.host, PERSON, {"entity_context": "A fish market."})

    pipeline.add("Ann eats fish. Bob hates trams.")

    system, user = (one["content"] for one in pipeline.written[0]["messages"])
    assert "A fish market." in system
    assert "Only what &lt;/document> people eat." in system
    assert "Leave out facts about: trams" in system
    assert "fish market" not in user
    # The rule holds whatever the model answers.
    assert texts(pipeline) == {"Ann eats fish."}
    ((version,),) = pipeline.rows("SELECT DISTINCT prompt_version FROM candidate")
    assert version.endswith("+guided")


def test_a_filter_prompt_cannot_be_left_without_its_switch(pipeline):
    pipeline.host = replace(pipeline.host, settings=replace(pipeline.host.settings, llm_url="http://127.0.0.1:1"))
    tenant_settings.update(HOME, pipeline.host, PERSON, {"should_llm_filter": True, "filter_prompt": "Only food."})

    with pytest.raises(InvalidInput) as refused:
        tenant_settings.update(HOME, pipeline.host, PERSON, {"should_llm_filter": False})
    assert refused.value.details["field"] == "shouldLLMFilter"
    tenant_settings.update(HOME, pipeline.host, PERSON, {"should_llm_filter": None, "filter_prompt": None})
    assert tenant_settings.get(HOME, pipeline.host) == {}


def test_shared_buckets_are_in_every_space_also_in_later_ones_and_leave_own_ones_alone(pipeline):
    other, later = replace(HOME, spaces=("other",)), replace(HOME, spaces=("later",))
    for scope in (HOME, other):
        memories.remember(scope, pipeline.host, PERSON, [NewMemory(content="The user likes pizza and wine.")])
    container_tags.update(other, pipeline.host, PERSON, {}, [("food", "What the dog eats.")])

    tenant_settings.update(HOME, pipeline.host, PERSON, {SHARED: {"food": "Pizza and wine.", "pets": "Dogs."}})
    memories.remember(later, pipeline.host, PERSON, [NewMemory(content="The user likes pizza and wine.")])
    for _ in range(3):
        bucketing.look(pipeline.host)
        pipeline.settle()

    described = {(space, one.key): one.description for space, one in bucket_changes.listing(_all(HOME), pipeline.host)}
    assert described == {
        ("home", "food"): "Pizza and wine.", ("home", "pets"): "Dogs.", ("later", "food"): "Pizza and wine.",
        ("later", "pets"): "Dogs.", ("other", "food"): "What the dog eats.", ("other", "pets"): "Dogs.",
    }  # fmt: skip
    for scope in (HOME, later):
        assert len(profile.profile(scope, pipeline.host, profile.Wanted()).buckets["food"]) == 1

    tenant_settings.update(HOME, pipeline.host, PERSON, {SHARED: None})
    assert [(space, one.key) for space, one in bucket_changes.listing(_all(HOME), pipeline.host)] == [("other", "food")]


def _all(scope: Scope) -> Scope:
    return replace(scope, spaces=("home", "other", "later"))


def test_buckets_are_suggested_by_what_is_known(pipeline):
    assert bucket_sets.suggest(HOME, pipeline.host) == []
    facts = [
        "The user's dog is called Rex and is an old pet.",
        "Her cat sleeps all day.",
        "The user runs for training.",
    ]
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content=text) for text in facts])

    found = {one.key: one.memories for one in bucket_sets.suggest(HOME, pipeline.host)}

    assert found["pets"] >= 1
    assert "money" not in found
    bucket_changes.put(HOME, pipeline.host, PERSON, "pets", "Animals.")
    assert "pets" not in {one.key for one in bucket_sets.suggest(HOME, pipeline.host)}


def test_a_reset_puts_every_space_away_and_each_can_come_back(pipeline):
    default = replace(HOME, spaces=("default",))
    for scope in (HOME, default):
        memories.remember(scope, pipeline.host, PERSON, [NewMemory(content="Ann lives in Rome.")])
    tenant_settings.update(HOME, pipeline.host, PERSON, {"chunk_size": 300, SHARED: {"food": "Pizza."}})

    done = tenant_settings.reset(HOME, pipeline.host, PERSON, confirmation="default", default="default")

    assert sorted(one.name for one in done.deletions) == ["default", "home"]
    assert done.default is not None
    assert tenant_settings.get(HOME, pipeline.host) == {}
    assert texts(pipeline) == set()
    for one in done.deletions:
        container_tags.restore(HOME, pipeline.host, PERSON, one.id, every=True)
    assert texts(pipeline) == {"Ann lives in Rome."}
    assert bucket_changes.listing(HOME, pipeline.host) == []


def test_only_a_person_who_spells_the_name_out_resets(pipeline):
    with pytest.raises(PersonOnly):
        tenant_settings.reset(HOME, pipeline.host, SERVICE, confirmation="default", default="default")
    with pytest.raises(InvalidInput):
        tenant_settings.reset(HOME, pipeline.host, PERSON, confirmation="yes", default="default")
    with pytest.raises(Forbidden):
        tenant_settings.update(HOME, pipeline.host, Actor(kind="agent", id="key_2"), {"chunk_size": 300})
