"""Tiny scripts stand for the parts; every process started here is ended by its id."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ops.keeper_link import KeeperLink
from ops.log_lines import LogLines
from ops.part import Part
from ops.supervisor import EXIT_CONFIG, ConfigurationRefused, Supervisor, back_off
from tests.waiting import until

FOREVER = "import time\nwhile True: time.sleep(0.1)"
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('deaf', flush=True)\n" + FOREVER
PARENT = f"import subprocess, sys\nprint(subprocess.Popen([sys.executable, '-c', {FOREVER!r}]).pid, flush=True)\n"


def part(name, script, **options):
    return Part(name=name, command=(sys.executable, "-S", "-c", script), environment=dict(os.environ), **options)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def run():
    started = []

    def start(*parts):
        out = io.StringIO()
        keeper = KeeperLink()
        supervisor = Supervisor(parts, logs=LogLines(out, tuple(p.name for p in parts)), keeper=keeper)
        started.append((supervisor, keeper))
        return supervisor, out

    yield start
    for supervisor, keeper in started:
        supervisor.stop(hurry=lambda: True)
        keeper.close()


def looking(supervisor, true):
    def both():
        supervisor.look()
        return true()

    return until(both)


def test_a_part_that_dies_is_started_again_after_a_growing_wait(run):
    supervisor, out = run(part("crasher", "print('up', flush=True); raise SystemExit(3)"))

    looking(supervisor, lambda: out.getvalue().count("up\n") == 2)

    assert "crasher ended with code 3; starting it again in 0.5 s" in out.getvalue()
    looking(supervisor, lambda: "again in 1.0 s" in out.getvalue())


def test_the_wait_doubles_up_to_a_limit():
    assert [back_off(deaths) for deaths in range(7)] == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0]


def test_the_wait_is_short_again_once_a_part_ran_long_enough(run, monkeypatch):
    monkeypatch.setattr("ops.supervisor.STABLE_SECONDS", 0.0)
    supervisor, out = run(part("crasher", "raise SystemExit(1)"))

    looking(supervisor, lambda: out.getvalue().count("starting it again in 0.5 s") == 2)

    assert "again in 1.0 s" not in out.getvalue()


def test_stop_asks_with_sigterm_and_lower_stages_go_first(run):
    script = "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(print('bye', flush=True)))\n"
    script += "print('hello', flush=True)\n" + FOREVER
    supervisor, out = run(part("broker", script, stage=3), part("api", script, stage=0))
    looking(supervisor, lambda: out.getvalue().count("hello") == 2)

    supervisor.stop()

    until(lambda: out.getvalue().count("bye") == 2)
    assert out.getvalue().index("api    | bye") < out.getvalue().index("broker | bye")


def test_a_part_that_ignores_sigterm_is_killed_after_its_time(run):
    supervisor, out = run(part("mule", STUBBORN, stop_seconds=0.2))
    looking(supervisor, lambda: "deaf" in out.getvalue())
    pid = supervisor.slots[0].running.pid

    supervisor.stop()

    assert not alive(pid)
    assert "mule does not stop and is killed" in out.getvalue()


def test_what_a_dead_part_had_started_is_ended_before_it_is_started_again(run):
    supervisor, out = run(part("parent", PARENT))

    looking(supervisor, lambda: "starting it again" in out.getvalue())

    grandchild = int(until(lambda: [w for w in out.getvalue().split() if w.isdigit()])[0])
    until(lambda: not alive(grandchild))


def test_a_line_of_noise_is_not_logged(run):
    supervisor, out = run(
        Part(
            name="broker",
            command=(sys.executable, "-S", "-c", "print('WARNING swap'); print('up')"),
            noise="WARNING swap",
        )
    )

    looking(supervisor, lambda: "broker | up" in out.getvalue())
    assert "swap" not in out.getvalue()


def test_a_refused_configuration_is_not_tried_again(run):
    supervisor, _ = run(part("api", f"print('It needs a key.', flush=True); raise SystemExit({EXIT_CONFIG})"))

    with pytest.raises(ConfigurationRefused, match=r"api refused its configuration: It needs a key\."):
        looking(supervisor, lambda: False)


def test_a_program_that_is_not_there_is_reported_and_tried_again(run):
    supervisor, out = run(Part(name="ghost", command=("/nowhere/at/all",), environment=dict(os.environ)))

    looking(supervisor, lambda: out.getvalue().count("ghost cannot be started") == 2)


def test_a_part_that_runs_already_is_kept(run):
    outlived = subprocess.Popen([sys.executable, "-S", "-c", FOREVER], start_new_session=True)
    supervisor, out = run(Part(name="broker", command=("/nowhere",), adopt=lambda: outlived.pid))

    supervisor.look()

    assert f"broker (process {outlived.pid}) was running already" in out.getvalue()
    assert supervisor.slots[0].running.pid == outlived.pid
    outlived.terminate()
    outlived.wait()


SUPERVISE = """
import sys, time, io, os
sys.path.insert(0, {root!r})
from ops.keeper_link import KeeperLink
from ops.log_lines import LogLines
from ops.part import Part
from ops.supervisor import Supervisor
commands = [(sys.executable, "-S", "-c", script) for script in {scripts!r}]
parts = [Part(name="part", command=command, environment=dict(os.environ)) for command in commands]
keeper = KeeperLink()
supervisor = Supervisor(parts, logs=LogLines(sys.stdout, ()), keeper=keeper)
while True:
    supervisor.look()
    time.sleep(0.05)
"""


def test_nothing_is_left_when_the_supervisor_is_killed():
    root = str(Path(__file__).parents[3])
    tell = "import os\nprint('pid', os.getpid(), flush=True)\n"
    scripts = [tell + FOREVER, tell + STUBBORN, tell + PARENT.replace("print(", "print('pid', ") + FOREVER]
    command = [sys.executable, "-c", SUPERVISE.format(root=root, scripts=scripts)]
    supervisor = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    pids = []
    while len(pids) < 4:
        words = supervisor.stdout.readline().split()
        if "pid" in words:
            pids.append(int(words[-1]))
    assert all(map(alive, pids))

    supervisor.send_signal(signal.SIGKILL)
    supervisor.wait()
    supervisor.stdout.close()

    until(lambda: not any(map(alive, pids)), seconds=5.0)
