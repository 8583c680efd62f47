import numpy as np
import pytest

from memory.records import Owner
from store.nearest import NearMemories
from tests.reconciling import Reconciling, vector

FLOOR = 0.5
NOBODY = Owner(user=None, agent=None)


@pytest.fixture
def writer(tmp_path):
    return Reconciling(tmp_path, lambda old, new: "distinct")


def known(writer, text, vec):
    writer.propose(text, vec)
    writer.answer_all()


def found(writer, index, vec, *, most=50):
    with writer.host.store.read("default") as db:
        near = index.nearest(
            db, "default", writer.space_id, vec, NOBODY, at=writer.clock(), floor=FLOOR, most=most
        )  # fmt: skip
    return [(one.version.statement, round(one.similarity, 5)) for one in near]


def test_what_is_near_is_the_same_whether_it_was_looked_for_before_or_not(writer):
    index, random = NearMemories(), np.random.default_rng(5)
    asked = [vector(topic, own=60 + topic) for topic in range(3)]
    # given memories that come and go between looks
    for number in range(24):
        known(writer, f"Pump {number} is here", vector(int(random.integers(3)), own=number))
        if number % 5 == 4:
            writer.ask("forget", ids=[writer.id_of(f"Pump {number - 2} is here")], content=None, reason="gone",
                       batch=None)  # fmt: skip
        # then an index that has looked before finds what a fresh one does
        for vec in asked:
            assert found(writer, index, vec) == found(writer, NearMemories(), vec)
    assert all(found(writer, index, vec) for vec in asked)


def test_looking_for_several_at_once_finds_what_looking_for_each_does(writer):
    for number in range(12):
        known(writer, f"Pump {number} is here", vector(number % 3, own=number))
    index, asked = NearMemories(), [vector(topic, own=60 + topic) for topic in (0, 1, 2, 0)]
    with writer.host.store.read("default") as db:
        index.expect(db, "default", writer.space_id, asked, floor=FLOOR)
    known(writer, "Pump 99 is here", vector(1, own=99))
    assert [found(writer, index, vec) for vec in asked] == [found(writer, NearMemories(), vec) for vec in asked]


def test_only_memories_of_the_same_user_and_agent_are_near(writer):
    known(writer, "Pump 1 is here", vector(1, own=1))
    with writer.host.store.read("default") as db:
        near = writer.host.near.nearest(
            db, "default", writer.space_id, vector(1, own=2), Owner(user="ana", agent=None), at=writer.clock(),
            floor=FLOOR, most=3,
        )  # fmt: skip
    assert near == []


def test_the_nearest_come_first_and_no_more_than_asked_for(writer):
    known(writer, "The far one", vector(1, own=1))
    known(writer, "The same one", vector(1, own=2))
    assert [text for text, _ in found(writer, NearMemories(), vector(1, own=2), most=1)] == ["The same one"]
