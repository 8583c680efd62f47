"""A real broker, and agents as processes that know its address and nothing else."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from redis import Redis
from redis.exceptions import RedisError

from memory.errors import InvalidInput
from nodeagent.report import decode, node_key
from ops.broker import broker_command, broker_process

ROOT = Path(__file__).parents[3]
WAIT_SECONDS = 15.0


def until(true, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.02)
    return found


@pytest.fixture(name="until")
def until_fixture():
    return until


class Broker:
    """The embedded broker in a folder of its own, and what lies in it."""

    def __init__(self, folder):
        self.socket = folder / "broker.sock"
        self.folder = folder / "broker"
        self.folder.mkdir()
        self.url = f"unix://{quote(str(self.socket))}"
        self.client = Redis.from_url(self.url, socket_timeout=2)
        self.process = None

    def start(self):
        self.process = subprocess.Popen(broker_command(self.socket, self.folder), stdout=subprocess.DEVNULL)
        until(lambda: broker_process(self.socket))

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def report(self, node):
        try:
            text = self.client.get(node_key(node))
            return None if text is None else decode(text)
        except (RedisError, InvalidInput):
            return None


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="mla-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def broker(folder):
    broker = Broker(folder)
    broker.start()
    yield broker
    broker.client.close()
    broker.kill()


class Agent:
    """`python -m nodeagent` with the broker's address and nothing else."""

    def __init__(self, broker, folder, *arguments, **environ):
        self.log = folder / f"agent-{time.monotonic_ns()}.log"
        known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "nodeagent", *arguments],
                env={**known, "REDIS_URL": broker.url, **environ},
                cwd=ROOT,
                stdout=log,
                stderr=log,
            )

    def said(self, words):
        return words in self.log.read_text()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(15)

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def agent(broker, folder):
    started = []

    def start(*arguments, **environ):
        started.append(Agent(broker, folder, *arguments, **environ))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()
