"""The real broker under the supervisor."""

import io
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memory.settings import Settings
from ops.broker import broker_command, broker_process
from ops.keeper_link import KeeperLink
from ops.log_lines import LogLines
from ops.parts import choose_run, stack
from ops.supervisor import Supervisor
from workers.address import choose_socket_file
from workers.transport import RedisReplies, connect, make_queue

WAIT_SECONDS = 10.0


class Stack:
    """A supervisor with nothing but the broker."""

    def __init__(self, folder):
        self.settings = Settings(data_dir=str(folder))
        self.socket = choose_socket_file(folder)
        self.folder = folder / "broker"
        self.folder.mkdir(exist_ok=True)
        self.out = io.StringIO()
        self.keeper = KeeperLink()
        broker = stack(self.settings, choose_run(self.settings, self.socket))[0]
        self.supervisor = Supervisor(
            [replace(broker, environment={})], logs=LogLines(self.out, ("broker",)), keeper=self.keeper
        )

    def until(self, true):
        end = time.monotonic() + WAIT_SECONDS
        while not (found := true()):
            assert time.monotonic() < end, self.out.getvalue()
            self.supervisor.look()
            time.sleep(0.01)
        return found

    def up(self):
        return self.until(lambda: broker_process(self.socket))

    def close(self):
        self.supervisor.stop()
        self.keeper.close()


@pytest.fixture
def folder():
    # A space and a letter beyond ASCII: users have such folders.
    path = Path(tempfile.mkdtemp(prefix="ml tä-", dir="/tmp"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def broker(folder):
    started = []

    def start():
        started.append(Stack(folder))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_both_clients_find_it_in_a_folder_with_any_name(broker):
    one = broker()
    one.up()

    make_queue(one.settings).send("ledger.sweep", {"slot": 1}, queue="host")

    assert connect(one.settings).llen("host") == 1
    assert RedisReplies(connect(one.settings)).now() > 0


def test_it_is_back_with_what_it_held_after_a_kill(broker):
    one = broker()
    pid = one.up()
    client = connect(one.settings)
    client.rpush("host", "a", "b")
    one.supervisor.slots[0].running.send(signal.SIGKILL)

    one.until(lambda: broker_process(one.socket) not in (None, pid))

    assert client.lrange("host", 0, -1) == [b"a", b"b"]


@pytest.fixture
def orphan(folder):
    socket = choose_socket_file(folder)
    (folder / "broker").mkdir()
    command = broker_command(socket, folder / "broker")
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        end = time.monotonic() + WAIT_SECONDS
        while broker_process(socket) is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        yield process
        process.kill()


def test_one_that_outlived_its_supervisor_is_kept_and_replaced_when_it_ends(broker, orphan):
    one = broker()
    one.supervisor.look()
    assert one.supervisor.slots[0].running.pid == orphan.pid

    one.supervisor.slots[0].running.send(signal.SIGTERM)
    assert orphan.wait(WAIT_SECONDS) == 0

    assert one.until(lambda: broker_process(one.socket)) != orphan.pid


def test_a_cut_off_file_is_read_up_to_the_cut(broker, folder):
    one = broker()
    one.up()
    connect(one.settings).rpush("host", "a")
    one.close()
    (log,) = (folder / "broker" / "appendonlydir").glob("*.incr.aof")
    with log.open("ab") as tail:
        tail.write(b"*3\r\n$5\r\nRPU")

    two = broker()
    two.up()

    assert connect(two.settings).lrange("host", 0, -1) == [b"a"]


def test_a_spoilt_file_is_set_aside_and_the_broker_starts_empty(broker, folder):
    one = broker()
    one.up()
    connect(one.settings).rpush("host", "a")
    one.close()
    (log,) = (folder / "broker" / "appendonlydir").glob("*.incr.aof")
    log.write_bytes(b"this is no log\r\n" * 20)

    two = broker()
    two.until(lambda: "could not be read" in two.out.getvalue())
    two.up()

    assert connect(two.settings).keys("*") == []
    assert list((folder / "broker").glob("appendonlydir.unreadable-*"))
