import pytest

from memory.errors import Busy, Fenced, ModelRefused
from memory.records import Actor, Scope
from memory.settings import Settings
from services import jobs, ledger
from services.fakes import RecordingQueue, SteppedClock, fake_host
from store import ledger as rows

SCOPE = Scope(tenant="default")
DONE = {"status": "done"}
FAILED = {"status": "failed", "reason": "The text is too long; split it."}
AWAY = {"status": "unavailable", "reason": "No model server could be reached."}


class Log:
    """Registers completions and continuations that leave their traces in the transaction they run in."""

    def __init__(self):
        self.refuse = None  # raised by the completion
        self.broken = None  # raised by the continuation

    def completion(self, host, tx, item, result):
        tx.execute(
            "INSERT INTO generation (model, dimension, state, created_at) VALUES (?, 1, 'retired', 1)", (item.id,)
        )
        if self.refuse:
            raise self.refuse

    def continuation(self, host, tx, job, payload):
        if self.broken:
            raise self.broken
        tx.execute("INSERT INTO space (name, created_at) VALUES (?, 1)", (f"fired {payload['name']}",))

    def ended(self, host, tx, job, payload):
        tx.execute("INSERT INTO space (name, created_at) VALUES (?, 1)", (f"ended {payload['state']}",))


@pytest.fixture
def log():
    return Log()


@pytest.fixture
def host(tmp_path, log):
    host = fake_host(
        tmp_path,
        settings=Settings(background_slots=1),
        completions={"embed.texts": log.completion},
        continuations={"next": log.continuation, "job.ended": log.ended},
        messages={"embed.texts": lambda host, item: {"texts": [f"text {item.payload['n']}"]}},
    )
    with host.store.write("default") as tx:
        tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
    yield host
    host.store.close()


def add(host, count, *, job="job_1", continuation="next", queue="background", task="embed.texts", tenant="default"):
    with host.store.write(tenant) as tx:
        if not tx.execute("SELECT 1 FROM job WHERE id = ?", (job,)).fetchone():
            rows.add_job(tx, id=job, space_id=1, kind="document", at=host.clock())
        payloads = [{"n": number} for number in range(count)]
        rows.add_items(
            tx,
            job_id=job,
            task=task,
            queue=queue,
            payloads=payloads,
            continuation=continuation,
            tally_payload={"name": job},
            at=host.clock(),
        )


def traces(host):
    with host.store.read("default") as db:
        return [row["name"] for row in db.execute("SELECT name FROM space WHERE id > 1 ORDER BY id").fetchall()]


def applied(host):
    with host.store.read("default") as db:
        return [int(row["model"]) for row in db.execute("SELECT model FROM generation ORDER BY id").fetchall()]


def states(host):
    with host.store.read("default") as db:
        return [row["state"] for row in db.execute("SELECT state FROM work_item ORDER BY id").fetchall()]


def finish(host, result=DONE, queue="background"):
    """Complete whatever waits in a queue until it stays empty."""
    while messages := host.queue.take(queue):
        for message in messages:
            ledger.complete(host, *message.held, result)


def test_at_most_two_items_a_slot_are_out_and_the_message_has_the_texts(host):
    add(host, 5)

    assert ledger.dispatch(host, "default") == 2
    assert ledger.dispatch(host, "default") == 0

    assert [message.payload for message in host.queue.sent] == [
        {"tenant": "default", "item": number, "attempt": 1, "texts": [f"text {number - 1}"]} for number in (1, 2)
    ]
    assert {message.queue for message in host.queue.sent} == {"background"}
    assert jobs.get(SCOPE, host, "job_1").state == "running"


def test_an_item_that_is_done_lets_the_next_out_and_the_last_fires_the_tally_once(host):
    add(host, 5)
    ledger.dispatch(host, "default")

    finish(host)

    assert applied(host) == [1, 2, 3, 4, 5]
    assert traces(host) == ["fired job_1"]
    assert jobs.get(SCOPE, host, "job_1").items_done == 5


def test_a_completion_counts_once_and_only_under_the_attempt_that_is_leased(host):
    add(host, 2)
    ledger.dispatch(host, "default")

    assert not ledger.complete(host, "default", 1, 2, DONE)
    assert not ledger.complete(host, "default", 99, 1, DONE)
    assert ledger.complete(host, "default", 1, 1, DONE)
    assert not ledger.complete(host, "default", 1, 1, DONE)
    assert not ledger.complete(host, "default", 1, 1, FAILED)

    assert applied(host) == [1]
    assert states(host) == ["done", "leased"]


def test_three_failures_end_an_item_and_its_tally_goes_on(host):
    add(host, 2)
    ledger.dispatch(host, "default")

    for attempt in (1, 2, 3):
        assert ledger.complete(host, "default", 1, attempt, FAILED)
    assert states(host) == ["failed", "leased"]
    ledger.complete(host, "default", 2, 1, DONE)

    job = jobs.get(SCOPE, host, "job_1")
    assert (job.items_failed, job.items_done, traces(host)) == (1, 1, ["fired job_1"])
    with host.store.read("default") as db:
        assert rows.first_reason(db, "job_1") == FAILED["reason"]


def test_an_item_without_a_tally_that_fails_ends_its_job_with_the_reason(host):
    add(host, 1, continuation=None)
    ledger.dispatch(host, "default")

    finish(host, FAILED)

    job = jobs.get(SCOPE, host, "job_1")
    assert (job.state, job.reason, job.finished_at) == ("failed", FAILED["reason"], host.clock())
    assert traces(host) == ["ended failed"]


def test_an_outage_is_waited_out_longer_each_time_and_never_counts(host):
    add(host, 1)
    waits = []
    for _ in range(8):
        ledger.dispatch(host, "default")
        (message,) = host.queue.take("background")
        assert ledger.complete(host, *message.held, AWAY)
        waited = 0
        while ledger.dispatch(host, "default") == 0:
            host.clock.advance(1)
            waited += 1
        waits.append(waited)

    assert waits == [1, 2, 4, 8, 16, 30, 30, 30]
    ledger.complete(host, "default", 1, 9, AWAY)
    assert jobs.get(SCOPE, host, "job_1").warning == AWAY["reason"]
    assert states(host) == ["ready"]


def test_a_result_that_is_refused_counts_as_a_failure_and_leaves_nothing(host, log):
    log.refuse = ModelRefused("The vectors have 3 numbers instead of 384.")
    add(host, 1)
    ledger.dispatch(host, "default")

    finish(host)

    assert applied(host) == []
    assert states(host) == ["failed"]
    with host.store.read("default") as db:
        assert rows.first_reason(db, "job_1") == "The vectors have 3 numbers instead of 384."


@pytest.mark.parametrize("error", [Busy(), Fenced()])
def test_a_locked_store_or_lost_lease_leaves_the_item_leased(host, log, error):
    log.refuse = error
    add(host, 1)
    ledger.dispatch(host, "default")

    with pytest.raises(type(error)):
        ledger.complete(host, "default", 1, 1, DONE)

    assert states(host) == ["leased"]
    log.refuse = None
    assert ledger.complete(host, "default", 1, 1, DONE)


def test_a_continuation_that_breaks_ends_the_job_instead_of_going_round_forever(host, log):
    log.broken = KeyError("x")
    add(host, 2)
    ledger.dispatch(host, "default")

    finish(host)

    job = jobs.get(SCOPE, host, "job_1")
    assert job.state == "failed"
    assert "KeyError" in job.reason


def test_a_stale_writer_completes_nothing(host):
    add(host, 1)
    ledger.dispatch(host, "default")
    with host.store.fenced("default", 8):
        pass

    with pytest.raises(Fenced):
        ledger.complete(host, "default", 1, 1, DONE, token=7)
    assert states(host) == ["leased"]
    assert ledger.complete(host, "default", 1, 1, DONE, token=8)


def test_with_the_broker_down_items_stay_ready_and_go_out_later(host):
    add(host, 3)
    host.queue.down = True

    assert ledger.dispatch(host, "default") == 0
    assert states(host) == ["ready"] * 3

    host.queue.down = False
    ledger.dispatch(host, "default")
    finish(host)
    assert applied(host) == [1, 2, 3]


def test_an_item_that_cannot_be_made_into_a_message_fails_with_a_reason(tmp_path):
    def gone(host, item):
        raise LookupError("the chunk is gone")

    host = fake_host(tmp_path, messages={"embed.texts": gone}, continuations={})
    with host.store.write("default") as tx:
        tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
    add(host, 1, continuation=None)
    ledger.dispatch(host, "default")

    while messages := host.queue.take("reconcile"):
        for message in messages:
            ledger.complete(host, *message.held, message.payload["result"])

    assert "LookupError" in jobs.get(SCOPE, host, "job_1").reason
    host.store.close()


def test_host_work_is_kept_and_settled_in_one_transaction(host):
    add(host, 1, task="document.prepare", queue="host")
    ledger.dispatch(host, "default")
    (message,) = host.queue.take("host")
    with host.store.read("default") as db:
        item = rows.leased(db, *message.held)

    with pytest.raises(ZeroDivisionError), ledger.host_commit(host, item) as tx:
        add_next(tx, host, 1 / 0)
    assert states(host) == ["leased"]
    with ledger.host_commit(host, item) as tx:
        add_next(tx, host, 1)
    with ledger.host_commit(host, item) as tx:
        assert tx is None

    assert states(host) == ["done", "leased"]
    assert traces(host) == ["fired job_1"]
    assert [message.task for message in host.queue.sent] == ["document.prepare", "embed.texts"]


def add_next(tx, host, number):
    rows.add_items(
        tx,
        job_id="job_1",
        task="embed.texts",
        queue="background",
        payloads=[{"n": number}],
        continuation="next",
        tally_payload={"name": "second"},
        at=host.clock(),
    )


def test_host_work_that_asks_the_writer_for_something_wakes_it(host):
    add(host, 1, task="document.prepare", queue="host")
    ledger.dispatch(host, "default")
    (message,) = host.queue.take("host")
    with host.store.read("default") as db:
        item = rows.leased(db, *message.held)

    with ledger.host_commit(host, item) as tx:
        ask_writer(tx)

    assert [message.payload for message in host.queue.take("reconcile")] == [{"tenant": "default"}]


def ask_writer(tx):
    tx.execute(
        "INSERT INTO request (id, kind, payload, actor_kind, actor_id, state, recorded_at)"
        " VALUES ('req_1', 'job.settle', '{}', 'pipeline', 'job_1', 'waiting', 1)"
    )


def test_items_of_dreams_go_out_when_nothing_else_is_ready(host):
    with host.store.write("default") as tx:
        rows.add_job(tx, id="job_d", space_id=1, kind="document", at=1)
        rows.add_items(
            tx,
            job_id="job_d",
            task="embed.texts",
            queue="background",
            payloads=[{"n": 0, "dream": True}],
            continuation=None,
            at=1,
        )
    add(host, 3)
    ledger.dispatch(host, "default")

    finish(host)

    assert [message.payload["item"] for message in host.queue.sent] == [2, 3, 4, 1]


def test_a_tenant_with_much_to_do_does_not_keep_another_from_its_turn(tmp_path):
    host = fake_host(tmp_path, tenants=("acme", "default"), settings=Settings(background_slots=1))
    for tenant in ("acme", "default"):
        with host.store.write(tenant) as tx:
            tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
        add(host, 10, continuation=None, tenant=tenant)

    assert ledger.dispatch(host, "acme") == 2
    assert ledger.dispatch(host, "default") == 1
    assert ledger.dispatch(host, "acme") == 0
    host.store.close()


def test_cancelling_keeps_what_is_done_says_so_and_ignores_what_comes_late(host):
    add(host, 5)
    ledger.dispatch(host, "default")
    ledger.complete(host, "default", 1, 1, DONE)

    job = jobs.cancel(SCOPE, host, Actor(kind="person", id="local"), "job_1")

    assert job.state == "cancelled"
    assert job.reason == "Cancelled by person local; 1 of 5 work items were done and are kept."
    assert not ledger.complete(host, "default", 2, 1, DONE)
    assert applied(host) == [1]
    assert ledger.dispatch(host, "default") == 0
    assert traces(host) == ["ended cancelled"]
    assert jobs.cancel(SCOPE, host, Actor(kind="person", id="local"), "job_1") == job


def test_an_ended_job_never_ends_again(host):
    add(host, 1)
    with host.store.write("default") as tx:
        assert rows.finish_job(tx, "job_1", state="done", at=5)
        assert not rows.finish_job(tx, "job_1", state="failed", reason="late", at=6)

    job = jobs.get(SCOPE, host, "job_1")
    assert (job.state, job.reason, job.finished_at) == ("done", None, 5)


def test_open_queries_use_the_index_of_open_items(host):
    with host.store.read("default") as db:
        for query in (
            "SELECT min(job_id) FROM work_item WHERE state = 'ready' AND state IN ('ready', 'leased')"
            " AND queue = 'host' AND not_before <= 1 AND (json_extract(payload, '$.dream') IS 1) = 0"
            " AND work_item.job_id > 'job_1'",
            "SELECT count(*) FROM work_item WHERE state = 'leased' AND state IN ('ready', 'leased') AND queue = 'host'",
        ):
            plan = " ".join(row["detail"] for row in db.execute(f"EXPLAIN QUERY PLAN {query}").fetchall())
            assert "work_item_open" in plan
            assert "TEMP B-TREE" not in plan


def test_a_doubled_message_does_its_work_once(tmp_path, log):
    queue = RecordingQueue(copies=lambda message: 2)
    host = fake_host(
        tmp_path,
        queue=queue,
        clock=SteppedClock(),
        completions={"embed.texts": log.completion},
        continuations={"next": log.continuation},
    )
    with host.store.write("default") as tx:
        tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
    add(host, 4)
    ledger.dispatch(host, "default")

    finish(host)

    assert applied(host) == [1, 2, 3, 4]
    assert traces(host) == ["fired job_1"]
    host.store.close()
