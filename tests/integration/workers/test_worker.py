from pathlib import Path

import pytest

from memory.errors import BrokerDown
from workers.broker_facts import read_facts

pytestmark = pytest.mark.timeout(60)
POOLS = pytest.mark.parametrize("pool", ["threads", "solo"])


def ran(folder):
    path = Path(folder) / "ran"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


@POOLS
def test_a_worker_that_is_off_from_the_start_takes_nothing_and_begins_when_it_is_on(
    worker, queue, client, folder, pool, until
):
    (folder / "off").touch()
    one = worker("background", pool)
    for number in range(5):
        queue.send("note", {"number": number}, queue="background")
    until(lambda: client.get("heartbeat:background@local"))
    until(lambda: client.llen("background") == 5)
    assert not one.said("consuming as")

    (folder / "off").unlink()

    until(lambda: ran(folder) == [0, 1, 2, 3, 4])
    assert one.said("consuming as background@local")
    assert read_facts(client).unacked == 0


@POOLS
def test_a_worker_that_is_switched_off_leaves_what_comes_after(worker, queue, client, folder, pool, until):
    worker("background", pool)
    queue.send("note", {"number": 0}, queue="background")
    until(lambda: ran(folder) == [0])
    assert read_facts(client).heartbeats[0].consuming

    (folder / "off").touch()
    until(lambda: not read_facts(client).heartbeats[0].consuming)
    # The blocking pop that was under way lasts up to a second and may still take a message.
    until(lambda: client.info("clients")["blocked_clients"] == 0)
    queue.send("note", {"number": 1}, queue="background")

    facts = read_facts(client)
    assert (facts.queue_lengths["background"], facts.unacked, ran(folder)) == (1, 0, [0])


@POOLS
def test_a_worker_is_back_soon_after_the_broker_and_the_sender_at_its_first_try(
    worker, queue, broker, folder, pool, until
):
    one = worker("background", pool)
    queue.send("note", {"number": 0}, queue="background")
    until(lambda: ran(folder) == [0])
    broker.kill()
    with pytest.raises(BrokerDown):
        queue.send("note", {"number": 1}, queue="background")
    until(lambda: one.said("the broker cannot be reached"))

    broker.start()
    queue.send("note", {"number": 2}, queue="background")

    until(lambda: ran(folder) == [0, 2], seconds=3.0)


@POOLS
def test_a_worker_whose_acknowledgement_was_lost_takes_work_again(worker, queue, broker, client, folder, pool, until):
    one = worker("background", pool)
    queue.send("note", {"number": 0, "seconds": 1.0}, queue="background")
    until(lambda: client.hlen("unacked") == 1)
    broker.kill()
    until(lambda: ran(folder) == [0])
    until(lambda: one.said("broker cannot be reached"))

    broker.start()
    queue.send("note", {"number": 1}, queue="background")

    until(lambda: 1 in ran(folder), seconds=5.0)


def test_a_flushed_broker_takes_new_work_at_once(worker, queue, client, folder, until):
    worker("background", "threads")
    queue.send("note", {"number": 0}, queue="background")
    until(lambda: ran(folder) == [0])

    client.flushall()
    queue.send("note", {"number": 1}, queue="background")

    until(lambda: ran(folder) == [0, 1])


def test_the_facts_tell_what_runs_what_was_started_and_what_waits(worker, queue, client, folder, until):
    worker("background", "threads")
    for item in (7, 8):
        queue.send(
            "note", {"number": item, "seconds": 4.0, "tenant": "a:b", "item": item, "attempt": 2}, queue="background"
        )

    until(lambda: read_facts(client).in_flight)

    facts = read_facts(client)
    assert facts.in_flight == {("a:b", 7, 2)}
    assert facts.started == {("a:b", 7, 2): "background@local"}
    assert facts.queued == {("a:b", 8, 2)}
    assert facts.queued_complete
    assert abs(facts.at - facts.heartbeats[0].at) < 4_000_000


def test_sigterm_lets_the_running_task_end_and_leaves_the_rest_queued(worker, queue, client, folder, until):
    one = worker("background", "threads")
    for number in range(3):
        queue.send("note", {"number": number, "seconds": 0.5}, queue="background")
    until(lambda: client.hlen("unacked") == 1)

    code = one.stop()

    facts = read_facts(client)
    assert code == 0
    assert ran(folder) == [0]
    assert (facts.queue_lengths["background"], facts.unacked, facts.heartbeats) == (2, 0, ())
