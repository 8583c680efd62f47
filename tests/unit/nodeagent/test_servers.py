"""The supervisor with real processes and a clock that is moved by hand."""

import os
import signal
import sys

import psutil
import pytest

from memory.fleet import ModelReport
from nodeagent.commands import ServerCommand
from nodeagent.probes import Silence
from nodeagent.servers import HANG_SECONDS, MEMORY_SECONDS, STABLE_SECONDS, Servers, back_off
from tests.waiting import until

SLEEP = ("sleep", "1000")
CAP = 2**40


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def servers(clock):
    made = []

    def make(*command, **options):
        made.append(Servers([ServerCommand(role="embed", command=command, **options)], clock=clock))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def server_of(one):
    (slot,) = one.slots
    return until(lambda: psutil.Process(slot.child.pid).children(recursive=True))[0]


def ended(one):
    (slot,) = one.slots

    def look():
        one.look(CAP)
        return slot.child is None

    until(look)
    return slot


def test_back_off_doubles_up_to_half_a_minute():
    assert [back_off(deaths) for deaths in (0, 1, 2, 5, 6, 7, 99)] == [0.5, 1.0, 2.0, 16.0, 30.0, 30.0, 30.0]


def test_a_killed_server_is_started_again_after_its_wait(servers, clock):
    one = servers(*SLEEP)
    one.look(CAP)
    os.kill(server_of(one).pid, signal.SIGKILL)
    slot = ended(one)
    assert one.problems() == ("embed: was ended by SIGKILL",)
    one.look(CAP)
    assert slot.child is None
    clock.now += 0.5
    one.look(CAP)
    assert slot.child is not None
    (report,) = one.describe([ModelReport(role="embed", healthy=True)])
    assert report.restarts == 1


def test_a_server_that_cannot_run_is_tried_less_and_less_often(servers, clock):
    one = servers("/no/such/program")
    waits = []
    for _ in range(4):
        one.look(CAP)
        slot = ended(one)
        waits.append(slot.start_at - clock.now)
        clock.now = slot.start_at
    assert waits == [0.5, 1.0, 2.0, 4.0]
    (report,) = one.describe([])
    assert (report.healthy, report.reason) == (False, "cannot be run (code 127)")


def test_a_stable_server_is_forgiven(servers, clock):
    one = servers(*SLEEP)
    one.look(CAP)
    os.kill(server_of(one).pid, signal.SIGKILL)
    slot = ended(one)
    clock.now += 0.5
    one.look(CAP)
    clock.now += STABLE_SECONDS
    one.look(CAP)
    assert one.problems() == ()
    os.kill(server_of(one).pid, signal.SIGKILL)
    ended(one)
    assert slot.start_at - clock.now == 0.5


def test_a_server_over_its_cap_is_restarted_with_a_reason(servers, clock):
    one = servers(sys.executable, "-c", "x = bytearray(60_000_000); import time; time.sleep(1000)")
    one.look(CAP)
    process = server_of(one)
    until(lambda: process.memory_info().rss > 60_000_000)
    clock.now += MEMORY_SECONDS
    one.look(50_000_000)
    slot = ended(one)
    assert "over its cap of 48 MiB" in slot.trouble
    clock.now = slot.start_at
    one.look(CAP)
    (report,) = one.describe([ModelReport(role="embed", healthy=False, reason="cannot be reached")])
    assert "over its cap" in report.reason
    assert report.restarts == 1


def test_a_server_that_answers_nothing_for_too_long_is_killed_and_started_again(servers, clock):
    one = servers("sh", "-c", "trap '' TERM; while true; do sleep 1; done")
    one.look(CAP)
    os.kill(server_of(one).pid, signal.SIGSTOP)
    began = clock.now
    one.look(CAP, {"embed": Silence(first=began, last=began + HANG_SECONDS - 1)})
    assert one.slots[0].kill_at is None

    one.look(CAP, {"embed": Silence(first=began, last=began + HANG_SECONDS)})

    slot = ended(one)
    assert one.problems() == ("embed: answered nothing for 90 s and was killed",)
    assert slot.start_at - clock.now == 0.5
    clock.now = slot.start_at
    one.look(CAP)
    (report,) = one.describe([ModelReport(role="embed", healthy=False, reason="the server does not answer in time")])
    assert (report.restarts, "answered nothing for 90 s" in report.reason) == (1, True)


@pytest.mark.parametrize("last", [-1.0, HANG_SECONDS - 1])
def test_silence_counts_from_the_start_so_that_a_model_can_be_loaded(servers, clock, last):
    one = servers(*SLEEP)
    one.look(CAP)

    one.look(CAP, {"embed": Silence(first=clock.now - 10 * HANG_SECONDS, last=clock.now + last)})

    assert one.slots[0].kill_at is None


def test_the_silence_of_another_server_is_not_its_own(servers, clock):
    one = servers(*SLEEP)
    one.look(CAP)

    one.look(CAP, {"rerank": Silence(first=clock.now, last=clock.now + HANG_SECONDS)})

    assert one.slots[0].kill_at is None


def test_a_cap_of_its_own_wins_over_the_nodes(servers, clock):
    one = servers(*SLEEP, memory_bytes=1)
    one.look(CAP)
    server_of(one)
    clock.now += MEMORY_SECONDS
    one.look(CAP)
    assert "over its cap" in ended(one).trouble


def test_the_memory_of_everything_it_started_counts(servers, clock):
    one = servers("sh", "-c", "sleep 1000 & sleep 1000 & wait")
    one.look(CAP)
    until(lambda: len(psutil.Process(one.slots[0].child.pid).children(recursive=True)) == 3)
    clock.now += MEMORY_SECONDS
    one.look(CAP)
    (report,) = one.describe([])
    alone = server_of(one).memory_info().rss
    assert report.memory_bytes > alone


def test_stopping_ends_it_and_what_it_started(servers):
    one = servers("sh", "-c", "sleep 1000 & wait")
    one.look(CAP)
    until(lambda: len(psutil.Process(one.slots[0].child.pid).children(recursive=True)) == 2)
    family = psutil.Process(one.slots[0].child.pid).children(recursive=True)
    one.stop()
    assert not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in family)


def test_a_server_gets_the_environment_it_needs(servers, tmp_path):
    one = servers("sh", "-c", f"echo $WORD > {tmp_path}/said; sleep 1000", environment={"WORD": "hello"})
    one.look(CAP)
    until(lambda: (tmp_path / "said").exists() and (tmp_path / "said").read_text() == "hello\n")
