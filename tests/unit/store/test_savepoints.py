"""A part of a transaction that breaks is undone alone; what the surroundings did undoes all of it."""

import pytest

from memory.errors import Busy, StoreError
from services.fakes import fake_host
from store.savepoints import attempt


@pytest.fixture
def host(tmp_path):
    one = fake_host(tmp_path)
    one.store.ensure_tenant("default")
    yield one
    one.store.close()


def add(tx, name):
    tx.execute("INSERT INTO space (name, created_at) VALUES (?, 1)", (name,))


def names(host):
    with host.store.read("default") as db:
        return [row["name"] for row in db.execute("SELECT name FROM space ORDER BY id").fetchall()]


def test_what_breaks_leaves_nothing_and_what_is_around_it_stays(host):
    with host.store.write("default") as tx:
        add(tx, "before")
        with attempt(tx) as broken:
            add(tx, "lost")
            raise ZeroDivisionError
        with attempt(tx) as whole:
            add(tx, "kept")
        add(tx, "after")

    assert (type(broken.error), whole.error) == (ZeroDivisionError, None)
    assert names(host) == ["before", "kept", "after"]


@pytest.mark.parametrize("error", [StoreError, Busy])
def test_the_surroundings_fault_undoes_the_transaction(host, error):
    def go_wrong():
        with host.store.write("default") as tx:
            add(tx, "before")
            with attempt(tx):
                add(tx, "lost")
                raise error

    with pytest.raises(error):
        go_wrong()
    assert names(host) == []


def test_attempts_stand_in_one_another(host):
    with host.store.write("default") as tx, attempt(tx) as outer:
        add(tx, "outer")
        with attempt(tx) as inner:
            add(tx, "inner")
            raise ZeroDivisionError

    assert (outer.error, type(inner.error)) == (None, ZeroDivisionError)
    assert names(host) == ["outer"]
