"""Two agents of one node: one works, the other waits, and both say so."""

import sys

from memory.fleet import FleetNode
from memory.inventory import INVENTORY_KEY, encode
from nodeagent.marks import Mark, encode_mark

SEAT = "agent:n1"
SERVER = f"llm={sys.executable} -c 'import time; time.sleep(1000)'"


def started(broker, agent, until, *more):
    broker.client.set(INVENTORY_KEY, encode((FleetNode(name="n1"),)))
    one = agent("--node", "n1", *more)
    until(lambda: broker.report("n1"))
    return one


def test_a_second_agent_waits_supervises_nothing_and_both_say_so(broker, agent, until):
    first = started(broker, agent, until)

    second = agent("--node", "n1", "--serve", SERVER)

    until(lambda: second.said(f"works already (process {first.process.pid} of this machine)"))
    (said,) = until(lambda: broker.report("n1").problems)
    assert said.startswith(f"a second agent of this node was started (process {second.process.pid} of this machine)")
    assert broker.report("n1").models == ()
    assert not second.said("started as process")
    assert first.said("a second agent of this node was started")


def test_a_second_agent_that_ends_is_forgotten_and_takes_no_report_away(broker, agent, until):
    started(broker, agent, until)
    second = agent("--node", "n1")
    until(lambda: broker.report("n1").problems)

    assert second.stop() == 0

    assert broker.report("n1") is not None
    until(lambda: broker.report("n1").problems == ())


def test_the_second_agent_works_when_the_first_was_killed(broker, agent, until):
    first = started(broker, agent, until)
    second = agent("--node", "n1", "--serve", SERVER)
    until(lambda: second.said("works already"))

    first.kill()

    until(lambda: (found := broker.report("n1")) and found.models)
    until(lambda: broker.report("n1").problems == ())


def test_an_agent_that_was_killed_and_started_again_works_at_once(broker, agent, until):
    started(broker, agent, until).kill()
    broker.client.delete("node:n1")

    agent("--node", "n1")

    until(lambda: broker.report("n1"), seconds=5)


def test_an_agent_on_another_machine_is_waited_for(broker, agent, until):
    broker.client.set(SEAT, encode_mark(Mark(number=0, pid=1, machine="elsewhere", started=1)))

    one = agent("--node", "n1")

    until(lambda: one.said("process 1 of another machine or container"))
    assert broker.report("n1") is None


def test_an_agent_keeps_its_seat_through_a_flush(broker, agent, until):
    started(broker, agent, until)
    second = agent("--node", "n1", "--serve", SERVER)
    until(lambda: second.said("works already"))
    held = broker.client.get(SEAT)

    broker.client.flushall()

    until(lambda: broker.client.get(SEAT) == held)
    assert not second.said("started as process")


def test_what_is_in_the_seat_and_cannot_be_read_is_no_agent(broker, agent, until):
    broker.client.set(SEAT, "nonsense", px=2000)
    started(broker, agent, until)
