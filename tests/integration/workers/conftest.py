"""A real broker and real worker processes; each is ended by its id."""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest

from memory.settings import Settings
from tests.integration.workers.fleet import Fleet
from tests.processes import Broker, Started
from tests.waiting import until
from workers.transport import RedisReplies, connect, make_queue

ROOT = Path(__file__).parents[3]


@pytest.fixture(name="until")
def until_fixture():
    return until


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="mlt-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def broker(folder):
    broker = Broker(folder, folder / "run" / "broker.sock")
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def settings(folder):
    return Settings(data_dir=str(folder))


@pytest.fixture
def client(broker, settings):
    client = connect(settings)
    yield client
    client.close()


@pytest.fixture
def queue(settings):
    return make_queue(settings)


@pytest.fixture
def replies(broker, settings):
    return RedisReplies(connect(settings))


class Worker(Started):
    """A worker process that runs `stand_ins.py`."""

    def __init__(self, folder, *arguments):
        environ = {**os.environ, "MEMLANE_DATA_DIR": str(folder), "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
        script = Path(__file__).with_name("stand_ins.py")
        log = folder / f"worker-{time.monotonic_ns()}.log"
        super().__init__(log, [sys.executable, str(script), *arguments], env=environ, cwd=ROOT)


@pytest.fixture
def worker(broker, folder):
    started = []

    def start(*arguments):
        one = Worker(folder, *arguments)
        started.append(one)
        until(lambda: one.said("started"))
        return one

    yield start
    for one in started:
        if one.process.poll() is None:
            one.kill()


@pytest.fixture
def fleet(folder, settings, queue, replies, client):
    one = Fleet(folder, settings, until, queue, replies, client)
    yield one
    one.close()
