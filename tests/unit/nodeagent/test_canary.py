import json
import signal
from dataclasses import replace

import pytest

from memory.errors import InvalidInput
from nodeagent.broker import WorkerFacts
from nodeagent.canary import CANARY_SECONDS, FULL_SECONDS, KILL_SECONDS, STALL_SECONDS, Canaries
from nodeagent.marks import Mark, canary_queue, decode_mark, encode_mark, is_here, own_mark
from nodeagent.message import task_message

MARK = Mark(number=0, pid=4711, machine="here", started=5)
WELL = WorkerFacts(worker="background@n1", beats=True, full=False, mark=MARK, waiting=0)


class Fixture:
    def __init__(self, here=True):
        self.sent = []
        self.signals = []
        self.here = here
        self.canaries = Canaries(
            lambda worker, number: self.sent.append((worker, number)),
            here=lambda mark: self.here,
            kill=lambda pid, number: self.signals.append((pid, number)),
        )

    def look(self, now, facts=WELL):
        return self.canaries.look((facts,), now)


def test_a_worker_gets_a_canary_every_half_minute():
    one = Fixture()
    for now in (0, 3, CANARY_SECONDS - 1, CANARY_SECONDS):
        one.look(now, replace(WELL, mark=replace(MARK, number=now)))
    assert one.sent == [("background@n1", 1), ("background@n1", 2)]


def test_no_second_canary_is_sent_while_one_waits():
    one = Fixture()
    one.look(0)
    one.look(CANARY_SECONDS, replace(WELL, waiting=1))
    assert len(one.sent) == 1


def test_a_worker_whose_canaries_come_back_is_left_alone():
    one = Fixture()
    for number in range(20):
        assert one.look(number * CANARY_SECONDS, replace(WELL, mark=replace(MARK, number=number))) == ()
    assert one.signals == []


def test_a_worker_that_takes_nothing_is_told_to_end_and_then_killed():
    one = Fixture()
    one.look(0)
    assert one.look(STALL_SECONDS - 1) == ()
    (words,) = one.look(STALL_SECONDS)
    assert "takes no work" in words
    assert one.signals == [(4711, signal.SIGTERM)]
    one.look(STALL_SECONDS + KILL_SECONDS - 1)
    one.look(STALL_SECONDS + KILL_SECONDS)
    assert one.signals == [(4711, signal.SIGTERM), (4711, signal.SIGKILL)]


def test_the_worker_started_in_its_place_has_all_its_time():
    one = Fixture()
    one.look(0)
    one.look(STALL_SECONDS)
    new = replace(WELL, mark=replace(MARK, pid=4712))
    one.here = False
    assert one.look(STALL_SECONDS + 1, new) == ()
    assert one.look(2 * STALL_SECONDS, new) == ()
    assert one.signals == [(4711, signal.SIGTERM)]


def test_a_worker_on_another_machine_is_only_spoken_of():
    one = Fixture(here=False)
    one.look(0)
    (words,) = one.look(STALL_SECONDS)
    assert "restart it where it runs" in words
    assert one.signals == []


def test_a_worker_that_never_left_a_mark_is_only_spoken_of():
    one = Fixture()
    one.look(0, replace(WELL, mark=None))
    assert one.look(STALL_SECONDS, replace(WELL, mark=None))
    assert one.signals == []


def test_the_mark_is_remembered_through_a_flush():
    one = Fixture()
    one.look(0)
    one.look(STALL_SECONDS, replace(WELL, mark=None))
    assert one.signals == [(4711, signal.SIGTERM)]


def test_a_worker_with_full_slots_gets_longer():
    one = Fixture()
    full = replace(WELL, full=True)
    one.look(0, full)
    assert one.look(STALL_SECONDS, full) == ()
    assert one.look(FULL_SECONDS, full)


def test_a_frozen_worker_is_killed_though_it_has_no_heartbeat():
    one = Fixture()
    one.look(0)
    frozen = replace(WELL, beats=False)
    assert one.look(STALL_SECONDS - 1, frozen) == ()
    (words,) = one.look(STALL_SECONDS, frozen)
    one.look(STALL_SECONDS + KILL_SECONDS, frozen)

    assert words.startswith("background@n1 lives without a heartbeat and takes no work since 90 s")
    assert one.signals == [(4711, signal.SIGTERM), (4711, signal.SIGKILL)]
    assert len(one.sent) == 1, "Nothing is sent to a worker that is not heard of."


def test_two_processes_of_one_name_are_told_until_one_has_ended(caplog):
    one = Fixture()
    one.look(0)
    second = replace(WELL, mark=replace(MARK, pid=4712, number=3))
    for facts in (second, WELL, second):
        (words,) = one.look(3, facts)
        assert words == "background@n1 runs twice on this machine: processes 4711, 4712; stop one of them"
    assert len(caplog.records) == 1

    one.here = False
    assert one.look(6, second) == ()


def test_a_dead_worker_is_not_a_stalled_one():
    one = Fixture()
    one.look(0)
    one.here = False
    gone = replace(WELL, beats=False)
    assert one.look(STALL_SECONDS, gone) == ()
    assert one.look(STALL_SECONDS + 1) == ()
    assert len(one.sent) == 2


def test_an_outage_of_the_broker_does_not_count_against_the_workers():
    one = Fixture()
    one.look(0)
    one.canaries.interrupt()
    assert one.look(STALL_SECONDS) == ()


def test_this_process_is_here_and_nowhere_else():
    mark = own_mark(3)
    assert is_here(mark)
    assert decode_mark(encode_mark(mark)) == mark
    assert not is_here(replace(mark, machine="elsewhere"))
    assert not is_here(replace(mark, machine=""))
    assert not is_here(replace(mark, started=mark.started - 1))


@pytest.mark.parametrize("text", [b"", b"1", b"{}", b'{"number": 1, "pid": "x", "machine": "", "started": 1}'])
def test_what_is_no_mark_is_refused(text):
    with pytest.raises(InvalidInput):
        decode_mark(text)


def test_each_worker_has_a_canary_queue_of_its_own():
    assert canary_queue("interactive@a1") != canary_queue("background@a1")
    assert canary_queue("interactive@a1").startswith("node.")


def test_a_message_holds_no_more_than_the_number():
    message = json.loads(task_message("node.canary", {"number": 7}, queue="q", origin="agent@n"))
    assert message["headers"]["task"] == "node.canary"
    assert message["headers"]["kwargsrepr"] == "{'number': 7}"
