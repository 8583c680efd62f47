import threading
import time

import pytest

from memory.errors import InvalidInput, NotFound, StateConflict
from memory.records import Actor, Scope
from memory.settings import Settings
from services import jobs, ledger
from services.clock import system_clock
from services.fakes import fake_host
from store import ledger as rows

SCOPE = Scope(tenant="default")
PERSON = Actor(kind="person", id="local")


@pytest.fixture
def host(tmp_path):
    host = fake_host(tmp_path, settings=Settings(max_attempts=1, background_slots=4))
    with host.store.write("default") as tx:
        for number, name in ((1, "default"), (2, "other")):
            tx.execute("INSERT INTO space (id, name, created_at) VALUES (?, ?, 1)", (number, name))
    yield host
    host.store.close()


def add(host, job_id, *, items=0, space_id=1, at=1):
    with host.store.write("default") as tx:
        rows.add_job(tx, id=job_id, space_id=space_id, kind="document", at=at)
        rows.add_items(
            tx,
            job_id=job_id,
            task="embed.texts",
            queue="background",
            payloads=[{}] * items,
            continuation="next",
            at=at,
        )


def end(host, job_id, state, reason=None):
    with host.store.write("default") as tx:
        rows.finish_job(tx, job_id, state=state, reason=reason, at=host.clock())


def test_a_job_of_another_space_is_not_found(host):
    add(host, "job_1", space_id=2)

    with pytest.raises(NotFound):
        jobs.get(SCOPE, host, "job_1")
    with pytest.raises(NotFound):
        jobs.cancel(SCOPE, host, PERSON, "job_1")
    with pytest.raises(NotFound):
        jobs.get(SCOPE, host, "job_9")
    assert jobs.get(Scope(tenant="default", spaces=("default", "other")), host, "job_1").space == "other"


def test_a_listing_is_newest_first_and_stable_while_jobs_are_added(host):
    for number in range(5):
        add(host, f"job_{number}", at=10 + number // 2)
    add(host, "job_x", space_id=2)

    first = jobs.listing(SCOPE, host, limit=2)
    add(host, "job_late", at=99)
    second = jobs.listing(SCOPE, host, limit=2, cursor=first.next_cursor)
    third = jobs.listing(SCOPE, host, limit=2, cursor=second.next_cursor)

    ids = [job.id for page in (first, second, third) for job in page.rows]
    assert ids == ["job_4", "job_3", "job_2", "job_1", "job_0"]
    assert (first.total, third.next_cursor) == (5, None)
    assert [job.id for job in jobs.listing(SCOPE, host, limit=2, page=2).rows] == ["job_3", "job_2"]


def test_a_listing_can_be_of_one_state(host):
    add(host, "job_1")
    add(host, "job_2")
    end(host, "job_2", "done")

    page = jobs.listing(SCOPE, host, limit=10, state="done")

    assert ([job.id for job in page.rows], page.total) == (["job_2"], 1)


def test_a_cursor_that_is_not_ours_is_refused(host):
    with pytest.raises(InvalidInput):
        jobs.listing(SCOPE, host, limit=2, cursor="nonsense!")


def fail_some(host):
    """Leave job_1 partial: item 1 failed, item 2 done."""
    fired = []
    host.continuations["next"] = lambda host, tx, job, payload: fired.append(job.id)
    add(host, "job_1", items=2)
    ledger.dispatch(host, "default")
    ledger.complete(host, "default", 1, 1, {"status": "failed", "reason": "no"})
    ledger.complete(host, "default", 2, 1, {"status": "done"})
    end(host, "job_1", "partial", "1 of 2 failed")
    return fired


def test_a_retry_does_only_the_failed_items_again_and_fires_their_tally(host):
    fired = fail_some(host)
    assert fired == ["job_1"]

    job = jobs.retry(SCOPE, host, PERSON, "job_1")

    assert (job.state, job.reason, job.finished_at, job.items_failed) == ("running", None, None, 0)
    assert host.queue.sent[-1].held == ("default", 1, 2)
    ledger.complete(host, "default", 1, 2, {"status": "done"})
    assert fired == ["job_1", "job_1"]
    assert jobs.get(SCOPE, host, "job_1").items_done == 2


def test_a_retry_takes_up_what_was_cancelled_when_the_job_failed(host):
    fired = []
    host.continuations["next"] = lambda host, tx, job, payload: fired.append(job.id)
    add(host, "job_1", items=3)
    ledger.dispatch(host, "default")
    ledger.complete(host, "default", 1, 1, {"status": "done"})
    end(host, "job_1", "failed", "stopped half-way")

    jobs.retry(SCOPE, host, PERSON, "job_1")
    for item in (2, 3):
        ledger.complete(host, "default", item, 2, {"status": "done"})

    assert fired == ["job_1"]


@pytest.mark.parametrize("state", ["done", "cancelled", None])
def test_only_a_job_that_failed_can_be_retried(host, state):
    add(host, "job_1", items=1)
    if state:
        end(host, "job_1", state)

    with pytest.raises(StateConflict):
        jobs.retry(SCOPE, host, PERSON, "job_1")


def test_a_retry_with_nothing_to_do_is_refused_and_changes_nothing(host):
    add(host, "job_1")
    end(host, "job_1", "failed", "no items were made")

    with pytest.raises(StateConflict):
        jobs.retry(SCOPE, host, PERSON, "job_1")
    assert jobs.get(SCOPE, host, "job_1").state == "failed"


def test_a_job_that_failed_before_it_had_items_is_begun_again_by_its_continuation(host):
    def begin(host, tx, job, payload):
        rows.add_items(tx, job_id=job.id, task="document.prepare", queue="host", payloads=[{}], continuation=None, at=1)

    host.continuations["job.retried"] = begin
    add(host, "job_1")
    end(host, "job_1", "failed", "no items were made")

    assert jobs.retry(SCOPE, host, PERSON, "job_1").items_total == 1
    assert host.queue.sent[-1].task == "document.prepare"


@pytest.mark.parametrize("state", ["done", "partial", "failed"])
def test_a_job_that_has_ended_cannot_be_cancelled(host, state):
    add(host, "job_1")
    end(host, "job_1", state)

    with pytest.raises(StateConflict):
        jobs.cancel(SCOPE, host, PERSON, "job_1")


def test_waiting_ends_with_the_job_or_with_the_time(tmp_path):
    host = fake_host(tmp_path, clock=system_clock)
    with host.store.write("default") as tx:
        tx.execute("INSERT INTO space (id, name, created_at) VALUES (1, 'default', 1)")
    add(host, "job_1")
    assert jobs.wait(SCOPE, host, "job_1", seconds=0.05).state == "queued"

    timer = threading.Timer(0.1, end, (host, "job_1", "done"))
    began = time.monotonic()
    timer.start()
    assert jobs.wait(SCOPE, host, "job_1", seconds=10).state == "done"
    assert time.monotonic() - began < 5
    timer.join()
    host.store.close()
