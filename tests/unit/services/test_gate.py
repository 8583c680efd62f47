import os
import subprocess
import sys
import threading
import time

import pytest

from services.gate import Gate

URL = "http://127.0.0.1:8080"


@pytest.fixture
def gate(tmp_path):
    return Gate(tmp_path / "run", URL)


def test_a_server_is_shared_while_another_process_takes_interactive_work_for_it(tmp_path, gate):
    assert not gate.is_shared()
    other = Gate(tmp_path / "run", URL)
    other.serve(True)
    other.serve(True)
    assert gate.is_shared()
    assert not Gate(tmp_path / "run", "http://127.0.0.1:9090").is_shared()
    other.serve(False)
    assert not gate.is_shared()


def test_the_background_waits_for_every_interactive_call_and_no_longer(gate):
    inside, leave = threading.Barrier(3), threading.Event()

    def call():
        with gate.ahead():
            inside.wait(5.0)
            leave.wait(5.0)

    calls = [threading.Thread(target=call) for _ in range(2)]
    for one in calls:
        one.start()
    inside.wait(5.0)
    assert gate.give_way(patience=0.02) >= 0.02

    threading.Timer(0.05, leave.set).start()
    waited = gate.give_way(patience=5.0)

    assert waited < 2.0
    for one in calls:
        one.join()
    assert gate.give_way(patience=5.0) < 0.5


def test_interactive_calls_do_not_wait_for_the_background(gate):
    for _ in range(100):
        gate.give_way()
    began = time.monotonic()
    for _ in range(100):
        with gate.ahead():
            gate.give_way(patience=0.0)
    assert time.monotonic() - began < 1.0


def test_what_a_killed_process_held_is_free_again(tmp_path, gate):
    code = (
        "import sys, time; from pathlib import Path; from services.gate import Gate\n"
        f"gate = Gate(Path(sys.argv[1]), {URL!r}); gate.serve(True)\n"
        "with gate.ahead():\n print('in', flush=True); time.sleep(60)"
    )
    environ = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-c", code, str(tmp_path / "run")]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"in\n"
        assert gate.is_shared()
        assert gate.give_way(patience=0.01) >= 0.01
        other.kill()
        other.wait()
    assert not gate.is_shared()
    assert gate.give_way(patience=5.0) < 1.0
