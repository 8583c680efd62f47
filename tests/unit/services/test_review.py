import pytest

from memory.errors import PersonOnly, StateConflict
from services import review
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
    assert writer.rows(
        "SELECT kind FROM source WHERE memory_id = ?", writer.id_of("Ana was born in Moss")
    ) == [("episode",)]


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
