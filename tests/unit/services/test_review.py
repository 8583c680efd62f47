from dataclasses import replace

import pytest

from memory.errors import AlreadyKnown, PersonOnly, SecretRefused, StateConflict
from services import memories, review
from tests.pipeline import Pipeline
from tests.reconciling import AGENT, DAY, HOME, PERSON, Reconciling, vector

TOPIC = 3
BORN, NOT = "Ana was born in Oslo", "Ana was born in Bergen"


@pytest.fixture
def writer(tmp_path):
    return Reconciling(tmp_path, lambda old, new: "contradiction" if "born" in old and "born" in new else "undecided")


def disputed(writer, actor=PERSON):
    """Open a conflict; return its id."""
    writer.remember(BORN, vector(TOPIC, own=1), actor)
    writer.clock.advance(10)
    writer.propose(NOT, vector(TOPIC, own=2))
    writer.answer_all()
    (one,) = review.listing(HOME, writer.host, limit=9).rows
    return one


def resolve(writer, one, resolution, actor=PERSON, **more):
    writer.carried(lambda: review.resolve(HOME, writer.host, actor, one.id, resolution, reason="I asked her", **more))
    return review.get(HOME, writer.host, one.id)


def test_a_contradiction_of_a_confident_memory_changes_nothing_and_waits(writer):
    one = disputed(writer)
    assert (one.kind, one.statement, one.memory.statement, one.verdict) == ("contradiction", NOT, BORN, "contradiction")
    assert one.memory.is_disputed
    assert writer.live() == [BORN]
    # and what says the same again reinforces the conflict
    writer.propose(NOT, vector(TOPIC, own=2))
    assert [each.support for each in review.listing(HOME, writer.host, limit=9).rows] == [2]


@pytest.mark.parametrize(
    ("resolution", "live"),
    [("keep_incumbent", [BORN]), ("take_candidate", [NOT]), ("keep_both", [NOT, BORN])],
)
def test_a_person_decides_who_is_right(writer, resolution, live):
    done = resolve(writer, disputed(writer), resolution)
    assert (done.state, done.resolution, done.resolved_by, done.reason) == (
        "resolved", resolution, PERSON, "I asked her",
    )  # fmt: skip
    assert writer.live() == live
    assert not review.listing(HOME, writer.host, limit=9).rows


def test_an_edit_is_current_in_the_place_of_both_and_rests_on_the_source_of_the_candidate(writer):
    resolve(writer, disputed(writer), "edit", text="Ana was born in Moss")
    assert writer.live() == ["Ana was born in Moss"]
    assert writer.rows("SELECT kind FROM source WHERE memory_id = ?", writer.id_of("Ana was born in Moss")) == [
        ("episode",)
    ]


def test_the_text_of_an_edit_gives_no_secret_away(writer):
    done = resolve(writer, disputed(writer), "edit", text="Ana was born in Moss, her password: hunter2x")

    assert done.state == "resolved"
    assert writer.live() == ["Ana was born in Moss, her password: [secret removed]"]
    assert "hunter2x" not in str(writer.rows("SELECT payload FROM request"))


def test_an_edit_with_a_secret_is_refused_where_secrets_are(writer):
    one = disputed(writer)
    writer.host = replace(writer.host, settings=replace(writer.host.settings, secrets="refuse"))

    with pytest.raises(SecretRefused):
        resolve(writer, one, "edit", text="Ana was born in Moss, her password: hunter2x")
    assert review.get(HOME, writer.host, one.id).state == "open"


def test_what_a_person_decided_against_is_not_learned_again_from_an_old_source(writer):
    resolve(writer, disputed(writer), "keep_incumbent")
    writer.propose(NOT, vector(TOPIC, own=2), said_at=writer.clock() - DAY)
    writer.answer_all()
    assert writer.outcomes()[-1] == ("suppressed", "a person decided against it")


def test_only_a_person_decides_and_only_once(writer):
    one = disputed(writer)
    with pytest.raises(PersonOnly):
        review.resolve(HOME, writer.host, AGENT, one.id, "keep_both")
    resolve(writer, one, "keep_incumbent")
    with pytest.raises(StateConflict):
        writer.ask("resolve", id=one.id, resolution="keep_both", text=None, reason=None, vector=None)


def test_a_doubtful_candidate_waits_and_can_be_taken(writer):
    writer.propose("Ana may own a boat", vector(5, own=1), confidence=0.2)
    (one,) = review.listing(HOME, writer.host, limit=9, kind="low_confidence").rows
    assert writer.live() == []
    resolve(writer, one, "take_candidate")
    assert writer.live() == ["Ana may own a boat"]


@pytest.mark.parametrize(
    ("resolution", "live"),
    [
        ("keep_both", ["Ben paints", "Ben paints walls"]),
        ("take_candidate", ["Ben paints walls"]),
        ("keep_incumbent", ["Ben paints"]),
    ],
)
def test_what_no_judge_could_decide_is_flagged_until_a_person_does(writer, resolution, live):
    writer.propose("Ben paints", vector(6, own=1))
    writer.propose("Ben paints walls", vector(6, own=2))
    writer.answer_all()
    (one,) = review.listing(HOME, writer.host, limit=9, kind="unjudged").rows
    assert one.memory.is_unjudged
    resolve(writer, one, resolution)
    assert writer.live() == live
    assert writer.rows("SELECT sum(unjudged) FROM memory WHERE forgotten_at IS NULL") == [(0,)]


def test_what_an_agent_writes_against_a_confident_memory_waits_for_a_person(writer):
    writer.remember(BORN, vector(TOPIC, own=1))
    done = writer.remember("Bergen is where Ana was born", vector(TOPIC, own=2), AGENT)
    writer.run()
    writer.answer_all()
    # the rules let it pass, and the judge that followed took it out again
    assert writer.live() == [BORN]
    assert len(review.listing(HOME, writer.host, limit=9).rows) == 1
    assert (len(done["ids"]), len(done["conflicts"])) == (1, 0)


def test_what_a_user_says_again_after_it_was_forgotten_is_judged_like_anything_else(tmp_path):
    writer = Reconciling(tmp_path, lambda old, new: "update")
    writer.propose("Ana lives in Rome", vector(TOPIC, own=1))
    writer.ask("forget", ids=[writer.id_of("Ana lives in Rome")], content=None, reason="wrong", batch=None)
    writer.propose("Ana lives in Oslo", vector(TOPIC, own=2))
    writer.clock.advance(5)
    writer.propose("Ana lives in Rome", vector(TOPIC, own=1))
    writer.answer_all()
    assert writer.live() == ["Ana lives in Rome"]


def test_a_date_ahead_makes_no_old_statement_a_new_one(writer):
    writer.propose(BORN, vector(TOPIC, own=1))
    writer.propose("Ben paints", vector(6, own=1), run=False, said_at=writer.clock() + DAY)
    writer.propose("Ben paints", vector(6, own=1), run=False, said_at=writer.clock() + DAY)
    with writer.host.store.fenced("default", writer.writer.token) as tx:
        tx.execute("UPDATE candidate SET state = 'waiting' WHERE seq = 3")
    writer.run()
    writer.clock.advance(5)
    writer.ask("forget", ids=[writer.id_of("Ben paints")], content=None, reason="wrong", batch=None)
    with writer.host.store.fenced("default", writer.writer.token) as tx:
        tx.execute("UPDATE candidate SET state = 'ready' WHERE seq = 3")
    writer.run()
    assert writer.outcomes()[-1] == ("suppressed", "forgotten by a person")


def test_a_confident_fact_does_not_wait_behind_a_doubtful_one(writer):
    writer.propose("The office is in Rome", vector(8, own=1), confidence=0.2)
    writer.propose("The office is in Rome", vector(8, own=1), confidence=0.9)
    assert writer.live() == ["The office is in Rome"]
    assert not review.listing(HOME, writer.host, limit=9).rows


def test_a_chain_that_went_on_lets_its_forgotten_text_be_said_again(tmp_path):
    writer = Reconciling(tmp_path, lambda old, new: "update")
    writer.propose("Ana lives in Rome", vector(TOPIC, own=1))
    writer.clock.advance(5)
    writer.propose("Ana lives in Oslo", vector(TOPIC, own=2))
    writer.answer_all()
    writer.ask("forget", ids=[writer.id_of("Ana lives in Oslo")], content=None, reason="wrong", batch=None)
    writer.ask("undo", id=writer.id_of("Ana lives in Rome"), reason=None)
    writer.clock.advance(5)
    writer.propose("Ana lives in Oslo", vector(TOPIC, own=2))
    writer.answer_all()
    assert writer.live() == ["Ana lives in Oslo"]


def test_what_lies_between_two_known_facts_ends_the_earlier_one(tmp_path):
    writer = Reconciling(tmp_path, lambda old, new: "update" if "Paris" in old + new else "distinct")
    now = writer.clock()
    for text, days, own in (("Ana lives in Rome", 20, 1), ("Ana lives in Oslo", 5, 2), ("Ana lives in Paris", 10, 3)):
        writer.propose(text, vector(TOPIC, own=own), said_at=now - days * DAY)
        writer.answer_all()
    assert [writer.at(now - days * DAY) for days in (15, 8, 1)] == [
        ["Ana lives in Rome"], ["Ana lives in Paris"], ["Ana lives in Oslo"],
    ]  # fmt: skip


def test_what_was_judged_distinct_is_not_ended_by_a_confirmation(tmp_path):
    writer = Reconciling(tmp_path, lambda old, new: "distinct" if old.startswith("Alpha") else "undecided")
    writer.propose("Alpha paints", vector(6, own=1))
    writer.propose("Beta paints", vector(6, own=2))
    writer.answer_all()
    writer.propose("Gamma paints", vector(6, own=1))
    writer.answer_all()
    (one,) = [each for each in review.listing(HOME, writer.host, limit=9).rows if each.statement == "Gamma paints"]
    resolve(writer, one, "take_candidate")
    assert "Alpha paints" in writer.live()
    assert "Beta paints" not in writer.live()


def test_what_a_person_takes_stays_the_fact_of_whom_it_was_about(writer):
    alice = {"user": "alice"}
    writer.remember(BORN, vector(TOPIC, own=1), whose=alice)
    writer.remember("Bergen is where Ana was born", vector(TOPIC, own=2), AGENT, whose=alice, metadata={"from": "cv"})
    writer.run()
    writer.answer_all()
    (one,) = review.listing(HOME, writer.host, limit=9).rows
    writer.ask("forget", ids=[writer.id_of(BORN)], content=None, reason="wrong", batch=None, **alice)
    resolve(writer, one, "take_candidate")
    assert writer.live() == ["Bergen is where Ana was born"]
    assert writer.rows("SELECT user_id, metadata FROM memory WHERE statement LIKE 'Bergen%'") == [
        ("alice", '{"from": "cv"}')
    ]


def test_the_support_of_what_waited_goes_with_it(writer):
    one = disputed(writer)
    writer.propose(NOT, vector(TOPIC, own=2))
    resolve(writer, one, "take_candidate")
    assert writer.rows("SELECT support FROM memory WHERE statement = ?", NOT) == [(2,)]


def test_a_doubtful_fact_that_is_taken_is_compared_with_what_is_known(tmp_path):
    writer = Reconciling(tmp_path)
    writer.propose("The limit is 40 kg", vector(9, own=1))
    writer.propose("The limit is 50 kg", vector(9, own=2), confidence=0.2)
    (one,) = review.listing(HOME, writer.host, limit=9).rows
    resolve(writer, one, "take_candidate")
    assert writer.live() == ["The limit is 50 kg"]


def test_an_agent_that_repeats_itself_opens_one_conflict_and_none_after_it_was_refused(tmp_path):
    writer = Reconciling(tmp_path, lambda old, new: "contradiction")
    writer.remember(BORN, vector(TOPIC, own=1))
    for _ in range(3):
        writer.remember("Bergen is where Ana was born", vector(TOPIC, own=2), AGENT)
        writer.run()
        writer.answer_all()
    (one,) = review.listing(HOME, writer.host, limit=9).rows
    assert writer.live() == [BORN]
    resolve(writer, one, "keep_incumbent")
    with pytest.raises(StateConflict):
        writer.remember("Bergen is where Ana was born", vector(TOPIC, own=2), AGENT)


def test_what_is_live_already_is_not_kept_beside_itself(writer):
    one = disputed(writer)
    writer.remember(NOT, vector(TOPIC, own=2))
    writer.run()
    writer.answer_all()
    with pytest.raises(AlreadyKnown):
        resolve(writer, one, "keep_both")
    assert writer.live() == [NOT]


def test_documents_built_alike_leave_each_other_alone(tmp_path):
    pipeline = Pipeline(tmp_path)
    pipeline.add("The port is 80.", title="alpha", custom_id="a")
    pipeline.add("The port is 443.", title="beta", custom_id="b")
    found = memories.listing(HOME, pipeline.host, limit=9).rows
    assert sorted(one.statement for one in found) == ["The port is 443.", "The port is 80."]
