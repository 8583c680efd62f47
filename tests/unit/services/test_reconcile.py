from dataclasses import replace

import pytest

from memory.errors import Fenced, IdempotencyMismatch
from memory.recalled import fence
from memory.records import Idempotency, Message, NewDocument
from services import deciding, documents, memories, reconcile
from services.writer import WriterLease
from tests.pipeline import HOME, PERSON


def user(text, **more):
    return Message(role="user", content=text, name="Ines", **more)


def statements(pipeline):
    return sorted(one.statement for one in memories.listing(HOME, pipeline.host, limit=50).rows)


def test_every_candidate_has_an_outcome_with_a_reason(pipeline):
    pipeline.say(user("The limit is 40 kg."), user("My sister breeds sheep."))
    pipeline.say(user("The limit is 40 kg."), conversation="other")
    (gone,) = [one for one in memories.listing(HOME, pipeline.host, limit=9).rows if "sheep" in one.statement]
    memories.forget(HOME, pipeline.host, PERSON, memory_id=gone.id, reason="wrong")
    pipeline.say(user("My sister breeds sheep.", said_at=1_000_000), conversation="third")
    assert pipeline.rows("SELECT outcome, outcome_reason FROM candidate ORDER BY seq") == [
        ("added", "new"), ("added", "new"), ("reinforced", "says the same"), ("suppressed", "forgotten by a person"),
    ]  # fmt: skip
    (limit,) = memories.listing(HOME, pipeline.host, limit=9).rows
    assert (limit.support, limit.confidence > 0.7, len(limit.sources)) == (2, True, 2)


def test_what_was_said_in_one_session_is_known_in_another(pipeline):
    pipeline.say(user("My sister breeds sheep."), conversation="first")
    later = replace(HOME, session="second")
    assert [one.statement for one in memories.listing(later, pipeline.host, limit=9).rows] == [
        "My sister breeds sheep."
    ]


def test_recalled_context_that_comes_back_is_not_learned_again(pipeline):
    pipeline.say(user(fence("The limit is 99 kg.") + " My sister breeds sheep."), user("ok"))
    assert statements(pipeline) == ["My sister breeds sheep."]


def test_a_candidate_that_breaks_is_told_by_its_job_and_lets_the_others_pass(pipeline, monkeypatch):
    around = deciding.around

    def broken(tx, one, *, at):
        if "40" in one.statement:
            raise KeyError("a mistake in the program")
        return around(tx, one, at=at)

    monkeypatch.setattr(deciding, "around", broken)
    sent = pipeline.say(user("The limit is 40 kg."), user("My sister breeds sheep."))
    assert statements(pipeline) == ["My sister breeds sheep."]
    job = pipeline.job(sent)
    assert (job.state, "1 facts could not be reconciled" in job.reason) == ("partial", True)


def test_a_writer_that_lost_its_lease_commits_nothing(pipeline):
    # given a candidate that is ready, and a newer writer
    pipeline.held = lambda message: message.task in ("item.done", "reconcile.space")
    old = pipeline.writer
    pipeline.clock.advance(60)
    WriterLease(pipeline.host, "newer").renew()
    # when the old one goes on
    with pytest.raises(Fenced):
        reconcile.item_done(pipeline.host, old, "default", 1, 1, {"status": "done"})
    with pytest.raises(Fenced), pipeline.host.store.fenced("default", 1):
        raise AssertionError("the fence did not hold")


def test_a_key_that_was_used_for_an_unchanged_document_cannot_be_used_for_another(pipeline):
    pipeline.add("The valve is red.", custom_id="v")
    key = Idempotency(route="POST /v3/documents", key="k", body_hash="a")
    again = NewDocument(content="The valve is red.", custom_id="v")
    assert not documents.add(HOME, pipeline.host, PERSON, again, idempotency=key).created
    other = Idempotency(route="POST /v3/documents", key="k", body_hash="b")
    with pytest.raises(IdempotencyMismatch):
        documents.add(HOME, pipeline.host, PERSON, NewDocument(content="Another."), idempotency=other)


def test_code_that_runs_over_the_end_of_a_group_of_chunks_states_nothing(pipeline, monkeypatch):
    # given groups of one chunk, so that each begins somewhere inside the fence
    monkeypatch.setattr("services.ingest.EXTRACT_GROUP", 1)
    code = "\n".join(f"the pump number {number} of the plant is set to run" for number in range(200))
    pipeline.add(f"# Pumps\n\nThe plant has many pumps.\n\n```text\n{code}\n```\n\nThe valve of the plant is red.\n")
    # then only what stands outside of it is a fact
    assert statements(pipeline) == ["The plant has many pumps.", "The valve of the plant is red."]
