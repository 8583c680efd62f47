from dataclasses import replace

import pytest

from memory.errors import AlreadyKnown, IdempotencyMismatch, MemlaneError, NotFound, NotLive, StateConflict
from memory.records import Actor, Idempotency, Message, NewMemory, SearchQuery
from memory.temporal import LATEST, to_iso
from services import conversations, documents, handlers, memories
from services.search import search
from tests.pipeline import HOME, PERSON

AGENT = Actor(kind="agent", id="key_1")
ANN, BOB = replace(HOME, user="ann"), replace(HOME, user="bob")


def remember(pipeline, text, scope=HOME, actor=PERSON, **more):
    return memories.remember(scope, pipeline.host, actor, [NewMemory(content=text, **more)]).memories[0]


def change(pipeline, old, text, scope=HOME, **more):
    pipeline.clock.advance(1)
    return memories.update(scope, pipeline.host, PERSON, memory_id=old.id, new_content=text, **more)


def found(pipeline, q, scope=HOME, **clocks):
    return [hit.text for hit in search(scope, pipeline.host, SearchQuery(q=q, **clocks)).hits]


def test_a_change_closes_the_old_window_and_a_correction_only_retires_it(pipeline):
    before = pipeline.clock() + 1
    changed = remember(pipeline, "Ann lives in Rome.")
    corrected = remember(pipeline, "Bob lives in Bern.")
    pipeline.clock.advance(1)
    known = pipeline.clock()
    change(pipeline, changed, "Ann lives in Oslo.")
    change(pipeline, corrected, "Bob lives in Basel.", correction=True)
    # then now, then, and what was believed then
    assert set(found(pipeline, "lives")) == {"Ann lives in Oslo.", "Bob lives in Basel."}
    assert set(found(pipeline, "lives", as_of=before)) == {"Ann lives in Rome.", "Bob lives in Basel."}
    assert set(found(pipeline, "lives", as_of=known, known_at=known)) == {"Ann lives in Rome.", "Bob lives in Bern."}
    reasons = [one[0] for one in pipeline.rows("SELECT reason FROM validity WHERE reason IS NOT NULL ORDER BY reason")]
    assert reasons == ["changed", "corrected"]


def test_a_change_to_what_another_memory_says_is_refused_with_its_id(pipeline):
    one, other = remember(pipeline, "Ann likes tea."), remember(pipeline, "Ann likes rum.")
    with pytest.raises(AlreadyKnown) as refusal:
        change(pipeline, one, "ann likes RUM")
    assert refusal.value.details["id"] == other.id
    second = change(pipeline, one, "Ann likes cocoa.")
    with pytest.raises(NotLive) as refusal:
        change(pipeline, one, "Ann likes milk.")
    assert refusal.value.details["current_id"] == second.id


def test_what_one_user_is_bound_to_no_other_reads_changes_or_forgets(pipeline):
    mine = remember(pipeline, "The pin is 4417.", scope=ANN)
    # when another user tries every way to it
    tries = [
        lambda: memories.get(BOB, pipeline.host, mine.id),
        lambda: memories.history(BOB, pipeline.host, mine.id),
        lambda: memories.update(BOB, pipeline.host, PERSON, memory_id=mine.id, new_content="x"),
        lambda: memories.update(BOB, pipeline.host, PERSON, content="The pin is 4417.", new_content="x"),
        lambda: memories.forget(BOB, pipeline.host, PERSON, memory_id=mine.id),
        lambda: memories.forget(BOB, pipeline.host, PERSON, content="The pin is 4417."),
        lambda: memories.forget_matching(
            BOB, pipeline.host, PERSON, ids=[mine.id], dry_run=True, threshold=0, max_forget=9
        ),
    ]
    for attempt in tries:
        with pytest.raises(NotFound):
            attempt()
    assert found(pipeline, "pin", scope=BOB) == []
    # and when somebody who names no user changes it, then it stays Ann's
    change(pipeline, mine, "The pin is 5528.")
    assert found(pipeline, "pin", scope=BOB) == []
    assert found(pipeline, "pin", scope=ANN) == ["The pin is 5528."]


def test_a_document_of_one_user_is_no_other_users(pipeline):
    sent = pipeline.add("The pin is 4417.", scope=ANN, custom_id="pin")
    for attempt in (documents.get, documents.chunks, documents.memories_of):
        with pytest.raises(NotFound):
            attempt(BOB, pipeline.host, sent.id)
    with pytest.raises(NotFound):
        documents.delete(BOB, pipeline.host, PERSON, sent.id)
    with pytest.raises(StateConflict):
        pipeline.add("The pin is 1.", scope=BOB, custom_id="pin")
    assert documents.listing(BOB, pipeline.host, limit=5).total == 0
    assert documents.get(ANN, pipeline.host, "pin").id == sent.id


def test_nobody_writes_into_a_document_or_conversation_of_another_user(pipeline):
    pipeline.add("The vault has two locks.", custom_id="vault", scope=ANN)
    said = [Message(role="user", content="I own a red kite.")]
    conversations.append(ANN, pipeline.host, PERSON, "talk", said)
    with pytest.raises(StateConflict):
        pipeline.add("The vault has no lock.", custom_id="vault", scope=BOB)
    with pytest.raises(StateConflict):
        conversations.append(BOB, pipeline.host, PERSON, "talk", [*said, Message(role="user", content="I sold it.")])
    # a session is a run and not a person
    pipeline.add("The vault has three locks.", custom_id="vault", scope=replace(ANN, session="run-2"))
    assert documents.get(ANN, pipeline.host, "vault", content=True).content == "The vault has three locks."


def test_what_one_user_forgot_another_may_still_say(pipeline):
    gone = remember(pipeline, "The gate is shut.", scope=ANN)
    memories.forget(ANN, pipeline.host, PERSON, memory_id=gone.id, reason="wrong")
    # when an agent says it for another user, then it is that user's own fact
    other = remember(pipeline, "The gate is shut.", scope=BOB, actor=AGENT)
    assert (other.root_id, other.version) == (other.id, 1)
    # and for the first user only a person makes it known again, as a new version
    with pytest.raises(StateConflict):
        remember(pipeline, "The gate is shut.", scope=ANN, actor=AGENT)
    back = remember(pipeline, "The gate is shut.", scope=ANN)
    assert (back.root_id, back.version) == (gone.id, 2)
    assert found(pipeline, "gate", scope=ANN) == ["The gate is shut."]


def test_forgetting_has_an_actor_and_a_reason_and_restoring_keeps_the_sources(pipeline):
    pipeline.add("The valve is red.", title="Plan")
    (fact,) = memories.listing(HOME, pipeline.host, limit=5).rows
    memories.forget(HOME, pipeline.host, PERSON, memory_id=fact.id, reason="wrong")
    assert found(pipeline, "valve") == []
    assert found(pipeline, "valve", as_of=pipeline.clock() - 1) == []
    (window,) = memories.get(HOME, pipeline.host, fact.id).windows
    assert (window.reason, window.retired_by) == ("wrong", PERSON)
    # when it is restored
    restored = memories.restore(HOME, pipeline.host, PERSON, fact.id)
    assert (restored.version, restored.sources[0].kind) == (2, "document")
    assert len(found(pipeline, "valve")) == 1
    with pytest.raises(StateConflict):
        memories.restore(HOME, pipeline.host, PERSON, fact.id)


def test_a_restored_memory_does_not_rest_again_on_a_document_that_was_deleted(pipeline):
    sent = pipeline.add("The valve is red.", title="Plan")
    (fact,) = memories.listing(HOME, pipeline.host, limit=5).rows
    memories.forget(HOME, pipeline.host, PERSON, memory_id=fact.id)
    documents.delete(HOME, pipeline.host, PERSON, sent.id)
    restored = memories.restore(HOME, pipeline.host, PERSON, fact.id)
    assert [one.document_id for one in restored.sources] == [sent.id]
    assert pipeline.rows("SELECT count(*) FROM source WHERE retired_at IS NULL") == [(0,)]


def test_a_repeated_request_is_answered_as_the_first_time(pipeline):
    key = Idempotency(route="POST /v4/memories", key="k", body_hash="a")
    once = memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Tea.")], idempotency=key)
    twice = memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Tea.")], idempotency=key)
    assert [one.id for one in once.memories] == [one.id for one in twice.memories]
    assert twice.memories[0].support == 1
    with pytest.raises(IdempotencyMismatch):
        memories.remember(
            HOME, pipeline.host, PERSON, [NewMemory(content="Rum.")], idempotency=replace(key, body_hash="b")
        )


def test_a_request_that_breaks_is_refused_and_lets_the_next_one_pass(pipeline, monkeypatch):
    def broken(host, tx, tenant, asked):
        tx.execute("INSERT INTO space (name, created_at) VALUES ('half done', 1)")
        raise KeyError("a mistake in the program")

    with monkeypatch.context() as patched:
        patched.setitem(handlers.REQUESTS, "remember", broken)
        with pytest.raises(MemlaneError, match="KeyError"):
            remember(pipeline, "Ann likes tea.")
    assert pipeline.rows("SELECT name FROM space") == []
    assert remember(pipeline, "Ann likes tea.").version == 1


@pytest.mark.parametrize(
    ("error", "reason"), [(KeyError("a mistake in the program"), "KeyError"), (NotFound("It is gone."), "It is gone.")]
)
def test_a_step_of_a_job_that_breaks_ends_the_job_with_a_reason(pipeline, monkeypatch, error, reason):
    def broken(host, tx, tenant, asked):
        raise error

    monkeypatch.setitem(handlers.REQUESTS, "revision.switch", broken)
    sent = pipeline.add("The valve is red.")
    job = pipeline.job(sent)
    assert (job.state, reason in job.reason) == ("failed", True)
    document = documents.get(HOME, pipeline.host, sent.id)
    assert (document.status, document.reason) == ("failed", job.reason)


def test_what_holds_from_a_later_day_on_can_be_changed_said_again_and_forgotten_before(pipeline):
    year = 365 * 24 * 3600 * 1_000_000
    later = pipeline.clock() + 70 * year
    mistyped = remember(pipeline, "The vault opens at nine.", valid_from=later)
    assert remember(pipeline, "The vault opens at nine.", valid_from=later).id == mistyped.id
    right = change(pipeline, mistyped, "The vault opens at ten.", correction=True)
    assert found(pipeline, "vault", as_of=later + year) == ["The vault opens at ten."]
    gone = memories.forget(HOME, pipeline.host, PERSON, memory_id=right.id)
    assert gone.id == right.id
    assert found(pipeline, "vault", as_of=later + year) == []


def test_a_fact_that_a_later_change_will_end_can_be_forgotten_and_so_can_the_change(pipeline):
    later = pipeline.clock() + 1_000_000_000
    now, then = remember(pipeline, "Ann works in Rome."), remember(pipeline, "Bob works in Bern.")
    moved = change(pipeline, now, "Ann works in Milan.", valid_from=later)
    called_off = change(pipeline, then, "Bob works in Basel.", valid_from=later)
    memories.forget(HOME, pipeline.host, PERSON, memory_id=now.id)
    memories.forget(HOME, pipeline.host, PERSON, memory_id=called_off.id)
    assert found(pipeline, "works") == ["Bob works in Bern."]
    assert found(pipeline, "works", as_of=later + 1) == [moved.text]


def test_a_change_of_what_begins_at_the_end_of_time_stays_within_it(pipeline):
    old = remember(pipeline, "The last bell rings.", valid_from=LATEST)
    new = change(pipeline, old, "The last bell is silent.")
    assert [window.valid_from for window in new.windows] == [LATEST]
    assert to_iso(LATEST).startswith("9999-12-31T23:59:59.999999")


def test_a_batch_is_restored_in_whichever_space_it_was(pipeline):
    attic, every = replace(HOME, spaces=("attic",)), replace(HOME, spaces=("home", "attic"))
    made = remember(pipeline, "The attic is dry.", attic)
    gone = memories.forget_matching(
        attic, pipeline.host, PERSON, ids=[made.id], dry_run=False, threshold=0, max_forget=1
    )

    with pytest.raises(NotFound):
        memories.restore_batch(HOME, pipeline.host, PERSON, gone.batch_id)
    (restored,) = memories.restore_batch(every, pipeline.host, PERSON, gone.batch_id)

    assert (restored.statement, restored.space) == ("The attic is dry.", "attic")
