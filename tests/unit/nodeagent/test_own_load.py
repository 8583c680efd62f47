import os
import socket

import pytest

from nodeagent.own_load import OwnLoad, listeners


@pytest.fixture
def port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        yield one.getsockname()[1]


def threads(proc, *states):
    for number, state in enumerate(states):
        folder = proc / str(os.getpid()) / "task" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "stat").write_text(f"{number} (a (b) c) {state} 1 2 3\n")


def test_whoever_listens_on_a_port_is_found(port):
    assert listeners([port]) == {os.getpid()}
    assert listeners([]) == frozenset()


def test_threads_that_run_or_wait_for_a_disk_count(tmp_path, port):
    own = OwnLoad(tmp_path)
    threads(tmp_path, "R", "D", "S", "R")
    assert own.look([port], 0.0) == 0.0
    assert own.look([port], 600.0) == pytest.approx(3.0, abs=0.001)


def test_it_rises_and_falls_as_a_minutes_average_does(tmp_path, port):
    own = OwnLoad(tmp_path)
    threads(tmp_path, "R", "R")
    own.look([port], 0.0)
    for now in range(3, 61, 3):
        risen = own.look([port], float(now))
    assert risen == pytest.approx(2 * 0.632, abs=0.01)
    threads(tmp_path, "S", "S")
    assert own.look([port], 120.0) == pytest.approx(risen * 0.368, abs=0.01)


def test_a_node_without_servers_does_nothing_of_its_own(tmp_path):
    assert OwnLoad(tmp_path).look([], 0.0) == 0.0
