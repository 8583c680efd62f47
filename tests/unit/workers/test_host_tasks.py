"""What the thin tasks add to the services they call."""

import pytest
from celery.exceptions import Reject

from memory.settings import Settings
from services.fakes import fake_host
from services.writer import WriterLease
from workers import host_tasks
from workers.app import make_app


@pytest.fixture
def host(tmp_path):
    made = fake_host(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def tasks(host, tmp_path):
    app = make_app(Settings(data_dir=str(tmp_path)))
    host_tasks.register_reconcile(app, host, WriterLease(host, "w"))
    return app.tasks


def test_without_the_lease_a_message_goes_back_to_the_queue(tasks):
    with pytest.raises(Reject) as refused:
        tasks["item.done"](tenant="default", item=1, attempt=1, result={"status": "done"})
    assert refused.value.requeue


def test_ticks_are_taken_by_slot_and_a_broker_that_is_away_is_no_error(host, tmp_path):
    app = make_app(Settings(data_dir=str(tmp_path)))
    host_tasks.register_host(app, host, None)

    for slot in (1, 1, 2):
        app.tasks["ledger.sweep"](slot=slot)
    app.tasks["store.checkpoint"](slot=1)
    app.tasks["node.watch"](slot=1)

    with host.store.control_read() as db:
        ticks = [tuple(row) for row in db.execute("SELECT name, slot FROM tick ORDER BY name, slot")]
    assert ticks == [("ledger.sweep", 1), ("ledger.sweep", 2), ("node.watch", 1), ("store.checkpoint", 1)]


def test_two_beats_make_the_fleet_be_told_once(host, tmp_path):
    app = make_app(Settings(data_dir=str(tmp_path)))
    host_tasks.register_host(app, host, None)

    app.tasks["node.watch"](slot=7)
    told, host.fleet.texts = host.fleet.texts, {}
    app.tasks["node.watch"](slot=7)

    assert set(told) == {"paused", "inventory"}
    assert host.fleet.texts == {}
