import logging

import pytest

from services import maintenance
from services.fakes import fake_host


@pytest.fixture
def host(tmp_path):
    made = fake_host(tmp_path, tenants=("default", "other"))
    yield made
    made.store.close()


def test_a_tick_is_had_once_however_many_beats_send_it(host):
    assert maintenance.claim_tick(host, "ledger.sweep", 7)
    assert not maintenance.claim_tick(host, "ledger.sweep", 7)
    assert maintenance.claim_tick(host, "store.checkpoint", 7)
    assert maintenance.claim_tick(host, "ledger.sweep", 8)


def test_old_ticks_are_forgotten(host):
    maintenance.claim_tick(host, "ledger.sweep", 1)
    host.clock.advance(25 * 3600)
    maintenance.claim_tick(host, "ledger.sweep", 2)
    maintenance.checkpoint(host)
    with host.store.control_read() as db:
        assert [row["slot"] for row in db.execute("SELECT slot FROM tick")] == [2]


def test_a_checkpoint_reaches_every_file(host, caplog):
    with caplog.at_level(logging.WARNING):
        maintenance.checkpoint(host)
    assert caplog.messages == []


def test_a_log_that_cannot_be_moved_is_reported(host, caplog, monkeypatch):
    monkeypatch.setattr(maintenance, "WAL_ALERT_BYTES", -1)
    with caplog.at_level(logging.WARNING):
        maintenance.checkpoint(host)
    assert len(caplog.messages) == 3
