"""A real broker and real worker processes; each is ended by its id."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from memory.settings import Settings
from ops.broker import broker_command, broker_process
from tests.integration.workers.fleet import Fleet
from workers.transport import RedisReplies, connect, make_queue

ROOT = Path(__file__).parents[3]
WAIT_SECONDS = 15.0


@pytest.fixture(name="until")
def until_fixture():
    return until


def until(true, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.01)
    return found


class Broker:
    """The embedded broker in a folder of its own."""

    def __init__(self, folder):
        self.socket = folder / "run" / "broker.sock"
        self.folder = folder / "broker"
        self.socket.parent.mkdir()
        self.folder.mkdir()
        self.process = None

    def start(self):
        self.process = subprocess.Popen(broker_command(self.socket, self.folder), stdout=subprocess.DEVNULL)
        until(lambda: broker_process(self.socket))

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="mlt-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def broker(folder):
    broker = Broker(folder)
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


class Worker:
    """A worker process that runs `stand_ins.py`."""

    def __init__(self, folder, *arguments):
        self.log = folder / f"worker-{time.monotonic_ns()}.log"
        environ = {**os.environ, "MEMLANE_DATA_DIR": str(folder), "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
        script = Path(__file__).with_name("stand_ins.py")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(script), *arguments], env=environ, cwd=ROOT, stdout=log, stderr=log
            )

    def said(self, words):
        return words in self.log.read_text()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)

    def kill(self):
        self.process.kill()
        self.process.wait()


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
