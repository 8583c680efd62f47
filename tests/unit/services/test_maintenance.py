import logging

import pytest

from memory.records import Idempotency, NewMemory, SearchQuery
from services import maintenance, memories
from services.fakes import fake_host
from services.search import search
from tests.pipeline import HOME, PERSON, Pipeline


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


def test_what_nobody_asks_for_any_more_is_forgotten_and_searches_find_the_same(tmp_path):
    pipeline = Pipeline(tmp_path)
    key = Idempotency(route="r", key="k", body_hash="a")
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Ann likes tea.")], idempotency=key)
    search(HOME, pipeline.host, SearchQuery(q="tea"))

    def counts():
        tables = ("idempotency", "request", "change")
        return [pipeline.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables]

    maintenance.checkpoint(pipeline.host)
    before = counts()
    pipeline.clock.advance(8 * 24 * 3600)
    maintenance.checkpoint(pipeline.host)
    pipeline.writer.renew()
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content="Bob likes tea.")])

    assert before[:2] == [1, 1]
    assert counts()[:2] == [0, 1]
    assert counts()[2] < 2 * before[2]
    found = search(HOME, pipeline.host, SearchQuery(q="tea")).hits
    assert {hit.text for hit in found} == {"Ann likes tea.", "Bob likes tea."}


def test_a_checkpoint_reaches_every_file(host, caplog):
    with caplog.at_level(logging.WARNING):
        maintenance.checkpoint(host)
    assert caplog.messages == []


def test_a_log_that_cannot_be_moved_is_reported(host, caplog, monkeypatch):
    monkeypatch.setattr(maintenance, "WAL_ALERT_BYTES", -1)
    with caplog.at_level(logging.WARNING):
        maintenance.checkpoint(host)
    assert len(caplog.messages) == 3
