"""The same and contradictory facts by sixteen clients at once, while workers are killed: case RECONCILE-01.

By documents, conversations and memories written directly; there are no other doors yet. Each runs with the rules and
with a scripted language model as judge; vectors are of the embedded model.
"""

from __future__ import annotations

import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from memory.settings import environment_name
from ops.child import ROOT
from ops.launched import wait_until
from tests.telling import Telling, bare, telling

CLIENTS = 16
GATE, OTHER = "Gate code is 4417", "Gate code is 9902"
OSLO, BERGEN = "Ana lives in Oslo", "Ana lives in Bergen"


@pytest.fixture(scope="module", params=["rules", "model"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Telling]:
    with telling(tmp_path_factory.mktemp(request.param) / "data", request.param) as one:
        yield one


@pytest.fixture
def space() -> str:
    """A space of the test's own; names of tests are too long to be told apart here."""
    return f"once-{uuid.uuid4().hex[:12]}"


def at_once(told: Telling, space: str, text_of: Callable[[int], str], kill: str | None = None) -> None:
    """Let sixteen clients begin together, each by the door of its number, and kill a worker in between."""
    barrier = threading.Barrier(CLIENTS)

    def tell(number: int) -> None:
        barrier.wait(timeout=30)
        path, body = request(told, space, number, text_of(number))
        send_until_accepted(told, path, body, key=f"{space}-{number}")

    with ThreadPoolExecutor(CLIENTS) as pool:
        sent = [pool.submit(tell, number) for number in range(CLIENTS)]
        if kill is not None:
            wait_until(lambda: any(one.done() for one in sent), seconds=30, what="a first one is accepted")
            for victim in told.stack.children(kill):
                victim.send_signal(signal.SIGKILL)
        for one in sent:
            one.result()
    told.settle(space)


def request(told: Telling, space: str, number: int, text: str) -> tuple[str, dict[str, Any]]:
    match number % 3:
        case 0:
            return "/v3/documents", {"content": told.said(text), "title": "Notes", "containerTag": space}
        case 1:
            message = {"role": "user", "content": told.said(text)}
            talk = {"conversationId": f"talk-{number}", "containerTag": space, "messages": [message]}
            return "/v4/conversations", talk
        case _:
            return "/v4/memories", {"memories": [{"content": text}], "containerTag": space}


def send_until_accepted(told: Telling, path: str, body: dict[str, Any], *, key: str) -> None:
    """Send as a careful client does: the same key until there is an answer."""
    until = time.monotonic() + 60
    while True:
        answer = requests.post(told.stack.url + path, json=body, headers={"Idempotency-Key": key}, timeout=30)
        if answer.ok:
            return
        assert answer.status_code == 503, answer.text
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kill", ["workers background", "workers reconcile", "workers host"])
def test_reconcile_01_of_sixteen_that_say_the_same_one_memory_is_left(told: Telling, space: str, kill: str) -> None:
    # given a judge that would call them the same if it were asked
    told.verdicts = lambda old, new: "duplicate"

    # when
    at_once(told, space, lambda number: GATE, kill)

    # then
    assert told.current(space) == [GATE]
    assert len(told.versions(space)) == 1
    assert told.outcomes(space) == {"added": 1, "reinforced": CLIENTS - 1}


@pytest.mark.timeout(240)
@pytest.mark.parametrize("kill", ["workers background", "workers reconcile"])
@pytest.mark.parametrize(("first", "second"), [(GATE, OTHER), (OSLO, BERGEN)])
def test_reconcile_01_of_two_contradictory_facts_never_both_are_current(
    told: Telling, space: str, first: str, second: str, kill: str
) -> None:
    # given
    told.verdicts = lambda old, new: "duplicate" if bare(old) == bare(new) else "update"

    # when
    at_once(told, space, lambda number: (first, second)[number // 3 % 2], kill)

    # then
    assert len(told.current(space)) == 1
    assert told.current(space)[0] in (first, second)
    assert sum(told.outcomes(space).values()) == CLIENTS
    chains = {one["rootMemoryId"] for one in told.versions(space)}
    assert len(chains) == 1


@pytest.mark.timeout(240)
def test_reconcile_01_of_two_facts_that_a_judge_calls_contradictory_one_is_current(told: Telling, space: str) -> None:
    # given a judge that sees no change; the rules see one
    told.verdicts = lambda old, new: "duplicate" if bare(old) == bare(new) else "contradiction"

    # when
    at_once(told, space, lambda number: (OSLO, BERGEN)[number // 3 % 2])

    # then
    assert len(told.current(space)) == 1
    assert sum(told.outcomes(space).values()) == CLIENTS


@pytest.mark.timeout(240)
def test_reconcile_01_a_second_writer_started_by_mistake_waits(told: Telling, space: str) -> None:
    # given a second reconcile worker with the settings of the first
    (writer,) = told.stack.children("workers reconcile")
    # The name is the supervisor's own, so that its writer has the lease back at once.
    environment = {name: value for name, value in writer.environ().items() if name != environment_name("writer")}
    second = subprocess.Popen(
        writer.cmdline(), env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        # when everybody tells the same, and then two things
        at_once(told, space, lambda number: GATE)
        at_once(told, f"{space}-two", lambda number: (OSLO, BERGEN)[number // 3 % 2])

        # then it is as with one
        assert second.poll() is None
        assert told.current(space) == [GATE]
        assert told.outcomes(space) == {"added": 1, "reinforced": CLIENTS - 1}
        assert len(told.current(f"{space}-two")) == 1

        # and when the first is killed and comes again, too
        writer.send_signal(signal.SIGKILL)
        at_once(told, f"{space}-after", lambda number: GATE)
        assert told.outcomes(f"{space}-after") == {"added": 1, "reinforced": CLIENTS - 1}
    finally:
        second.terminate()
        second.wait(timeout=30)
