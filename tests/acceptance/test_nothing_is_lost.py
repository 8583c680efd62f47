"""Kill -9 of any process, or an emptied broker, in the middle of an ingest: every accepted document is done once."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests
from redis import Redis

from ops.launched import Launched, LaunchFailed, running, wait_until
from workers.address import socket_file

DOCUMENTS = 200
SECONDS = 240


@pytest.fixture(scope="module")
def own_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    with running(tmp_path_factory.mktemp("crash") / "data") as one:
        yield one


def text(number: int) -> str:
    facts = f"Machine {number} has {number + 3} axles. Machine {number} stands in hall {number % 7}."
    return f"# Machine {number}\n\n{facts}\n"


def post_until_accepted(stack: Launched, space: str, number: int) -> str:
    """Send a document as a careful client does: the same key until there is an answer."""
    body = {"content": text(number), "containerTag": space, "customId": f"m{number}"}
    until = time.monotonic() + 60
    while True:
        try:
            answer = requests.post(
                stack.url + "/v3/documents", json=body, headers={"Idempotency-Key": f"{space}-{number}"}, timeout=30
            )
            if answer.status_code == 202:
                return str(answer.json()["id"])
            assert answer.status_code == 503, answer.text
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
            pass  # the API is being killed: that is the test
        assert time.monotonic() < until
        time.sleep(0.1)


def kill(words: str) -> Callable[[Launched], None]:
    def act(stack: Launched) -> None:
        victims = stack.children(words)
        assert victims, f"nothing runs {words}"
        for victim in victims:
            victim.send_signal(signal.SIGKILL)

    return act


def flush(stack: Launched) -> None:
    client = Redis(unix_socket_path=str(socket_file(stack.data_dir)))
    client.flushall()
    client.close()


VICTIMS = {
    "api": kill("-m api"),
    "background": kill("workers background"),
    "interactive": kill("workers interactive"),
    "host": kill("workers host"),
    "reconcile": kill("workers reconcile"),
    "models": kill("-m inference"),
    "valkey": kill("valkey-server"),
    "flush": flush,
}


def done(stack: Launched, space: str) -> bool:
    page = stack.get("/v3/documents/processing", containerTag=space, limit=1)
    return page["totalCount"] == 0


@pytest.mark.timeout(SECONDS + 120)
@pytest.mark.parametrize("victim", VICTIMS)
def test_every_accepted_document_is_done_exactly_once(own_stack: Launched, victim: str) -> None:
    space = f"crash-{victim}"

    # given 200 documents on their way in
    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(post_until_accepted, own_stack, space, number) for number in range(DOCUMENTS)]
        # when a process is killed, or the broker emptied, twice: while they come in and while they are worked on
        wait_until(lambda: sum(one.done() for one in sent) > DOCUMENTS // 4, seconds=60, what="a quarter is accepted")
        VICTIMS[victim](own_stack)
        ids = [one.result() for one in sent]
    wait_until(lambda: alive(own_stack), seconds=60, what="health")
    if not done(own_stack, space):
        VICTIMS[victim](own_stack)

    # then every one is done, with its chunk and its two facts, once
    wait_until(lambda: alive(own_stack) and done(own_stack, space), seconds=SECONDS, what="all documents are processed")
    assert len(set(ids)) == DOCUMENTS
    check_exactly_once(own_stack, space, ids)


def alive(stack: Launched) -> bool:
    try:
        return bool(stack.http.get(stack.url + "/v1/health", timeout=5).json()["status"] == "ok")
    except requests.RequestException:
        return False


def check_exactly_once(stack: Launched, space: str, ids: list[str]) -> None:
    documents = pages(stack, "/v3/documents/list", "memories", containerTags=[space])
    assert sorted(one["id"] for one in documents) == sorted(ids)
    assert {one["status"] for one in documents} == {"done"}
    facts = pages(stack, "/v4/memories/list", "memoryEntries", containerTags=[space], history=True)
    expected = sorted(
        sentence for number in range(DOCUMENTS) for sentence in text(number).split("\n\n")[1].strip().split(". ")
    )
    assert len(facts) == len(expected)
    assert len({one["memory"] for one in facts}) == len(expected)
    stats = stack.get("/v1/stats", containerTag=space)
    assert stats["chunks"] == DOCUMENTS
    assert stats["memories"] == {"live": len(expected), "superseded": 0, "forgotten": 0}
    assert stats["candidates"] == {"added": len(expected)}


def pages(stack: Launched, path: str, key: str, **body: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = stack.post(path, limit=100, **body, **({"cursor": cursor} if cursor else {}))
        found += page[key]
        cursor = page["pagination"].get("nextCursor")
        if not cursor:
            return found


@pytest.mark.timeout(SECONDS + 120)
def test_a_killed_supervisor_leaves_nothing_running_and_a_new_one_goes_on(tmp_path: Path) -> None:
    # given a stack in the middle of an ingest
    stack = Launched(tmp_path / "data").start()
    ids = [post_until_accepted(stack, "s", number) for number in range(DOCUMENTS)]
    assert stack.process is not None
    family = stack.children("")

    # when the supervisor is killed
    stack.stop(number=signal.SIGKILL)

    # then everything it started ends by itself
    wait_until(lambda: not any(one.is_running() for one in family), seconds=20, what="no orphan is left")

    # and a new one on the same folder finishes what was accepted
    stack.start()
    try:
        wait_until(lambda: done(stack, "s"), seconds=SECONDS, what="all documents are processed")
        check_exactly_once(stack, "s", ids)
    finally:
        assert stack.stop() == 0


def test_a_second_instance_on_the_same_folder_is_refused(own_stack: Launched) -> None:
    second = Launched(own_stack.data_dir)
    second.log = own_stack.data_dir.parent / "second.log"
    with pytest.raises(LaunchFailed, match=r"exit code [1-9].* before it was ready"):
        second.start()
