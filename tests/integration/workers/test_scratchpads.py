"""Scratchpads in the real broker and in the stand-in: kept for a while, bounded, apart from one another."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from redis.client import Pipeline

from memory.errors import BrokerDown, TooLarge
from memory.records import Scope
from memory.scratchpad import Note, noted
from services.fakes import KeptScratchpads
from workers.scratchpads import RedisScratchpads
from workers.transport import connect

OWN = Scope(tenant="default", spaces=("home",), session="s1")
FOREIGN = [
    replace(OWN, session="s2"), replace(OWN, spaces=("work",)), replace(OWN, user="ann"), replace(OWN, agent="a"),
    replace(OWN, tenant="default:x"), replace(OWN, tenant="other"),
]  # fmt: skip


@pytest.fixture(params=["fake", "real"])
def pads(request):
    return KeptScratchpads() if request.param == "fake" else RedisScratchpads(request.getfixturevalue("client"))


def write(pads, scope, text, *, append=True, at=1, keep_seconds=60.0, most=100, most_chars=1000):
    def change(notes):
        return noted(notes, text, at=at, append=append, most_chars=most_chars)

    return pads.write(scope, change, keep_seconds=keep_seconds, most=most)


def texts(pads, scope):
    return [note.text for note in pads.read(scope).notes]


def test_notes_are_added_and_replaced_in_order(pads):
    assert pads.read(OWN).notes == ()
    assert pads.read(OWN).seconds_left is None

    write(pads, OWN, "first\nline")
    written = write(pads, OWN, "咖啡 👩‍👧", at=2)
    assert written.notes == pads.read(OWN).notes == (Note(text="first\nline", at=1), Note(text="咖啡 👩‍👧", at=2))
    assert 0 < pads.read(OWN).seconds_left <= 60

    write(pads, OWN, "only", append=False)
    assert texts(pads, OWN) == ["only"]
    assert write(pads, OWN, "", append=False).seconds_left is None
    assert texts(pads, OWN) == []


@pytest.mark.parametrize("other", FOREIGN, ids=str)
def test_no_scratchpad_is_anothers(pads, other):
    write(pads, OWN, "mine")

    assert texts(pads, other) == []
    write(pads, other, "theirs", append=False)
    assert texts(pads, OWN) == ["mine"]


def test_a_write_that_is_refused_keeps_what_is_there(pads):
    write(pads, OWN, "first")

    with pytest.raises(TooLarge):
        write(pads, OWN, "x" * 100, most_chars=50)
    assert texts(pads, OWN) == ["first"]


def test_a_tenant_has_so_many_and_those_that_are_there_can_still_be_written(pads):
    for number in range(3):
        write(pads, replace(OWN, session=f"s{number}"), "note", most=3)

    with pytest.raises(TooLarge, match="3 scratchpads"):
        write(pads, replace(OWN, session="s3"), "note", most=3)
    write(pads, replace(OWN, tenant="other", session="s3"), "note", most=3)
    write(pads, replace(OWN, session="s0"), "more", most=3)
    write(pads, replace(OWN, session="s1"), "", append=False, most=3)
    write(pads, replace(OWN, session="s3"), "note", most=3)


def test_all_of_a_tenant_are_removed_and_no_other(pads):
    for scope in (OWN, replace(OWN, session="s2"), replace(OWN, tenant="other"), replace(OWN, tenant="default:x")):
        write(pads, scope, "note")

    assert pads.clear("default") == 2
    assert texts(pads, OWN) == []
    assert texts(pads, replace(OWN, tenant="other")) == texts(pads, replace(OWN, tenant="default:x")) == ["note"]
    write(pads, OWN, "again", most=1)


def test_a_scratchpad_goes_by_itself_and_makes_room(client, until):
    pads = RedisScratchpads(client)
    write(pads, OWN, "brief", keep_seconds=0.05, most=1)

    until(lambda: texts(pads, OWN) == [])
    write(pads, replace(OWN, session="s2"), "next", most=1)
    write(pads, replace(OWN, session="s2"), "longer", keep_seconds=60, most=1)
    assert pads.read(replace(OWN, session="s2")).seconds_left > 50


def test_writers_at_the_same_time_lose_nothing(client):
    pads = RedisScratchpads(client)
    threads = [threading.Thread(target=write, args=(pads, OWN, f"note {n}")) for n in range(20)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert sorted(texts(pads, OWN)) == sorted(f"note {n}" for n in range(20))


def test_no_key_says_whose_it_is_and_a_flush_costs_only_the_notes(client):
    pads = RedisScratchpads(client)
    write(pads, replace(OWN, session="Ada's diary", user="ada"), "note")

    assert not [key for key in client.scan_iter() if b"Ada" in key or b"ada" in key]
    client.flushall()
    assert texts(pads, replace(OWN, session="Ada's diary", user="ada")) == []


def test_a_broker_that_is_away_is_told(tmp_path, settings):
    away = RedisScratchpads(connect(replace(settings, redis_url=f"unix://{tmp_path}/none.sock")))
    for refused in (lambda: away.read(OWN), lambda: write(away, OWN, "note"), lambda: away.clear("default")):
        with pytest.raises(BrokerDown):
            refused()


def test_two_at_the_same_time_are_not_both_the_last_one(client, monkeypatch):
    # Both have counted before either is kept.
    counted, multi, waited = threading.Barrier(2, timeout=10), Pipeline.multi, threading.local()

    def multi_together(pipe):
        if not getattr(waited, "once", False):
            waited.once = True
            counted.wait()
        multi(pipe)

    def attempt(session):
        try:
            write(pads, replace(OWN, session=session), "note", most=1)
        except TooLarge:
            return "refused"
        return "kept"

    pads = RedisScratchpads(client)
    monkeypatch.setattr(Pipeline, "multi", multi_together)
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(attempt, ("s1", "s2"))) == ["kept", "refused"]
