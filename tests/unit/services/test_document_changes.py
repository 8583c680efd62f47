"""Changes to documents and deletions of several, through the whole pipeline in one process."""

from __future__ import annotations

from dataclasses import replace

from inference.fake_chat import FakeChat
from memory.records import DocumentChange, Idempotency, NewDocument, SearchQuery
from memory.temporal import parse_instant
from services import document_batches, document_changes, documents
from services.search import search
from tests.pipeline import HOME, PERSON, Pipeline
from tests.unit.services.test_erasure import erase
from tests.unit.services.test_extracting import by_fake

AWAY = replace(HOME, spaces=("away",))
ANN = replace(HOME, user="ann")


def found(pipeline, q, scope=HOME, **more):
    return {hit.text for hit in search(scope, pipeline.host, SearchQuery(q=q, limit=50, **more)).hits}


def change(pipeline, ref, scope=HOME, **wanted):
    pipeline.clock.advance(1)
    accepted = document_changes.change(scope, pipeline.host, ref, DocumentChange(**wanted))
    pipeline.settle()
    return accepted


def test_a_change_of_what_is_said_is_found_by_the_next_filter_without_a_new_vector(pipeline):
    ref = pipeline.add("The crane lifts 55 kg.", metadata={"team": "a"}, filepath="/old").id
    vectors = pipeline.rows("SELECT count(*) FROM vector")
    # when metadata and path change
    assert not change(pipeline, ref, metadata={"team": "b"}, filepath="/new").created
    # then chunks and facts are found by the new and not by the old
    for mode in ("documents", "memories"):
        assert found(pipeline, "crane", mode=mode, filepath="/new")
        assert not found(pipeline, "crane", mode=mode, filepath="/old")
    assert pipeline.rows("SELECT count(*) FROM vector") == vectors


def test_a_text_for_search_alone_keeps_its_chunks_and_retires_its_facts(pipeline):
    ref = pipeline.add("The crane lifts 55 kg.").id
    assert found(pipeline, "crane lifts")
    assert change(pipeline, ref, task_type="superrag").created
    assert not found(pipeline, "crane lifts")
    assert found(pipeline, "crane lifts", mode="documents")
    # and the same text sent again for facts is read again
    pipeline.add("The crane lifts 55 kg.", custom_id="c", task_type="superrag")
    assert not found(pipeline, "crane lifts")
    pipeline.add("The crane lifts 55 kg.", custom_id="c", task_type="memory")
    assert found(pipeline, "crane lifts")


def test_an_equal_text_of_another_date_is_read_again_and_one_of_the_same_is_not(pipeline):
    first, second = parse_instant("2026-05-04")[0], parse_instant("2026-06-11")[0]
    made = pipeline.add("Ann moved to Oslo yesterday.", custom_id="c", document_date=first)
    assert not pipeline.add("Ann moved to Oslo yesterday.", custom_id="c", document_date=first).created
    assert not pipeline.add("Ann moved to Oslo yesterday.", custom_id="c").created
    assert any("2026-05-03" in text for text in found(pipeline, "Oslo"))
    assert pipeline.add("Ann moved to Oslo yesterday.", custom_id="c", document_date=second).created
    assert [("2026-06-10" in text, "2026-05-03" in text) for text in found(pipeline, "Oslo")] == [(True, False)]
    assert documents.get(HOME, pipeline.host, made.id).latest_revision == 2


def test_a_language_model_is_told_the_documents_context_before_the_spaces(tmp_path):
    pipeline = Pipeline(tmp_path)
    pipeline.host = replace(pipeline.host, settings=replace(pipeline.host.settings, llm_url="http://127.0.0.1:1"))
    pipeline.write = by_fake(FakeChat())
    pipeline.add("Ann moved to Oslo.", entity_context="Ann is the captain.")
    pipeline.add("Bob moved to Rome.")
    told = [payload["messages"][0]["content"] for payload in pipeline.written]
    assert ["Ann is the captain." in one for one in told] == [True, False]


def test_a_document_says_what_it_is_about_in_its_own_opening(pipeline):
    ref = pipeline.add("# Crane\n\n```\ncode\n```\n\nThe crane lifts 55 kg. It is yellow.").id
    assert documents.get(HOME, pipeline.host, ref).summary == "The crane lifts 55 kg. It is yellow."
    change(pipeline, ref, content="The crane is gone.")
    assert documents.get(HOME, pipeline.host, ref).summary == "The crane is gone."


def test_many_are_deleted_in_several_steps_and_nothing_beside_them(pipeline, monkeypatch):
    monkeypatch.setattr(document_changes, "DELETED_TOGETHER", 3)
    for number in range(8):
        pipeline.add(f"Crane {number} lifts {number} kg.", filepath=f"/cranes/{number}")
    pipeline.add("Crane nine lifts 9 kg.", filepath="/craneship")
    pipeline.add("Crane ten lifts 10 kg.", scope=AWAY, filepath="/cranes/10")
    pipeline.add("Crane eleven lifts 11 kg.", scope=ANN, filepath="/cranes/11")
    bob = replace(HOME, user="bob")
    # when somebody else deletes the folder
    gone = document_changes.delete_all(bob, pipeline.host, PERSON, filepath="/cranes/", reason="old")
    # then what is nobody's goes, and what is hers stays
    assert (gone.deleted, gone.pending) == (8, 0)
    assert {text.partition(" lifts")[0] for text in found(pipeline, "crane")} == {"Crane nine", "Crane eleven"}
    assert {text.partition(" lifts")[0] for text in found(pipeline, "crane", AWAY)} == {"Crane ten"}
    reasons = pipeline.rows("SELECT DISTINCT reason FROM validity WHERE retired_at IS NOT NULL")
    assert reasons == [("old",)]


def test_a_document_that_goes_between_being_found_and_deleted_is_not_counted(pipeline):
    one, two = (pipeline.add(text).id for text in ("The crane is red.", "The pump is blue."))
    pipeline.queue.down = True
    asked = document_changes.delete_named(HOME, pipeline.host, PERSON, [one, two], reason=None)
    assert (asked.deleted, asked.pending) == (0, 2)
    # given that one of them is deleted before the writer comes to it
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE document SET deleted_at = 1 WHERE id = ?", (one,))
    pipeline.queue.down = False
    pipeline.queue.send("reconcile.space", {"tenant": "default"}, queue="reconcile")
    ((result,),) = pipeline.rows("SELECT result FROM request WHERE kind = 'documents.delete'")
    assert result == f'{{"ids": ["{two}"]}}'


def test_a_batch_whose_document_was_erased_is_not_answered_from_memory(pipeline):
    key = Idempotency(route="r", key="k", body_hash="h")
    new = [(HOME, NewDocument(content="The crane is red.")), (HOME, NewDocument(content="The pump is blue."))]
    first = document_batches.add_all(HOME, pipeline.host, PERSON, new, idempotency=key)
    pipeline.settle()
    again = document_batches.add_all(HOME, pipeline.host, PERSON, new, idempotency=key)
    assert [one.id for one in first] == [one.id for one in again]
    assert not any(one.created for one in again)
    erase(pipeline, "document", first[0].id)
    pipeline.settle()
    assert pipeline.rows("SELECT response, body_hash FROM idempotency") == [("{}", "")]
