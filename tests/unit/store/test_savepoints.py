"""A part of a transaction that breaks is undone alone; what the surroundings did undoes all of it."""

import contextlib

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


def fill_the_disk(tx):
    """Let the file not grow by a page, and write more than fits."""
    tx.execute(f"PRAGMA max_page_count = {tx.execute('PRAGMA page_count').fetchone()[0]}")
    add(tx, "large" * 100_000)


def room_again(host):
    with host.store.write("default") as tx:
        tx.execute("PRAGMA max_page_count = 1000000")


def test_a_full_disk_undoes_the_transaction(host):
    def go_wrong():
        with host.store.write("default") as tx:
            add(tx, "before")
            with attempt(tx):
                fill_the_disk(tx)
            add(tx, "after")

    with pytest.raises(StoreError, match="disk is full"):
        go_wrong()
    assert names(host) == []
    room_again(host)
    with host.store.write("default") as tx:
        add(tx, "later")
    assert names(host) == ["later"]


def test_another_readers_lock_undoes_the_transaction(host):
    def go_wrong():
        with host.store.write("default") as tx:
            add(tx, "before")
            with attempt(tx):
                # What SQLite raises when a table is read and dropped at once is SQLITE_LOCKED.
                tx.execute("CREATE TABLE dropped (id)")
                tx.executemany("INSERT INTO dropped VALUES (?)", [(1,), (2,)])
                reading = tx.execute("SELECT id FROM dropped")
                reading.fetchone()
                tx.execute("DROP TABLE dropped")

    with pytest.raises(Busy):
        go_wrong()
    assert names(host) == []


@pytest.mark.parametrize("ended", ["swallowed", "ended"])
def test_nothing_is_written_once_the_transaction_is_gone(host, ended):
    def go_on(tx):
        if ended == "swallowed":
            with contextlib.suppress(StoreError):
                fill_the_disk(tx)
        if tx.in_transaction:
            tx.execute("ROLLBACK")

    def go_wrong():
        with host.store.write("default") as tx:
            go_on(tx)
            with pytest.raises(StoreError, match="ended the transaction"):
                add(tx, "alone")
            with pytest.raises(StoreError, match="ended the transaction"):
                tx.executemany("INSERT INTO space (name, created_at) VALUES (?, 1)", [("alone",)])

    with pytest.raises(StoreError, match="ended the transaction"):  # of the COMMIT
        go_wrong()
    assert names(host) == []


def test_an_error_in_the_data_undoes_its_part_alone(host):
    with host.store.write("default") as tx:
        add(tx, "before")
        with attempt(tx) as broken:
            add(tx, "lost")
            add(tx, None)

    assert "NOT NULL" in str(broken.error)
    assert names(host) == ["before"]


def test_attempts_stand_in_one_another(host):
    with host.store.write("default") as tx, attempt(tx) as outer:
        add(tx, "outer")
        with attempt(tx) as inner:
            add(tx, "inner")
            raise ZeroDivisionError

    assert (outer.error, type(inner.error)) == (None, ZeroDivisionError)
    assert names(host) == ["outer"]
