"""A real broker, and agents as processes that know its address and nothing else."""

import os
import shutil
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
from tests.processes import Broker, Started
from tests.waiting import until

ROOT = Path(__file__).parents[3]


@pytest.fixture(name="until")
def until_fixture():
    return until


class NodesBroker(Broker):
    """The embedded broker, and what agents have left in it."""

    def __init__(self, folder):
        super().__init__(folder, folder / "broker.sock")
        self.url = f"unix://{quote(str(self.socket))}"
        self.client = Redis.from_url(self.url, socket_timeout=2)

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
    broker = NodesBroker(folder)
    broker.start()
    yield broker
    broker.client.close()
    broker.kill()


class Agent(Started):
    """`python -m nodeagent` with the broker's address and nothing else."""

    def __init__(self, broker, folder, *arguments, **environ):
        known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environ = {**known, "REDIS_URL": broker.url, **environ}
        log = folder / f"agent-{time.monotonic_ns()}.log"
        super().__init__(log, [sys.executable, "-m", "nodeagent", *arguments], env=environ, cwd=ROOT)


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
