import pytest

from services.fakes import SteppedClock
from store import lease
from store.connection import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path, clock=SteppedClock())
    yield store
    store.close()


def acquire(store, holder, now, *, life=10, floor=0):
    with store.control_write() as tx:
        return lease.acquire(tx, name="w", holder=holder, now=now, until=now + life, floor=floor)


def renew(store, holder, token, until):
    with store.control_write() as tx:
        return lease.renew(tx, name="w", holder=holder, token=token, until=until)


def test_one_of_two_holders_has_the_lease(store):
    assert acquire(store, "a", 0) == 1
    assert acquire(store, "b", 9) is None


def test_a_lease_that_ran_out_goes_to_the_next_with_a_higher_token(store):
    acquire(store, "a", 0)

    assert acquire(store, "b", 10) == 2
    assert not renew(store, "a", 1, 100)
    assert acquire(store, "a", 15) is None


def test_a_renewed_lease_is_kept(store):
    acquire(store, "a", 0)

    assert renew(store, "a", 1, 50)
    assert acquire(store, "b", 49) is None


def test_a_released_lease_is_free_at_once_and_its_token_is_not_given_again(store):
    acquire(store, "a", 0)
    with store.control_write() as tx:
        lease.release(tx, name="w", holder="a", token=1)

    assert acquire(store, "b", 1) == 2


def test_releasing_a_lease_that_was_lost_changes_nothing(store):
    acquire(store, "a", 0)
    acquire(store, "b", 10)
    with store.control_write() as tx:
        lease.release(tx, name="w", holder="a", token=1)

    assert acquire(store, "c", 11) is None


def test_tokens_go_on_from_the_highest_seen_anywhere(store):
    assert acquire(store, "a", 0, floor=41) == 42
