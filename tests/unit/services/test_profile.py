"""Profiles and buckets: what is lasting, what is new, what is doubtful, and what an assistant said of itself."""

import json
from dataclasses import replace

import pytest

from memory import filters
from memory.errors import InvalidInput, NotFound, Pending
from memory.records import Clocks, Message, NewMemory, Scope
from services import bucket_changes, bucketing, calibration, memories, reconcile
from services.profile import Wanted, profile
from tests.pipeline import HOME, PERSON

DAY = 24 * 3600
KITCHEN = "cooking bread kitchen"


def remember(pipeline, text, *, actor=PERSON, scope=HOME, **more):
    pipeline.writer.renew()
    return memories.remember(scope, pipeline.host, actor, [NewMemory(content=text, **more)]).memories[0]


def texts(rows):
    return [one.text for one in rows]


def shown(pipeline, scope=HOME, **wanted):
    return profile(scope, pipeline.host, Wanted(**wanted))


def tick(pipeline):
    pipeline.writer.renew()
    bucketing.look(pipeline.host)
    pipeline.settle()


def test_preferences_come_before_facts_each_by_support_and_static_ones_first(pipeline):
    remember(pipeline, "The cellar is dry.")
    remember(pipeline, "Rosa likes rye bread.")
    remember(pipeline, "Pim lives in Ghent.", is_static=True)
    remember(pipeline, "The gate is green.")
    pipeline.add("The gate is green.")

    found = shown(pipeline, limit=3)

    assert texts(found.static) == ["Pim lives in Ghent.", "Rosa likes rye bread.", "The gate is green."]


def test_what_is_new_are_episodes_and_updates_of_the_last_two_weeks(pipeline):
    remember(pipeline, "Ben sold his boat on Friday.", kind="episode")
    old = remember(pipeline, "Ada works in Lyon.")
    remember(pipeline, "The roof is flat.")
    pipeline.clock.advance(15 * DAY)
    pipeline.writer.renew()
    memories.update(HOME, pipeline.host, PERSON, memory_id=old.id, new_content="Ada works in Porto.")
    remember(pipeline, "Kai broke his arm yesterday.", kind="episode")

    found = shown(pipeline)

    assert set(texts(found.dynamic)) == {"Ada works in Porto.", "Kai broke his arm yesterday."}
    assert texts(found.static) == ["The roof is flat."]
    assert "Ada works in Porto." in texts(shown(pipeline, parts=["static"]).static)


def test_a_profile_of_the_past_has_what_held_and_was_known_then(pipeline):
    first = remember(pipeline, "Ada works in Lyon.")
    then = pipeline.clock()
    pipeline.clock.advance(3 * DAY)
    pipeline.writer.renew()
    memories.update(HOME, pipeline.host, PERSON, memory_id=first.id, new_content="Ada works in Porto.")

    found = shown(pipeline, clocks=Clocks(as_of=then))
    known = shown(pipeline, clocks=Clocks(as_of=pipeline.clock(), known_at=then))

    assert (texts(found.static), texts(found.dynamic)) == (["Ada works in Lyon."], [])
    assert (texts(known.static), texts(known.dynamic)) == (["Ada works in Lyon."], [])


def test_what_an_assistant_said_is_no_part_of_it_unless_somebody_else_says_it_too(pipeline):
    pipeline.say(
        Message(role="user", content="I need a light laptop for my field work."),
        Message(role="assistant", content="You should buy model ZX and I was built by Acme."),
    )

    found = shown(pipeline)

    assert [one.statement for one in found.static] == ["I need a light laptop for my field work."]
    assert len(memories.listing(HOME, pipeline.host, limit=9).rows) == 2


def test_doubtful_memories_are_marked_and_last(pipeline):
    doubtful = remember(pipeline, "The bridge is closed.", is_static=True)
    remember(pipeline, "The river is wide.")
    with pipeline.host.store.fenced("default", pipeline.writer.token) as tx:
        tx.execute("UPDATE memory SET unjudged = 1 WHERE id = ?", (doubtful.id,))

    found = shown(pipeline)

    assert texts(found.static) == ["The river is wide.", "The bridge is closed."]
    assert found.static[1].is_unjudged


def test_a_profile_is_of_its_space_and_its_user(pipeline):
    remember(pipeline, "The shed is old.", scope=replace(HOME, user="ann"))
    remember(pipeline, "The barn is new.", scope=Scope(tenant="default", spaces=("away",)))

    assert texts(shown(pipeline, replace(HOME, user="bob")).static) == []
    assert texts(shown(pipeline, replace(HOME, user="ann")).static) == ["The shed is old."]
    assert texts(shown(pipeline, Scope(tenant="default", spaces=("none",))).static) == []


def test_a_question_is_answered_beside_the_profile(pipeline):
    remember(pipeline, "Ada works in Lyon.")

    found = shown(pipeline, q="Lyon", parts=["buckets"])

    assert found.search is not None
    assert [hit.text for hit in found.search.hits] == ["Ada works in Lyon."]
    assert (found.static, found.dynamic) == ((), ())


def test_a_bucket_holds_what_is_known_and_what_comes_later(pipeline):
    bread = remember(pipeline, "Fresh bread stands in the kitchen.")
    remember(pipeline, "The train leaves at nine.")

    bucket_changes.put(HOME, pipeline.host, PERSON, "kitchen", KITCHEN)
    assert texts(shown(pipeline).buckets["kitchen"]) == [bread.text]

    remember(pipeline, "The kitchen oven bakes bread.")
    tick(pipeline)
    assert len(shown(pipeline).buckets["kitchen"]) == 2
    assert (
        pipeline.rows("SELECT verdict, model, memory_id IS NOT NULL FROM decision WHERE judge = 'bucket'")
        == [("belongs", "rules", 1)] * 2
    )


def test_a_bucket_shows_what_held_then(pipeline):
    first = remember(pipeline, "The kitchen has a gas oven for bread.")
    bucket_changes.put(HOME, pipeline.host, PERSON, "kitchen", KITCHEN)
    then = pipeline.clock()
    pipeline.clock.advance(DAY)
    pipeline.writer.renew()
    memories.update(
        HOME, pipeline.host, PERSON, memory_id=first.id, new_content="The kitchen has a steam oven for bread."
    )
    tick(pipeline)

    assert texts(shown(pipeline).buckets["kitchen"]) == ["The kitchen has a steam oven for bread."]
    assert texts(shown(pipeline, clocks=Clocks(as_of=then)).buckets["kitchen"]) == [first.text]


def test_a_bucket_described_anew_is_filled_anew_and_one_taken_away_is_gone(pipeline):
    remember(pipeline, "Fresh bread stands in the kitchen.")
    remember(pipeline, "The night train leaves the station at nine.")
    bucket_changes.put(HOME, pipeline.host, PERSON, "things", KITCHEN)

    bucket_changes.put(HOME, pipeline.host, PERSON, "things", "train station")
    assert texts(shown(pipeline).buckets["things"]) == ["The night train leaves the station at nine."]

    assert bucket_changes.remove(HOME, pipeline.host, PERSON, "things") == []
    assert shown(pipeline).buckets == {}
    with pytest.raises(NotFound):
        bucket_changes.remove(HOME, pipeline.host, PERSON, "things")
    with pytest.raises(NotFound):
        shown(pipeline, keys=["things"])


def labelled(pipeline, model, version, shares, count=40):
    """Say of answers about buckets that were given before that none of them was right."""
    with pipeline.host.store.write("default") as tx:
        (space_id,) = tx.execute("SELECT id FROM space").fetchone()
        for n in range(count):
            tx.execute(
                """
                INSERT INTO decision (id, space_id, judge, inputs, probabilities, verdict, model, prompt_version, at,
                                      label)
                VALUES (?, ?, 'bucket', '{}', ?, 'belongs', ?, ?, 1, 'not:belongs')
                """,
                (f"dec_{model}_{n}", space_id, json.dumps(shares), model, version),
            )


def held(pipeline):
    return texts(shown(pipeline).buckets["kitchen"])


def test_what_is_in_a_bucket_follows_what_the_rules_answers_count_as(pipeline):
    bread = remember(pipeline, "Fresh bread stands in the kitchen.")
    bucket_changes.put(HOME, pipeline.host, PERSON, "kitchen", KITCHEN)
    labelled(pipeline, "rules", bucketing.RULES_VERSION, {})

    made = calibration.fit(HOME, pipeline.host, PERSON, judge="bucket")
    remember(pipeline, "The kitchen oven bakes bread.")
    tick(pipeline)
    assert held(pipeline) == [bread.text]
    again = calibration.fit(HOME, pipeline.host, PERSON, judge="bucket", apply_to_past=True)
    assert held(pipeline) == []

    calibration.revert(HOME, pipeline.host, PERSON, again["ids"][0])
    calibration.revert(HOME, pipeline.host, PERSON, made["ids"][0])
    assert len(held(pipeline)) == 2


def test_what_is_in_a_bucket_follows_what_a_language_models_answers_count_as(pipeline):
    remember(pipeline, "Fresh bread stands in the kitchen.")
    nodes = tuple(replace(one, llm_port=9) for one in pipeline.host.nodes)
    pipeline.host = replace(pipeline.host, nodes=nodes)
    labelled(pipeline, "fake", "bucket-1", {"belongs": 0.9, "does_not": 0.1})
    calibration.fit(HOME, pipeline.host, PERSON, judge="bucket")
    pipeline.answers = lambda question: {"A": 0.9, "B": 0.1}

    bucket_changes.put(HOME, pipeline.host, PERSON, "kitchen", KITCHEN)
    pipeline.settle()

    assert held(pipeline) == []
    said = "SELECT verdict, relabelled, calibration_id IS NOT NULL FROM decision WHERE label IS NULL"
    assert pipeline.rows(said) == [("belongs", "undecided", 1)]


def test_a_profile_is_read_at_one_moment(pipeline):
    remember(pipeline, "Fresh bread stands in the kitchen.")
    bucket_changes.put(HOME, pipeline.host, PERSON, "kitchen", KITCHEN)
    opened = []
    read = pipeline.host.store.read

    def counted(tenant):
        opened.append(tenant)
        return read(tenant)

    pipeline.host.store.read = counted
    assert len(held(pipeline)) == 1
    assert len(opened) == 1


def test_more_memories_than_a_commit_takes_are_sorted_in_further_ones(pipeline, monkeypatch):
    monkeypatch.setattr(bucketing, "BATCH", 2)
    for number in range(5):
        remember(pipeline, f"Loaf {number} of bread is in the kitchen.")

    bucket_changes.put(HOME, pipeline.host, PERSON, "kitchen", KITCHEN)
    pipeline.settle()

    assert len(shown(pipeline).buckets["kitchen"]) == 5
    pipeline.queue.waiting.clear()
    bucketing.look(pipeline.host)
    assert pipeline.queue.waiting == []


def test_a_space_has_a_bounded_number_of_buckets(pipeline):
    for number in range(bucket_changes.MOST_BUCKETS):
        bucket_changes.put(HOME, pipeline.host, PERSON, f"b{number}", KITCHEN)

    with pytest.raises(InvalidInput):
        bucket_changes.put(HOME, pipeline.host, PERSON, "more", KITCHEN)

    assert len(bucket_changes.put(HOME, pipeline.host, PERSON, "b0", "trains")) == bucket_changes.MOST_BUCKETS


def test_buckets_that_are_asked_for_at_once_are_no_more_than_may_be(pipeline):
    for number in range(bucket_changes.MOST_BUCKETS - 1):
        bucket_changes.put(HOME, pipeline.host, PERSON, f"b{number}", KITCHEN)
    pipeline.queue.down = True
    for key in ("last", "more"):
        with pytest.raises(Pending):
            bucket_changes.put(HOME, pipeline.host, PERSON, key, "ships")
    pipeline.queue.down = False
    pipeline.writer.renew()
    reconcile.settle_requests(pipeline.host, pipeline.writer, "default")

    assert len(bucket_changes.listing(HOME, pipeline.host)) == bucket_changes.MOST_BUCKETS


def test_a_language_model_is_asked_and_its_answers_are_decisions(pipeline):
    remember(pipeline, "Fresh bread stands in the kitchen.")
    remember(pipeline, "The kitchen is cold in winter.")
    remember(pipeline, "Zug um neun.")
    nodes = tuple(replace(one, llm_port=9) for one in pipeline.host.nodes)
    pipeline.host = replace(pipeline.host, nodes=nodes)

    bucket_changes.put(HOME, pipeline.host, PERSON, "kitchen", KITCHEN)
    assert texts(shown(pipeline).buckets["kitchen"]) == []
    pipeline.answers = lambda question: (
        {"A": 0.9, "B": 0.1} if "bread" in question["messages"][1]["content"].split("MEMORY")[1] else {}
    )
    pipeline.settle()

    assert texts(shown(pipeline).buckets["kitchen"]) == ["Fresh bread stands in the kitchen."]
    said = pipeline.rows("SELECT verdict, prompt_version, node FROM decision WHERE judge = 'bucket' ORDER BY verdict")
    assert said == [("belongs", "bucket-1", "local"), ("undecided", "bucket-1", "local")]
    assert pipeline.rows("SELECT kind, state FROM job WHERE kind = 'judging'") == [("judging", "done")]


def test_a_filter_holds_for_every_part_and_for_the_search_and_does_not_cut_a_full_part(pipeline):
    for number in range(12):
        remember(pipeline, f"Stall {number} sells bread.", metadata={"side": "left" if number < 3 else "right"})
    bucket_changes.put(HOME, pipeline.host, PERSON, "stalls", KITCHEN)
    wanted = filters.parse({"AND": [{"key": "side", "value": "left"}]})

    found = shown(pipeline, filters=wanted, limit=3, q="bread", results=10)

    left = {f"Stall {number} sells bread." for number in range(3)}
    assert set(texts(found.static)) == left
    assert set(texts(found.buckets["stalls"])) == left
    assert {hit.text for hit in found.search.hits} == left
    assert shown(pipeline, filters=filters.parse({"AND": [{"key": "side", "value": "up"}]})).static == ()
