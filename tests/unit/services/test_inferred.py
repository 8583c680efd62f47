"""What was derived from other memories waits for a person, who approves or declines it and may take that back."""

import pytest

from memory.errors import NotFound, PersonOnly, StateConflict
from memory.records import Actor, NewMemory, Owner
from services import inferred, memories
from store import inferred as flags
from store import reviews
from store.reviews import NewReview
from tests.pipeline import HOME, PERSON


@pytest.fixture
def waiting(pipeline):
    """A memory as whatever infers one leaves it: flagged, and on the review list."""
    (one,) = memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Ann is a sailor.")]).memories
    with pipeline.host.store.write("default") as tx:
        space_id = tx.execute("SELECT space_id FROM memory").fetchone()["space_id"]
        flags.flag(tx, one.id)
        new = NewReview(id="con_1", space_id=space_id, owner=Owner(), kind="inferred", memory_id=one.id)
        reviews.open_review(tx, new, at=pipeline.clock())
    return one.id


def decide(pipeline, memory_id, action, actor=PERSON):
    return inferred.decide(HOME, pipeline.host, actor, memory_id, action)


def listed(pipeline):
    return [one.memory_id for one in inferred.listing(HOME, pipeline.host, limit=10).rows]


def test_what_waits_is_listed_until_it_is_approved(pipeline, waiting):
    assert listed(pipeline) == [waiting]

    done = decide(pipeline, waiting, "approve")

    assert (done.status, done.memory.is_inferred, done.memory.is_forgotten) == ("approved", False, False)
    assert listed(pipeline) == []


def test_what_is_declined_is_forgotten(pipeline, waiting):
    done = decide(pipeline, waiting, "decline")

    assert (done.status, done.memory.is_forgotten) == ("declined", True)
    assert memories.listing(HOME, pipeline.host, limit=10).rows == ()


@pytest.mark.parametrize("action", ["approve", "decline"])
def test_either_is_taken_back_and_can_be_decided_anew(pipeline, waiting, action):
    decide(pipeline, waiting, action)

    back = decide(pipeline, waiting, "undo")

    assert (back.status, back.memory.is_inferred, back.memory.is_forgotten) == ("pending", True, False)
    assert listed(pipeline) == [back.memory.id]
    assert (back.memory.id == waiting) == (action == "approve")
    assert decide(pipeline, back.memory.id, "approve").status == "approved"


def test_what_cannot_be_decided_is_refused(pipeline, waiting):
    with pytest.raises(PersonOnly):
        decide(pipeline, waiting, "approve", Actor(kind="agent", id="key_1"))
    with pytest.raises(StateConflict):
        decide(pipeline, waiting, "undo")
    with pytest.raises(NotFound):
        decide(pipeline, "mem_none", "approve")
    decide(pipeline, waiting, "approve")
    with pytest.raises(StateConflict):
        decide(pipeline, waiting, "decline")
    (other,) = memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Bob plays chess.")]).memories
    with pytest.raises(NotFound):
        decide(pipeline, other.id, "approve")
