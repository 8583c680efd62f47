"""The last use of keys: kept beside the requests, to the minute, and never at their cost."""

import threading
import time

import pytest

from memory.errors import Busy
from services import keys
from services.fakes import fake_host
from services.uses import EVERY_MICROS, Uses


@pytest.fixture
def host(tmp_path):
    one = fake_host(tmp_path)
    yield one
    one.store.close()


def last_used(host, key_id):
    (found,) = [one for one in keys.listing(host) if one.id == key_id]
    return found.last_used_at


def test_a_use_is_written_by_itself(host):
    made = keys.create(host, label="x")
    uses = Uses(host.store, gather_seconds=0)

    uses.note(made.key.id, host.clock())

    until = time.monotonic() + 20
    while last_used(host, made.key.id) is None and time.monotonic() < until:
        time.sleep(0.01)
    assert last_used(host, made.key.id) == host.clock()


def test_a_use_within_the_minute_is_not_noted_again(host):
    made = keys.create(host, label="x")
    uses = Uses(host.store, gather_seconds=3600)
    first = host.clock()

    for at in (first, first + 1, first + EVERY_MICROS - 1):
        uses.note(made.key.id, at)
    uses.write()
    assert last_used(host, made.key.id) == first
    uses.note(made.key.id, first + EVERY_MICROS)
    uses.write()
    assert last_used(host, made.key.id) == first + EVERY_MICROS


def test_a_use_does_not_wait_for_a_store_that_is_locked_and_is_not_lost(host):
    made = keys.create(host, label="x")
    uses = Uses(host.store, gather_seconds=3600)
    held, go_on = threading.Event(), threading.Event()

    def hold():
        with host.store.control_write():
            held.set()
            go_on.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(20)
    uses.note(made.key.id, host.clock())  # were it to wait, this would not come back before the lock is let go
    with pytest.raises(Busy):
        uses.write()
    go_on.set()
    holder.join(20)

    uses.write()
    assert last_used(host, made.key.id) == host.clock()


def test_an_older_use_does_not_take_the_place_of_a_newer_one(host):
    made = keys.create(host, label="x")
    for at in (host.clock(), host.clock() - EVERY_MICROS):
        other = Uses(host.store, gather_seconds=3600)
        other.note(made.key.id, at)
        other.write()

    assert last_used(host, made.key.id) == host.clock()
