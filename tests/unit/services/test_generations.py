"""A change of the embedding model: what goes on, what is said, and that vectors of two models are never compared."""

from pathlib import Path

import pytest

from memory.errors import NotFound, PersonOnly, StateConflict, WrongModel
from memory.records import Actor, NewMemory, SearchQuery
from services import configured_model, generations, health, ledger, memories, search
from services.fakes import SteppedClock
from tests.pipeline import HOME, PERSON, Pipeline

OLD = ("words-768", 768)
NEW = ("words-1024", 1024)
GUIDE = "# Lift\n\nThe lift stands in hall 3. The limit is 40 kg.\n"


class Restarts:
    """One folder that is opened under one model after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SteppedClock()

    def __call__(self, model: tuple[str, int]) -> Pipeline:
        self.clock.advance(60.0)
        return Pipeline(self.folder, model=model[0], dimension=model[1], clock=self.clock)


@pytest.fixture
def opened(tmp_path):
    return Restarts(tmp_path)


def remember(pipeline, *texts):
    written = memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content=text) for text in texts])
    return [one.id for one in written.memories]


def found(pipeline, q, mode="hybrid"):
    return search.search(HOME, pipeline.host, SearchQuery(q=q, mode=mode))


def states(pipeline):
    return {
        (one["model"], one["state"], one["missing"]) for one in generations.status(HOME, pipeline.host)["generations"]
    }


def number(pipeline, model):
    told = generations.status(HOME, pipeline.host)["generations"]
    return next(one["id"] for one in told if one["model"] == model[0])


def changed(pipeline):
    """Embed everything by the configured model and switch to it."""
    generations.start(HOME, pipeline.host, PERSON)
    ledger.dispatch(pipeline.host, "default")
    pipeline.settle()
    model = (pipeline.host.settings.embed_model, pipeline.host.settings.embed_dimension)
    return generations.switch(HOME, pipeline.host, PERSON, number(pipeline, model))


def test_the_first_model_serves_and_nothing_is_said(opened):
    pipeline = opened(OLD)
    remember(pipeline, "Ana works in Ulm.")

    assert states(pipeline) == {("words-768", "serving", 0)}
    assert generations.status(HOME, pipeline.host)["warning"] is None
    assert configured_model.warnings(pipeline.host) == []


def test_another_model_is_named_with_both_numbers(opened, caplog):
    remember(opened(OLD), "Ana works in Ulm.")

    pipeline = opened(NEW)
    pipeline.settle()
    ledger.wake_writer(pipeline.host, "default")
    remember(pipeline, "Bob works in Bonn.")

    told = " ".join(health.health(pipeline.host)["warnings"])
    for part in ("wrong_model", "words-768 (768 numbers)", "words-1024 (1024 numbers)", "memlane reembed start"):
        assert part in told
        assert part in caplog.text
    assert health.health(pipeline.host)["status"] == "degraded"


def test_a_search_between_two_models_goes_by_words_and_says_so(opened):
    remember(opened(OLD), "Ana works in Ulm.")

    answer = found(opened(NEW), "Where does Ana work?")

    assert [hit.text for hit in answer.hits] == ["Ana works in Ulm."]
    assert "words-768 (768 numbers)" in answer.degraded[0]
    assert "vectors" not in answer.hits[0].explain


def test_a_search_that_words_cannot_answer_is_refused_instead_of_empty(opened):
    remember(opened(OLD), "Ana works in Ulm.")

    with pytest.raises(WrongModel, match="words-1024"):
        found(opened(NEW), "zebra")


def test_what_needs_no_vector_goes_on(opened):
    first, second = remember(opened(OLD), "Ana works in Ulm.", "Bob works in Bonn.")
    pipeline = opened(NEW)

    forgotten = memories.forget_matching(
        HOME, pipeline.host, PERSON, query="zebra", dry_run=True, threshold=0.0, max_forget=9
    )
    memories.forget(HOME, pipeline.host, PERSON, memory_id=first)
    memories.update(HOME, pipeline.host, PERSON, memory_id=second, new_content="Bob works in Bonn.", metadata={"a": 1})
    memories.restore(HOME, pipeline.host, PERSON, first)

    listed = memories.listing(HOME, pipeline.host, limit=10).rows
    assert forgotten.matches == ()
    assert {(one.statement, one.metadata.get("a")) for one in listed} == {
        ("Ana works in Ulm.", None),
        ("Bob works in Bonn.", 1),
    }
    assert len(memories.history(HOME, pipeline.host, first)) == 2


def test_what_is_written_meanwhile_goes_into_the_new_generation_and_is_found_by_words(opened):
    (old,) = remember(opened(OLD), "Ana works in Ulm.")
    pipeline = opened(NEW)

    remember(pipeline, "Carl sells crabs.")
    memories.update(HOME, pipeline.host, PERSON, memory_id=old, new_content="Ana works in Bern.")
    pipeline.add(GUIDE)

    assert [hit.text for hit in found(pipeline, "crabs").hits][:1] == ["Carl sells crabs."]
    assert [hit.text for hit in found(pipeline, "Ana Bern").hits][:1] == ["Ana works in Bern."]
    assert "limit is 40 kg" in found(pipeline, "limit of the lift", mode="documents").hits[0].text
    assert pipeline.rows("SELECT generation_id, length(data) / 4, count(*) FROM vector GROUP BY 1, 2") == [
        (1, 768, 1), (2, 1024, 3),
    ]  # fmt: skip


def test_facts_of_documents_wait_for_the_switch_and_are_then_compared(opened):
    remember(opened(OLD), "The limit is 30 kg.")
    pipeline = opened(NEW)
    accepted = pipeline.add(GUIDE)

    assert (pipeline.job(accepted).state, generations.status(HOME, pipeline.host)["facts_waiting"]) == ("running", 2)

    done = changed(pipeline)
    pipeline.settle()

    assert done["before"] == 1
    assert generations.status(HOME, pipeline.host)["facts_waiting"] == 0
    assert pipeline.job(accepted).state == "done"
    assert pipeline.rows("SELECT DISTINCT state FROM candidate") == [("settled",)]


def test_a_directly_written_fact_is_compared_after_the_switch(opened):
    remember(opened(OLD), "The limit of the lift is 40 kg.")
    pipeline = opened(NEW)
    remember(pipeline, "The limit of the lift is 70 kg.")
    assert len(memories.listing(HOME, pipeline.host, limit=10).rows) == 2

    changed(pipeline)
    pipeline.settle()

    live = {one.statement for one in memories.listing(HOME, pipeline.host, limit=10).rows}
    assert live == {"The limit of the lift is 70 kg."}


def test_a_switch_before_every_row_has_a_vector_is_refused_with_numbers(opened):
    remember(opened(OLD), "Ana works in Ulm.", "Bob works in Bonn.")
    pipeline = opened(NEW)
    remember(pipeline, "Carl sells crabs.")

    with pytest.raises(StateConflict, match="2 of 3 rows") as refused:
        generations.switch(HOME, pipeline.host, PERSON, 2)

    assert refused.value.details == {"rows": 3, "vectors": 1, "missing": 2}
    assert states(pipeline) == {("words-768", "serving", 1), ("words-1024", "building", 2)}


def test_after_the_switch_the_new_vectors_are_compared_and_the_old_ones_kept(opened):
    remember(opened(OLD), "Ana works in Ulm.")
    pipeline = opened(NEW)
    pipeline.add(GUIDE)

    done = changed(pipeline)
    pipeline.settle()

    answer = found(pipeline, "Where does Ana work?")
    assert (done["before"], answer.degraded) == (1, ())
    assert answer.hits[0].explain["vectors"] > 0
    assert {(one[0], one[1]) for one in states(pipeline)} == {("words-768", "retired"), ("words-1024", "serving")}
    assert pipeline.rows("SELECT count(*) FROM vector WHERE generation_id = 1") == [(1,)]
    assert health.health(pipeline.host)["warnings"] == [
        one for one in health.health(pipeline.host)["warnings"] if "wrong_model" not in one
    ]


def test_a_build_that_was_cut_off_goes_on_where_it_stopped(opened):
    remember(opened(OLD), *(f"Person {index} works in town {index}." for index in range(40)))
    pipeline = opened(NEW)
    generations.start(HOME, pipeline.host, PERSON)
    ledger.dispatch(pipeline.host, "default")
    # given a host that stops after the first of three batches
    done = "SELECT count(*) FROM vector WHERE generation_id = 2"
    pipeline.held = lambda message: message.task == "embed.texts" and pipeline.rows(done) != [(0,)]
    pipeline.settle()
    assert pipeline.rows(done) == [(16,)]

    # when it is started again, twice asked for
    pipeline = opened(NEW)
    again = generations.start(HOME, pipeline.host, PERSON)
    pipeline.settle()
    ledger.sweep(pipeline.host, pipeline.queue.facts(at=pipeline.clock()))
    pipeline.settle()

    # then the same job has done the rest
    assert again["started"] == []
    assert pipeline.rows("SELECT state FROM job WHERE kind = 'reembedding'") == [("done",)]
    assert generations.switch(HOME, pipeline.host, PERSON, 2)["generations"][1]["missing"] == 0


def test_rows_of_the_old_model_that_come_during_a_build_are_embedded_before_its_end(opened):
    # given a restore, whose row has the vectors of the row before it
    (first,) = remember(opened(OLD), "Ana works in Ulm.")
    pipeline = opened(NEW)
    generations.start(HOME, pipeline.host, PERSON)
    memories.forget(HOME, pipeline.host, PERSON, memory_id=first)
    memories.restore(HOME, pipeline.host, PERSON, first)

    ledger.dispatch(pipeline.host, "default")
    pipeline.settle()

    assert ("words-1024", "building", 0) in states(pipeline)


def test_going_back_serves_the_old_vectors_at_once_and_embeds_what_they_lack(opened):
    remember(opened(OLD), "Ana works in Ulm.")
    changed(opened(NEW))
    remember(opened(NEW), "Carl sells crabs.")
    pipeline = opened(OLD)

    done = generations.roll_back(HOME, pipeline.host, PERSON, 1)
    halfway = found(pipeline, "Carl crabs")
    pipeline.host.queue.send("reconcile.space", {"tenant": "default"}, queue="reconcile")
    pipeline.settle()

    assert done["rows_queued"] == 1
    assert "1 of 2 rows" in halfway.degraded[0]
    assert found(pipeline, "Carl crabs").degraded == ()
    assert ("words-768", "serving", 0) in states(pipeline)


def test_a_model_that_is_set_back_without_a_switch_gets_what_was_written_meanwhile(opened):
    remember(opened(OLD), "Ana works in Ulm.")
    between = opened(NEW)
    remember(between, "Carl sells crabs.")
    accepted = between.add(GUIDE)

    pipeline = opened(OLD)
    pipeline.host.queue.send("reconcile.space", {"tenant": "default"}, queue="reconcile")
    pipeline.settle()

    assert ("words-768", "serving", 0) in states(pipeline)
    assert pipeline.job(accepted).state == "done"
    assert found(pipeline, "Carl crabs").degraded == ()


def test_a_result_of_the_model_before_is_not_taken_for_the_present_one(opened):
    before = opened(OLD)
    remember(before, "Ana works in Ulm.")
    before.held = lambda message: message.task == "embed.texts"
    before.add(GUIDE)
    late = next(one for one in before.queue.waiting if one.task == "embed.texts")

    # given another model with vectors of the same length
    pipeline = opened(("other-768", 768))
    pipeline.queue.waiting.append(late)
    pipeline.host.queue.send("reconcile.space", {"tenant": "default"}, queue="reconcile")
    pipeline.settle()

    assert pipeline.rows("SELECT attempt FROM work_item WHERE task = 'embed.texts' ORDER BY id")[0] == (2,)


def test_a_generation_is_dropped_only_when_nothing_rests_on_it(opened):
    remember(opened(OLD), "Ana works in Ulm.")
    pipeline = opened(NEW)
    for generation in (1, 2):
        remember(pipeline, "Carl sells crabs.")
        with pytest.raises(StateConflict):
            generations.drop(HOME, pipeline.host, PERSON, generation)
    changed(pipeline)
    pipeline.settle()

    dropped = generations.drop(HOME, pipeline.host, PERSON, 1)

    assert dropped["dropped"] == 1
    assert {one[0] for one in states(pipeline)} == {"words-1024"}
    with pytest.raises(NotFound):
        generations.roll_back(HOME, pipeline.host, PERSON, 1)


def test_a_generation_of_a_model_that_is_not_configured_cannot_serve(opened):
    remember(opened(OLD), "Ana works in Ulm.")
    changed(opened(NEW))

    with pytest.raises(StateConflict, match="Configure its model"):
        generations.roll_back(HOME, opened(NEW).host, PERSON, 1)


@pytest.mark.parametrize("kind", ["agent", "service"])
def test_only_a_person_changes_generations(opened, kind):
    pipeline = opened(OLD)
    remember(pipeline, "Ana works in Ulm.")
    actor = Actor(kind=kind, id="x")

    for ask in (generations.switch, generations.roll_back, generations.drop):
        with pytest.raises(PersonOnly):
            ask(HOME, pipeline.host, actor, 1)
    with pytest.raises(PersonOnly):
        generations.start(HOME, pipeline.host, actor)


def test_there_is_nothing_to_embed_in_an_empty_store(opened):
    with pytest.raises(StateConflict, match="no vectors yet"):
        generations.start(HOME, opened(OLD).host, PERSON)
