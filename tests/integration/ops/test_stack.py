"""The whole stack by its command: ready, supervised, gone without a trace. Everything is ended by process id."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ops.launched import running, wait_until

pytestmark = pytest.mark.timeout(120)
MEMLANE = Path(sys.executable).with_name("memlane")
LANES = ("interactive", "background", "host", "reconcile", "beat")


@pytest.fixture
def up(tmp_path):
    with running(tmp_path / "data") as one:
        yield one


def family(stack):
    return psutil.Process(stack.process.pid).children(recursive=True)


def gone(processes):
    return not [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def test_it_stops_with_code_0_and_leaves_nothing(up):
    processes = family(up)
    began = time.monotonic()

    assert up.stop() == 0

    assert time.monotonic() - began < 12
    wait_until(lambda: gone(processes), seconds=5, what="everything has ended")
    assert not (up.data_dir / "run" / "broker.sock").exists()


def test_nothing_is_left_after_kill_9_and_it_comes_up_again_on_the_same_folder(up):
    processes = family(up)
    before = up.post("/v3/documents", content="The depot opens at seven.", wait=True)

    up.stop(number=signal.SIGKILL)

    wait_until(lambda: gone(processes), seconds=8, what="the keeper has ended everything")
    up.start()
    assert up.get(f"/v3/documents/{before['id']}")["status"] == "done"


def test_a_second_instance_is_refused_and_says_why(up):
    command = [str(MEMLANE), "up", "--data-dir", str(up.data_dir), "--port", str(up.port + 1)]
    second = subprocess.run(command, capture_output=True, text=True, env=up.env, timeout=20, check=False)
    assert second.returncode == 1
    assert "Another memlane up" in second.stderr
    assert second.stdout == ""


def test_a_port_in_use_is_refused_at_once(up, tmp_path):
    command = [str(MEMLANE), "up", "--data-dir", str(tmp_path / "other"), "--port", str(up.port)]
    began = time.monotonic()
    second = subprocess.run(command, capture_output=True, text=True, env=up.env, timeout=20, check=False)
    assert second.returncode == 1
    assert str(up.port) in second.stderr
    assert time.monotonic() - began < 5


def test_every_part_that_is_killed_comes_back_and_the_stack_is_well_again(up):
    for words in (*(f"-m workers {lane}" for lane in LANES), "-m inference", "valkey-server", "-m api"):
        (victim,) = up.children(words)
        victim.kill()
        wait_until(
            lambda old=victim, words=words: [one for one in up.children(words) if one.pid != old.pid],
            seconds=10,
            what=f"{words} is started again",
        )
    wait_until(lambda: _health(up) == "ok", seconds=30, what="the stack is well again")
    assert up.post("/v3/documents", content="Rack D6 has a new fan.", wait=True)["status"] == "done"


def test_the_idle_stack_is_small(up):
    total = 0
    for one in [psutil.Process(up.process.pid), *family(up)]:
        with open(f"/proc/{one.pid}/smaps_rollup") as rollup:
            total += next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
    assert total < 550 * 1024


def _health(stack):
    try:
        return stack.get("/v1/health")["status"]
    except (OSError, AssertionError):
        return "unreachable"
