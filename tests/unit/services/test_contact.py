import pytest

from memory.ports import BrokerFacts, Heartbeat
from services.contact import Contact

SECOND = 1_000_000


def facts(at, heard=None):
    """Return what is read at a second, with the newest heartbeat of another second, or with none."""
    beats = [
        Heartbeat(worker="host@n", pid=1, at=second * SECOND, slots=1, consuming=True, queue_wait=0.0)
        for second in (heard,)
        if second is not None
    ]
    return BrokerFacts(
        at=at * SECOND, heartbeats=tuple(beats), started={}, queued=frozenset(), queued_complete=True,
        queue_lengths={}, unacked=0,
    )  # fmt: skip


def steady(contact, readings):
    return [contact.steady(one if one is None else facts(*one)) for one in readings]


def calm(begin, end, step=3):
    return [(at, at - 1) for at in range(begin, end, step)]


def test_a_process_that_has_just_begun_waits_for_a_heartbeats_life():
    assert steady(Contact(3.0), calm(100, 116)) == [False] * 4 + [True] * 2


@pytest.mark.parametrize(
    "outage",
    [
        [],  # no tick came through
        [None],
        [(at, 115) for at in range(121, 133, 3)],  # nobody's heartbeat came through
        [(at, None) for at in range(118, 133, 3)],
    ],
    ids=["no reading", "a failed reading", "old heartbeats", "no heartbeats"],
)
def test_after_an_outage_everybody_has_a_heartbeats_life_to_say_that_he_lives(outage):
    contact = Contact(3.0)
    assert steady(contact, calm(100, 116))[-1]

    assert not any(steady(contact, outage))

    assert not any(steady(contact, calm(133, 140, 1)))
    steady(contact, calm(140, 143, 1))
    assert all(steady(contact, calm(143, 146, 1)))


def test_a_reading_that_is_a_little_late_changes_nothing():
    contact = Contact(3.0)
    steady(contact, calm(100, 116))

    assert all(steady(contact, [(119, 117), (123, 120)]))


def test_readings_that_are_far_apart_by_their_setting_are_no_gap():
    assert steady(Contact(20.0), calm(100, 160, 20)) == [False, True, True]
