import time

import pytest

from memory.fleet import FleetNode
from memory.ports import FleetSight, Heartbeat
from memory.records import Accepted, Scope
from memory.settings import Settings
from services import ledger
from services.fakes import RecordingQueue, fake_host
from store import ledger as ledger_rows
from store import spaces


def beat(worker, *, slots=1, consuming=True):
    return Heartbeat(worker=worker, pid=1, at=0, slots=slots, consuming=consuming, queue_wait=0.0)


def seen(*beats):
    def look(*, fresh=False):
        return FleetSight(at=0, nodes=(FleetNode(name="a1"),), broker=True, heartbeats=beats)

    return look


def host_with(folder, items, **parts):
    settings = Settings(data_dir=str(folder), background_slots=1)
    host = fake_host(folder, settings=settings, continuations={"next": lambda *_: None}, **parts)
    with host.store.write("default") as tx:
        space = spaces.ensure(Scope(tenant="default", spaces=("home",)), tx, at=1)
        assert space == 1
    add_job(host, "job_1", items)
    return host


def test_twice_the_slots_of_the_workers_that_take_work_are_out(tmp_path):
    look = seen(beat("background@a1", slots=3), beat("background@b1"), beat("background@b2", consuming=False))
    host = host_with(tmp_path, 20, sight=look)

    assert ledger.dispatch(host, "default") == 8


def test_the_slots_of_one_node_count_while_no_worker_is_known(tmp_path):
    assert ledger.dispatch(host_with(tmp_path, 20, sight=seen(beat("interactive@a1", slots=9))), "default") == 2


def test_jobs_take_turns_and_a_short_one_does_not_wait_for_a_long_one(tmp_path):
    host = host_with(tmp_path, 20, sight=seen(beat("background@a1", slots=2)))
    ledger.dispatch(host, "default")
    sent = [one.held for one in host.queue.take("background")]
    add_job(host, "job_2", 3)
    add_job(host, "job_3", 1)

    order = []
    for _ in range(6):
        assert ledger.complete(host, "default", *sent.pop(0)[1:], {"status": "done"})
        (following,) = host.queue.take("background")
        sent.append(following.held)
        order.append(job_of(host, following))

    # Four places: whoever has the fewest out is next, of equal ones the oldest.
    assert order == ["job_2", "job_3", "job_1", "job_1", "job_2", "job_2"]


def add_job(host, name, items):
    with host.store.write("default") as tx:
        ledger_rows.add_job(tx, id=name, space_id=1, kind="document", at=1)
        ledger_rows.add_items(
            tx, job_id=name, task="embed.texts", queue="background", payloads=[{}] * items, continuation="next", at=1
        )


def job_of(host, message):
    with host.store.read("default") as db:
        query = "SELECT job_id FROM work_item WHERE id = ?"
        return db.execute(query, (message.payload["item"],)).fetchone()["job_id"]


def test_a_result_makes_room_for_the_next_item_in_its_own_commit(tmp_path):
    host = host_with(tmp_path, 20)
    ledger.dispatch(host, "default")
    first = host.queue.take("background")[0]
    commits = counted_commits(host)

    assert ledger.complete(host, "default", *first.held[1:], {"status": "done"})

    assert len(commits) == 1
    assert len(host.queue.take("background")) == 1
    assert not ledger.complete(host, "default", *first.held[1:], {"status": "done"})
    assert host.queue.take("background") == []


def counted_commits(host):
    seen = []
    with host.store.write("default") as tx:
        tx.set_trace_callback(lambda statement: seen.append(statement) if statement == "COMMIT" else None)
    seen.clear()
    return seen


def test_what_waits_does_not_slow_what_is_sent(tmp_path):
    """Twenty times as many items in the same run cost the same."""
    few, many = (host_with(tmp_path / name, items) for name, items in (("few", 1_000), ("many", 20_000)))

    assert fastest_completion(many) < 3 * fastest_completion(few) + 0.001


def fastest_completion(host):
    ledger.dispatch(host, "default")
    times = []
    for _ in range(40):
        held = host.queue.waiting.pop(0).held
        began = time.thread_time()
        assert ledger.complete(host, "default", *held[1:], {"status": "done"})
        times.append(time.thread_time() - began)
    return min(times)


ACCEPTED = Accepted(id="doc_1", status="queued", job_id="job_1")
DOWN = "The queue cannot be reached"


def accepting(folder, *workers, seen_workers=None):
    queue = RecordingQueue()
    look = seen(*map(beat, workers if seen_workers is None else seen_workers))
    return host_with(folder, 1, sight=look, queue=queue, facts=lambda: queue.facts(working=dict.fromkeys(workers, ())))


@pytest.mark.parametrize(
    ("workers", "named"),
    [
        (["host@local", "reconcile@local"], "queue background"),
        (["host@local", "background@b1"], "queue reconcile"),
        (["background@b1", "reconcile@local"], "queue host"),
        (["interactive@a1"], "queues host, background, reconcile"),
    ],
)
def test_what_nobody_works_on_is_accepted_with_a_warning_that_names_the_queue(tmp_path, workers, named):
    host = accepting(tmp_path, *workers)

    warning = ledger.send_accepted(host, "default", ACCEPTED).warning

    assert warning.startswith(f"Nothing consumes the {named} now")
    assert "memlane nodes list" in warning


@pytest.mark.parametrize("seen_workers", [None, (), ("background@b1",)])
def test_what_somebody_works_on_is_accepted_without_a_warning(tmp_path, seen_workers):
    host = accepting(tmp_path, "host@other", "background@b1", "reconcile@other", seen_workers=seen_workers)

    assert ledger.send_accepted(host, "default", ACCEPTED).warning is None


def test_workers_that_are_seen_cost_no_question_to_the_broker(tmp_path):
    look = seen(beat("host@local"), beat("background@b1"), beat("reconcile@local"))
    host = host_with(tmp_path, 1, sight=look)

    assert ledger.send_accepted(host, "default", ACCEPTED).warning is None


def test_a_broker_that_is_down_has_its_own_warning(tmp_path):
    host = host_with(tmp_path, 1, sight=seen(), queue=RecordingQueue(down=True))

    assert ledger.send_accepted(host, "default", ACCEPTED).warning.startswith(DOWN)
