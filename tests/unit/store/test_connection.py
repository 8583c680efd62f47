import os
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from memory.errors import Busy, Fenced, InvalidInput, NotFound, StoreError
from services.fakes import SteppedClock
from store import pool
from store.connection import Store, pragmas


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path, clock=SteppedClock(), busy_seconds=0.3)
    store.ensure_tenant("default")
    yield store
    store.close()


def add_space(tx, name="default"):
    tx.execute("INSERT INTO space (name, created_at) VALUES (?, 1)", (name,))


def add_then_fail(store):
    with store.write("default") as tx:
        add_space(tx, "lost")
        raise RuntimeError


def add_twice(store):
    with store.write("default") as tx:
        add_space(tx, "a")
        add_space(tx, "a")


def spaces(store):
    with store.read("default") as db:
        return [row["name"] for row in db.execute("SELECT name FROM space ORDER BY id").fetchall()]


def modes(folder):
    return {one.relative_to(folder).as_posix(): one.stat().st_mode & 0o777 for one in (folder, *folder.rglob("*"))}


def test_nobody_but_the_owner_can_read_what_the_store_makes(tmp_path):
    before = os.umask(0o022)
    try:
        store = Store(tmp_path / "above" / "data", clock=SteppedClock())
        store.ensure_tenant("default")
        with store.write("default") as tx:
            add_space(tx)
        found = modes(tmp_path / "above" / "data")
        store.close()
    finally:
        os.umask(before)
    assert {"control.db", "control.db-wal", "control.db-shm", "tenants/default.db-wal"} <= set(found)
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}


def test_files_that_others_could_read_are_taken_from_them(store, tmp_path):
    (tmp_path / "control.db").chmod(0o644)
    (tmp_path / "control.db-wal").chmod(0o644)
    (tmp_path / "tenants" / "default.db").chmod(0o640)  # a group that was let in
    again = Store(tmp_path, clock=SteppedClock())
    again.ensure_tenant("default")
    found = modes(tmp_path)
    again.close()
    assert (found["control.db"], found["control.db-wal"]) == (0o600, 0o600)
    assert found["tenants/default.db"] == 0o640


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../up", "A", "a.b", "a\x00", "-a", "ä", "a" * 64, "a\n"])
def test_a_tenants_name_is_never_a_path(store, name):
    with pytest.raises(InvalidInput) as caught:
        store.ensure_tenant(name)
    assert caught.value.details["field"] == "tenant"
    with pytest.raises(InvalidInput), store.read(name):
        pass


def test_making_a_tenant_twice_is_making_it_once(store):
    store.ensure_tenant("acme")
    store.ensure_tenant("acme")

    assert store.tenants() == ["acme", "default"]


def test_an_unknown_tenant_is_not_made_by_reading(store):
    with pytest.raises(NotFound), store.read("nobody"):
        pass
    assert not store.path("nobody").exists()


def test_the_required_settings_hold_on_every_connection(store):
    required = {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 300, "foreign_keys": 1}
    found = []

    def look():
        for tenant in (None, "default"):
            with store.maintenance(tenant) as db:
                found.append(pragmas(db))
        with store.read("default") as db, store.control_read() as control:
            found.extend([pragmas(db), pragmas(control)])
            assert pragmas(db)["query_only"] == pragmas(control)["query_only"] == 1

    for thread in [threading.Thread(target=look) for _ in range(3)]:
        thread.start()
        thread.join()
    look()

    assert len(found) == 16
    assert all(required.items() <= one.items() for one in found)


def test_a_reader_cannot_write(store):
    with pytest.raises(StoreError), store.read("default") as db:
        add_space(db)


def test_a_write_is_kept_whole_or_not_at_all(store):
    with store.write("default") as tx:
        add_space(tx, "kept")
    with pytest.raises(RuntimeError):
        add_then_fail(store)

    assert spaces(store) == ["kept"]


def test_a_violated_constraint_stays_an_integrity_error_and_the_store_usable(store):
    with pytest.raises(sqlite3.IntegrityError):
        add_twice(store)

    with store.write("default") as tx:
        add_space(tx, "b")
    assert spaces(store) == ["b"]


def test_a_read_block_sees_one_snapshot_and_the_next_one_sees_the_commit(store):
    with store.read("default") as db:
        before = db.execute("SELECT count(*) FROM space").fetchone()[0]
        with store.write("default") as tx:
            add_space(tx)
        with store.read("default") as nested:
            assert nested.execute("SELECT count(*) FROM space").fetchone()[0] == before
    assert spaces(store) == ["default"]


def test_no_transaction_is_left_behind_by_a_read_that_fails(store):
    with pytest.raises(ZeroDivisionError), store.read("default") as db:
        1 / db.execute("SELECT 0 FROM sqlite_master").fetchone()[0]

    assert not db.in_transaction


def test_a_write_inside_a_write_of_the_same_file_is_refused_at_once(store):
    with store.write("default") as tx:
        add_space(tx)
        with pytest.raises(StoreError), store.write("default"):
            pass
        with store.control_write():
            pass
    assert spaces(store) == ["default"]


def test_a_fence_refuses_an_older_token_and_keeps_the_newest(store):
    with store.fenced("default", 5) as tx:
        add_space(tx, "five")
    with pytest.raises(Fenced) as caught, store.fenced("default", 4) as tx:
        add_space(tx, "four")
    with store.fenced("default", 5), store.control_read():
        pass

    assert spaces(store) == ["five"]
    assert caught.value.details == {"token": 4, "seen": 5}


def test_a_fenced_write_that_fails_does_not_raise_the_fence(store):
    with pytest.raises(RuntimeError), store.fenced("default", 9):
        raise RuntimeError
    with store.fenced("default", 3) as tx:
        assert tx.execute("SELECT token FROM fence").fetchone()[0] == 3


def test_reads_stay_quick_and_writes_become_busy_while_an_outsider_holds_the_lock(store):
    with closing(sqlite3.connect(store.path("default"), isolation_level=None)) as outsider:
        outsider.execute("BEGIN IMMEDIATE")
        reads = []
        for _ in range(5):  # a lock would hold up each of them, a pause of the machine some
            began = time.monotonic()
            assert spaces(store) == []
            reads.append(time.monotonic() - began)
        began = time.monotonic()
        with pytest.raises(Busy), store.write("default"):
            pass
        write_seconds = time.monotonic() - began
        outsider.execute("ROLLBACK")

    assert min(reads) < 0.2
    assert write_seconds >= 0.3
    with store.write("default") as tx:
        add_space(tx)


def test_a_write_waits_for_an_outsider_that_finishes_in_time(tmp_path):
    store = Store(tmp_path, clock=SteppedClock(), busy_seconds=5)
    store.ensure_tenant("default")
    outsider = sqlite3.connect(store.path("default"), isolation_level=None, check_same_thread=False)
    outsider.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.2, outsider.execute, ("ROLLBACK",))
    timer.start()

    with store.write("default") as tx:
        add_space(tx)

    timer.join()
    outsider.close()
    assert spaces(store) == ["default"]
    store.close()


def test_one_writer_too_many_is_busy_soon_instead_of_taking_a_thread(tmp_path):
    store = Store(tmp_path, clock=SteppedClock(), writers=1, busy_seconds=5)
    store.ensure_tenant("default")
    holds, go = threading.Event(), threading.Event()

    def hold():
        with store.write("default"):
            holds.set()
            go.wait(5)

    holder = threading.Thread(target=hold)
    holder.start()
    assert holds.wait(5)
    began = time.monotonic()
    with pytest.raises(Busy), store.write("default"):
        pass
    assert time.monotonic() - began < 5 / 2  # a turn of its own would take at least five seconds

    go.set()
    holder.join()
    with store.write("default"):
        pass
    store.close()


def test_a_full_disk_says_what_to_do_and_keeps_nothing(store):
    with store.maintenance("default") as db:
        db.execute("PRAGMA max_page_count = 1")  # rounded up to the present size
    with pytest.raises(StoreError) as caught, store.write("default") as tx:
        add_space(tx, "x" * 1_000_000)

    assert "disk is full" in caught.value.details["hint"]
    assert spaces(store) == []


def test_threads_that_write_at_once_take_turns(tmp_path):
    store = Store(tmp_path, clock=SteppedClock(), writers=8, busy_seconds=10)
    store.ensure_tenant("default")

    def work(number):
        for index in range(10):
            with store.write("default") as tx:
                add_space(tx, f"{number}-{index}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(spaces(store)) == 60
    store.close()


def test_open_files_of_a_thread_are_bounded(store, monkeypatch):
    monkeypatch.setattr(pool, "_CONNECTIONS", 3)
    names = [f"t{number}" for number in range(6)]
    for name in names:
        store.ensure_tenant(name)
        with store.write(name) as tx:
            add_space(tx)

    for name in names:
        with store.read(name) as db:
            assert db.execute("SELECT name FROM space").fetchone()[0] == "default"
    assert len(store._pool._mine()) <= 3


@pytest.mark.parametrize("lost", ["tenants/default.db", "control.db"])
@pytest.mark.parametrize("how", ["emptied", "removed"])
def test_a_file_that_was_there_is_never_made_anew(tmp_path, lost, how):
    # given a store with a tenant
    store = Store(tmp_path, clock=lambda: 1)
    store.ensure_tenant("default")
    store.close()

    # when one of its files is lost
    (tmp_path / lost).unlink()
    if how == "emptied":
        (tmp_path / lost).touch()

    # then it is refused with what to do
    with pytest.raises(StoreError, match="gone or empty; put a backup"):
        Store(tmp_path, clock=lambda: 2).ensure_tenant("default")
