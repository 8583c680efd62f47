"""The interleavings of docs/reconcile.md, each with judges that answer when the test lets them."""

import pytest

from memory.errors import Fenced
from services import jobs, reconcile
from services.writer import WriterLease
from store import candidates
from tests.reconciling import AGENT, DAY, HOME, Reconciling, vector

OSLO, BERGEN, TEA = "Ana lives in Oslo", "Ana lives in Bergen", "Ana drinks tea"
TOPIC = 1


def same_place(old, new):
    return "update" if old.startswith("Ana lives") and new.startswith("Ana lives") else "distinct"


@pytest.fixture
def writer(tmp_path):
    return Reconciling(tmp_path, same_place)


def known(writer, text=OSLO, **more):
    writer.propose(text, vector(TOPIC, own=1), **more)
    writer.answer_all()


def became(writer, text):
    (outcome,) = writer.rows("SELECT outcome, outcome_reason FROM candidate WHERE statement = ?", text)
    return outcome


def test_of_twins_pending_together_one_becomes_a_memory_and_the_other_reinforces_it(writer):
    known(writer, TEA)
    # when two equal candidates are ready before the judge of the first has answered
    writer.propose(OSLO, vector(TOPIC, own=2), run=False)
    writer.propose(OSLO, vector(TOPIC, own=2), run=False)
    writer.run()
    assert len(writer.asked) == 1
    writer.answer_all()
    assert writer.live() == [TEA, OSLO]
    assert [outcome for outcome, _ in writer.outcomes()] == ["added", "added", "reinforced"]


def test_of_two_contradictory_twins_never_both_are_current(writer):
    writer.propose(OSLO, vector(TOPIC, own=1), run=False)
    writer.propose(BERGEN, vector(TOPIC, own=2), run=False)
    writer.run()
    assert writer.live() == [OSLO]
    writer.answer_all()
    assert writer.live() == [BERGEN]


def test_a_verdict_that_a_newer_fact_has_overtaken_is_not_used(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2))
    # when an agent writes another home while the judge is asked
    writer.remember("Ana lives in Trondheim", vector(TOPIC, own=3), AGENT)
    writer.answer(-1)
    # then it is judged again, against what is known now, and was said before it
    assert became(writer, BERGEN) == (None, None)
    assert writer.asked
    writer.answer_all()
    assert writer.live() == ["Ana lives in Trondheim"]
    assert became(writer, BERGEN) == ("added", "older than what is known; kept as history")
    assert writer.rows("SELECT round FROM candidate WHERE statement = ?", BERGEN) == [(2,)]


def test_a_neighbour_forgotten_while_a_judge_runs_has_the_candidate_judged_again(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2))
    writer.ask("forget", ids=[writer.id_of(OSLO)], content=None, reason="wrong", batch=None)
    writer.answer_all()
    assert writer.outcomes()[1] == ("added", "new")
    assert writer.live() == [BERGEN]


def test_what_a_person_forgets_while_its_judge_runs_is_suppressed(writer):
    known(writer)
    writer.remember(BERGEN, vector(TOPIC, own=2))
    writer.ask("forget", ids=[writer.id_of(BERGEN)], content=None, reason="wrong", batch=None)
    writer.propose(BERGEN, vector(TOPIC, own=2), said_at=writer.clock() - DAY)
    writer.answer_all()
    assert writer.outcomes()[-1] == ("suppressed", "forgotten by a person")
    assert BERGEN not in writer.live()


def test_a_change_by_a_person_while_a_judge_runs_is_not_superseded_by_what_was_said_before(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2), said_at=writer.clock() - 1)
    writer.clock.advance(1)
    with writer.host.store.read("default") as db:
        (mine,) = candidates.by_seq(db, [1])
    writer.ask("update", id=writer.id_of(OSLO), content=None, new_content="Ana lives in Narvik", valid_from=None,
               vector=_encoded(vector(TOPIC, own=4)), metadata=None, correction=True)  # fmt: skip
    writer.answer_all()
    assert became(writer, BERGEN)[0] == "conflict"
    assert writer.live() == ["Ana lives in Narvik"]
    assert writer.rows("SELECT kind, state FROM review") == [("contradiction", "open")]
    assert mine.statement == OSLO


def _encoded(vec):
    import numpy as np

    from memory.vectors import encode_vectors

    return encode_vectors(np.frombuffer(vec, dtype="<f4")[None])


def test_an_answer_about_what_was_erased_is_ignored(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2))
    with writer.host.store.write("default") as tx:
        for table in ("judgement", "decision", "review"):
            tx.execute(f"DELETE FROM {table} WHERE candidate_seq = 2")
        tx.execute("DELETE FROM candidate WHERE seq = 2")
    writer.answer_all()
    assert writer.live() == [OSLO]
    assert writer.rows("SELECT count(*) FROM decision") == [(0,)]


def test_a_job_cancelled_while_a_judge_runs_leaves_what_is_known_as_it_is(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2))
    jobs.cancel(HOME, writer.host, AGENT, "job_1")
    writer.run()
    writer.answer_all()
    assert writer.outcomes()[1] == ("dropped", "the job was cancelled")
    assert writer.live() == [OSLO]


def test_an_older_dated_fact_that_arrives_late_becomes_history(writer):
    now = writer.clock()
    known(writer, said_at=now - 10 * DAY)
    writer.propose(BERGEN, vector(TOPIC, own=2), said_at=now - 20 * DAY)
    writer.answer_all()
    assert writer.live() == [OSLO]
    assert writer.at(now - 15 * DAY) == [BERGEN]
    assert writer.outcomes()[1] == ("added", "older than what is known; kept as history")
    # and one that was true before that, and one in between
    writer.propose("Ana lives in Kiruna", vector(TOPIC, own=3), said_at=now - 30 * DAY)
    writer.propose("Ana lives in Moss", vector(TOPIC, own=4), said_at=now - 17 * DAY)
    writer.answer_all()
    assert [writer.at(now - days * DAY) for days in (25, 19, 16, 5)] == [
        ["Ana lives in Kiruna"], [BERGEN], ["Ana lives in Moss"], [OSLO],
    ]  # fmt: skip


def test_a_slow_judge_holds_back_only_its_own_neighbourhood(writer):
    known(writer)
    writer.propose("Ben collects stamps", vector(2, own=5))
    writer.propose(BERGEN, vector(TOPIC, own=2), run=False)
    writer.propose("Ana lives in Moss", vector(TOPIC, own=3), run=False)
    writer.propose("Ben collects coins", vector(2, own=6), run=False)
    writer.run()
    # Bergen and the coins are asked about; Moss touches Bergen and waits
    assert len(writer.asked) == 2
    writer.answer(1)
    assert writer.outcomes()[-1] == ("added", "judged to be another fact")
    assert writer.outcomes()[-2] == (None, None)
    writer.answer_all()
    assert writer.live() == ["Ana lives in Moss", "Ben collects coins", "Ben collects stamps"]


def test_after_two_further_rounds_a_candidate_runs_alone_and_in_the_end_is_added_unjudged(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2), run=False)
    writer.propose("Ben collects coins", vector(2, own=6), run=False)
    writer.run()
    assert writer.outcomes()[2][0] == "added"
    known_as = writer.id_of(OSLO)
    for number in range(5):
        # when a person changes what is near before each answer
        changed = {"new_content": f"Ana lives at number {number}", "vector": _encoded(vector(TOPIC, own=10 + number))}
        old = {"id": known_as, "content": None, "valid_from": None, "metadata": None, "correction": True}
        known_as = writer.ask("update", **old, **changed)["id"]
        if number == 3:
            writer.propose("Ben collects shells", vector(2, own=7), run=False)
        writer.answer()
        if number == 3:
            assert became(writer, "Ben collects shells") == (None, None)
    assert writer.rows("SELECT outcome, outcome_reason FROM candidate WHERE statement = ?", BERGEN) == [
        ("added", "no judge could decide")
    ]
    assert writer.rows("SELECT unjudged FROM memory WHERE statement = ?", BERGEN) == [(1,)]
    assert writer.rows("SELECT kind FROM review WHERE state = 'open'") == [("unjudged",)]


def test_an_answer_that_comes_twice_counts_once(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2))
    again = writer.asked[0]
    writer.answer()
    writer.queue.waiting.append(again)
    writer.answer()
    assert writer.rows("SELECT count(*) FROM decision") == [(1,)]
    assert writer.live() == [BERGEN]


def test_a_judge_that_fails_for_good_leaves_the_fact_flagged(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2))
    while writer.asked:
        message = writer.queue.waiting.pop()
        result = {"status": "failed", "reason": "the model answered something else"}
        held = message.payload["item"], message.payload["attempt"]
        reconcile.item_done(writer.host, writer.writer, "default", *held, result)
        writer.clock.advance(5)
        writer.writer.renew()
        writer.run()
    assert writer.outcomes()[1] == ("added", "no judge could decide")
    assert writer.live() == [BERGEN, OSLO]


def test_the_answer_of_a_stopped_writer_is_refused_and_another_uses_it(writer):
    known(writer)
    writer.propose(BERGEN, vector(TOPIC, own=2))
    stopped = writer.writer
    writer.clock.advance(60)
    writer.writer = WriterLease(writer.host, "newer")
    writer.writer.renew()
    message = writer.asked[0].payload
    with pytest.raises(Fenced):
        reconcile.item_done(writer.host, stopped, "default", message["item"], message["attempt"], {"status": "failed"})
    writer.answer_all()
    assert writer.live() == [BERGEN]


def test_a_message_that_only_repeats_what_is_known_is_dropped(writer):
    known(writer)
    known(writer, TEA)
    # when search results come back as somebody's words, and then with something new
    writer.propose(f"* {OSLO}.\n* user: {TEA}.", vector(TOPIC, own=2))
    writer.propose(f"* {OSLO}.\n* Ana has a boat.", vector(TOPIC, own=3))
    writer.answer_all()
    assert writer.outcomes()[2:] == [("dropped", "repeats what is known"), ("added", "judged to be another fact")]
