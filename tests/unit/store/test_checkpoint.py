import pytest

from services.fakes import SteppedClock
from store import checkpoint as module
from store.checkpoint import checkpoint
from store.connection import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path, clock=SteppedClock(), busy_seconds=1)
    store.ensure_tenant("default")
    yield store
    store.close()


def fill(store):
    with store.write("default") as tx:
        tx.execute("INSERT INTO space (name, created_at) VALUES (hex(randomblob(50000)), 1)")


def test_a_short_log_is_moved_and_kept(store):
    fill(store)

    done = checkpoint(store, "default")

    assert (done["mode"], done["complete"]) == ("passive", True)
    assert done["wal_bytes_after"] == done["wal_bytes_before"] > 0


def test_a_long_log_is_cut_off(store, monkeypatch):
    monkeypatch.setattr(module, "TRUNCATE_BYTES", 1000)
    fill(store)

    done = checkpoint(store, "default")

    assert (done["mode"], done["complete"], done["wal_bytes_after"]) == ("truncate", True, 0)


def test_a_reader_in_the_way_is_reported_and_does_not_block_for_long(store, monkeypatch):
    monkeypatch.setattr(module, "TRUNCATE_BYTES", 1000)
    monkeypatch.setattr(module, "_WAIT_MILLISECONDS", 50)
    fill(store)
    with store.read("default") as db:
        db.execute("SELECT count(*) FROM space").fetchone()
        fill(store)
        done = checkpoint(store, "default")

    assert not done["complete"]
    assert done["wal_bytes_after"] > 0
    assert checkpoint(store, "default")["wal_bytes_after"] == 0


def test_control_has_a_checkpoint_too(store):
    assert checkpoint(store, None)["complete"]
