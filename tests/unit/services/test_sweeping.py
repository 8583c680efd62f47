import sqlite3
from contextlib import closing

import pytest

from memory.records import Scope
from memory.settings import Settings
from services import jobs, ledger
from services.fakes import SteppedClock, fake_host
from store import ledger as rows
from store.connection import Store

SCOPE = Scope(tenant="default")
WORKER = "background@a1"


@pytest.fixture
def host(tmp_path):
    host = fake_host(tmp_path, settings=Settings(background_slots=2), continuations={"next": lambda *parts: None})
    with host.store.write("default") as tx:
        tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
        rows.add_job(tx, id="job_1", space_id=1, kind="document", at=1)
        rows.add_items(
            tx, job_id="job_1", task="embed.texts", queue="background", payloads=[{}] * 2, continuation="next", at=1
        )
    ledger.dispatch(host, "default")
    yield host
    host.store.close()


def items(host):
    with host.store.read("default") as db:
        query = "SELECT state, attempt, failures FROM work_item ORDER BY id"
        return [tuple(row) for row in db.execute(query).fetchall()]


def sweep(host, *, working=(WORKER,), held=(), started=(), steady=True):
    facts = host.queue.facts(
        at=host.clock(),
        working={name: held for name in working},
        started={("default", *one): WORKER for one in started},
    )
    return ledger.sweep(host, facts, steady=steady)


def test_what_waits_in_its_queue_is_left_there_however_long(host):
    for _ in range(100):
        host.clock.advance(3)
        sweep(host)

    assert items(host) == [("leased", 1, 0)] * 2
    assert len(host.queue.sent) == 2


def test_what_a_live_worker_holds_is_left_to_it_however_long(host):
    held = [message.held for message in host.queue.take("background")]
    for _ in range(100):
        host.clock.advance(3)
        sweep(host, held=held, started=[(1, 1), (2, 1)])

    assert items(host) == [("leased", 1, 0)] * 2


def test_a_lost_message_is_sent_again_after_five_seconds_and_does_not_count(host):
    host.queue.flush()
    host.clock.advance(4)
    assert sweep(host).lost == 0
    host.clock.advance(2)

    swept = sweep(host)

    assert (swept.lost, swept.failed, swept.sent) == (2, 0, 2)
    assert items(host) == [("leased", 2, 0)] * 2


def test_nothing_is_lost_while_results_wait_for_the_writer(host):
    host.queue.flush()
    host.queue.send("item.done", {"tenant": "default", "item": 1, "attempt": 1}, queue="reconcile")
    host.clock.advance(60)

    assert sweep(host).lost == 0


def test_an_item_is_not_hidden_for_ever_by_a_writers_queue_that_is_never_empty(host):
    host.queue.flush()
    host.queue.send("item.done", {"tenant": "default", "item": 9, "attempt": 1}, queue="reconcile")
    host.clock.advance(119)
    assert sweep(host).lost == sweep(host, started=[(1, 1)]).failed == 0
    host.clock.advance(2)

    swept = sweep(host, started=[(1, 1)])

    assert (swept.lost, swept.failed, swept.sent) == (1, 1, 2)
    assert items(host) == [("leased", 2, 1), ("leased", 2, 0)]


def test_a_last_failure_is_told_once_a_lease_to_a_writer_whose_queue_is_never_empty(host):
    for attempt in (1, 2):
        host.queue.take("background")
        sweep(host, working=(), started=[(1, attempt), (2, attempt)])
    host.queue.flush()
    host.queue.send("reconcile.space", {"tenant": "default"}, queue="reconcile")

    def told_after(seconds):
        host.clock.advance(seconds)
        sweep(host, working=(), started=[(1, 3), (2, 3)])
        return sum(message.task == "item.done" for message in host.queue.sent)

    assert [told_after(seconds) for seconds in (60, 61, 3, 60, 61)] == [0, 2, 2, 2, 4]


def test_after_an_outage_nothing_counts_that_a_worker_may_still_have(host):
    # given one item that a worker was seen with and has marked, another whose mark is gone, and then a long outage
    held = [message.held for message in host.queue.take("background")]
    sweep(host, held=held)
    host.clock.advance(130)

    # when workers could not yet say that they live, or what they hold
    for working in ((), (WORKER,)):
        swept = sweep(host, working=working, started=[(1, 1)], steady=False)
        assert (swept.failed, swept.lost) == (0, 0)

    # then they keep it, if they say so
    sweep(host, held=held, started=[(1, 1)])
    assert items(host) == [("leased", 1, 0)] * 2


def test_after_an_outage_a_message_that_nobody_had_is_sent_again_at_once(host):
    host.queue.flush()
    host.clock.advance(6)

    assert sweep(host, working=(), steady=False).lost == 2


def test_what_a_dead_worker_had_started_is_sent_again_at_once_and_counts(host):
    host.queue.flush()
    host.clock.advance(1)

    swept = sweep(host, working=(), started=[(1, 1)])

    assert (swept.failed, swept.sent) == (1, 1)
    assert items(host) == [("leased", 2, 1), ("leased", 1, 0)]


def test_a_worker_gone_together_with_its_marks_is_found_by_where_the_item_was_last_seen(host):
    held = [message.held for message in host.queue.take("background")]
    sweep(host, held=held)
    host.clock.advance(11)

    sweep(host, working=())

    assert items(host) == [("leased", 2, 1)] * 2


def test_what_a_worker_dropped_without_a_result_counts_after_a_while(host):
    host.queue.flush()
    host.clock.advance(9)
    assert sweep(host, started=[(1, 1), (2, 1)]).failed == 0
    host.clock.advance(2)

    assert sweep(host, started=[(1, 1), (2, 1)]).failed == 2
    assert items(host) == [("leased", 2, 1)] * 2


def test_the_last_failure_is_told_to_the_writer_who_ends_the_item_under_its_fence(host):
    for attempt in (1, 2, 3):
        host.queue.take("background")
        sweep(host, working=(), started=[(1, attempt), (2, attempt)])

    assert items(host) == [("leased", 3, 2)] * 2
    sweep(host, working=(), started=[(1, 3), (2, 3)])
    told = host.queue.take("reconcile")
    assert len(told) == 2
    for message in told:
        ledger.complete(host, *message.held, message.payload["result"], token=1)
    assert [one[0] for one in items(host)] == ["failed", "failed"]
    with host.store.read("default") as db:
        assert (
            rows.first_reason(db, "job_1")
            == f"{WORKER} stopped while it worked on this; see its log, then retry the job."
        )


def test_an_unreadable_long_queue_leaves_only_the_lease_to_go_by(host):
    host.queue.flush()
    facts = host.queue.facts(working={WORKER: ()})
    long = type(facts)(**{name: getattr(facts, name) for name in facts.__slots__} | {"queued_complete": False})
    host.clock.advance(119)
    assert ledger.sweep(host, long).lost == 0
    host.clock.advance(2)

    assert ledger.sweep(host, long).lost == 2
    assert items(host) == [("leased", 2, 0)] * 2


def test_with_the_broker_down_nothing_is_judged(host):
    host.clock.advance(1000)

    assert ledger.sweep(host, None) == ledger.Swept()
    assert items(host) == [("leased", 1, 0)] * 2


def test_a_sweep_sends_what_an_outage_left_ready(host):
    ledger.complete(host, "default", 1, 1, {"status": "unavailable", "reason": "away"})
    host.clock.advance(1.5)

    assert sweep(host).sent == 1
    assert items(host)[0] == ("leased", 2, 0)


def test_every_tenant_is_swept_also_behind_one_whose_file_is_locked(tmp_path):
    clock = SteppedClock()
    store = Store(tmp_path, clock=clock, busy_seconds=0.05)
    host = fake_host(tmp_path, tenants=("acme", "default"), clock=clock, store=store)
    for tenant in ("acme", "default"):
        with host.store.write(tenant) as tx:
            tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
            rows.add_job(tx, id="job_1", space_id=1, kind="document", at=1)
            rows.add_items(
                tx, job_id="job_1", task="embed.texts", queue="background", payloads=[{}], continuation=None, at=1
            )
    with closing(sqlite3.connect(host.store.path("acme"), isolation_level=None)) as outsider:
        outsider.execute("BEGIN IMMEDIATE")
        sweep(host)
        outsider.execute("ROLLBACK")

    assert [message.payload["tenant"] for message in host.queue.sent] == ["default"]
    sweep(host)
    assert {message.payload["tenant"] for message in host.queue.sent} == {"acme", "default"}
    host.store.close()


def test_a_request_that_waits_wakes_the_writer_after_two_seconds(host):
    with host.store.write("default") as tx:
        tx.execute(
            "INSERT INTO request (id, kind, payload, actor_kind, actor_id, state, recorded_at)"
            " VALUES ('req_1', 'memory.add', '{}', 'person', 'local', 'waiting', ?)",
            (host.clock(),),
        )
    host.clock.advance(1)
    assert sweep(host).woken == 0
    host.clock.advance(2)

    assert sweep(host).woken == 1
    assert [message.task for message in host.queue.take("reconcile")] == ["reconcile.space"]


def test_waits_are_divided_by_the_time_factor(tmp_path, host):
    fast = fake_host(tmp_path, settings=Settings(time_factor=10), clock=host.clock, store=host.store)
    host.queue.flush()
    host.clock.advance(0.6)

    assert ledger.sweep(fast, fast.queue.facts(working={WORKER: ()})).lost == 2
    assert jobs.get(SCOPE, host, "job_1").state == "running"
