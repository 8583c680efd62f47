"""Canaries between a real agent and real workers; the waits are divided by 45, so that a stall shows after 2 s."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory.fleet import FleetNode
from memory.inventory import INVENTORY_KEY, encode
from nodeagent.marks import canary_queue, decode_mark, mark_key

ROOT = Path(__file__).parents[3]


@pytest.fixture
def mark(broker):
    def read(worker):
        text = broker.client.get(mark_key(worker))
        return None if text is None else decode_mark(text)

    return read


@pytest.fixture
def worker(broker, folder, mark, until):
    broker.client.set(INVENTORY_KEY, encode([FleetNode(name="n1")]))
    started = []

    def start(name, kind):
        environ = {**os.environ, "REDIS_URL": broker.url, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
        script = Path(__file__).with_name("canary_worker.py")
        with (folder / f"{name}-{time.monotonic_ns()}.log").open("wb") as log:
            one = subprocess.Popen([sys.executable, str(script), name, kind], env=environ, stdout=log, stderr=log)
        started.append(one)
        until(lambda: (found := mark(name)) and found.pid == one.pid)
        return one

    yield start
    for one in started:
        if one.poll() is None:
            one.kill()
        one.wait()


def test_canaries_of_both_lanes_come_back(worker, agent, mark, until, broker):
    worker("interactive@n1", "well")
    worker("background@n1", "well")
    agent("--node", "n1", MEMLANE_TIME_FACTOR="45")
    until(lambda: mark("interactive@n1").number >= 2 and mark("background@n1").number >= 2)
    assert broker.report("n1").problems == ()


def test_a_worker_that_beats_and_takes_nothing_is_killed_and_its_neighbour_is_not(worker, agent, mark, until, broker):
    well = worker("interactive@n1", "well")
    deaf = worker("background@n1", "deaf")
    one = agent("--node", "n1", MEMLANE_TIME_FACTOR="45")

    until(lambda: (found := broker.report("n1")) and found.problems, seconds=20)
    assert "background@n1 beats but takes no work" in broker.report("n1").problems[0]
    until(lambda: deaf.poll() is not None, seconds=20)

    assert deaf.returncode == -signal.SIGKILL
    assert one.said("is told to end")
    assert well.poll() is None
    assert broker.client.llen(canary_queue("background@n1")) == 1


def test_a_frozen_worker_is_killed(worker, agent, mark, until, broker):
    frozen = worker("background@n1", "well")
    agent("--node", "n1", MEMLANE_TIME_FACTOR="45")
    until(lambda: mark("background@n1").number >= 1)

    frozen.send_signal(signal.SIGSTOP)
    until(lambda: frozen.poll() is not None, seconds=30)

    assert frozen.returncode == -signal.SIGKILL


def test_a_worker_on_another_machine_is_only_reported(worker, agent, mark, until, broker):
    deaf = worker("background@n1", "deaf")
    text = broker.client.get(mark_key("background@n1"))
    broker.client.set(mark_key("background@n1"), text.replace(b'"machine": "', b'"machine": "other-'))
    agent("--node", "n1", MEMLANE_TIME_FACTOR="45")

    until(lambda: (found := broker.report("n1")) and found.problems, seconds=20)

    assert "not on this machine" in broker.report("n1").problems[0]
    assert deaf.poll() is None
