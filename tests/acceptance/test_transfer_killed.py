"""Processes are killed during a large import on a real stack: it goes on or was never there, and nobody sees a half."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from memlane.http import Client
from ops.launched import Launched, wait_until
from services import control, keys
from services.clock import system_clock
from services.identifiers import TimeSortedIds

LINES = "application/x-ndjson"
DOCUMENTS = 6_250  # with eight lines for each: 50,000
IDS = "01KDVDNA0J5J{:014d}"


def key_of(stack: Launched, tenant: str) -> str:
    with control.opened(stack.data_dir, clock=system_clock, new_id=TimeSortedIds(system_clock)) as opened:
        return keys.create(opened, label="test", tenant=tenant, actor_kind="person").secret


def told(space: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of documents with a chunk, a memory and its source each."""
    ids = [IDS.format(number) for number in range(DOCUMENTS)]
    made = {"created_at": 1, "updated_at": 1}
    yield {"line": "header", "format": 1, "spaces": [space], "whole": False, "vectors": False, "embedding": None}
    yield {"line": "space", "name": space, "next_row": 1, "created_at": 1}
    for one in ids:
        yield {"line": "job", "id": f"job_{one}", "space": space, "kind": "document", "state": "done", **made,
               "document_id": f"doc_{one}", "revision": 1}  # fmt: skip
    for one in ids:
        yield {"line": "document", "id": f"doc_{one}", "space": space, "title_sent": 1, "type": "text", "metadata": {},
               "status": "done", "latest_revision": 1, "live_revision": 1, **made, "task_type": "memory"}  # fmt: skip
    for number, one in enumerate(ids):
        yield {"line": "revision", "document_id": f"doc_{one}", "revision": 1, "content": f"Crane {number} is red.",
               "content_hash": "x", "tokens": 1, "state": "live", "job_id": f"job_{one}", "created_at": 1}  # fmt: skip
    for number, one in enumerate(ids):
        for kind, row in (("memory", 2 * number + 1), ("chunk", 2 * number + 2)):
            yield {"line": "row", "row": row, "space": space, "kind": kind, "group_key": f"doc_{one}", "position": 0,
                   "shadow": f"crane {number} is red", "terms": 4, "tokenizer": 2,
                   "windows": [{"recorded_at": 1, "actor_kind": "pipeline", "actor_id": f"job_{one}"}]}  # fmt: skip
    for number, one in enumerate(ids):
        yield {"line": "chunk", "id": f"chk_{one}", "space": space, "document_id": f"doc_{one}", "revision": 1,
               "position": 0, "start": 0, "end": 4, "heading": [], "body": f"Crane {number} is red.", "text_hash": "x",
               "row": 2 * number + 2, "opening": ""}  # fmt: skip
    for number, one in enumerate(ids):
        yield {"line": "memory", "id": f"mem_{one}", "space": space, "row": 2 * number + 1, "root_id": f"mem_{one}",
               "version": 1, "statement": f"Crane {number} is red.", "kind": "fact", "confidence": 0.7,
               "equality_key": f"crane {number} is red", "model": "rules", "job_id": f"job_{one}",
               "actor_kind": "pipeline", "actor_id": f"job_{one}", "recorded_at": 1, "updated_at": 1}  # fmt: skip
    for one in ids:
        yield {"line": "source", "memory_id": f"mem_{one}", "kind": "document", "document_id": f"doc_{one}",
               "revision": 1, "chunk_id": f"chk_{one}", "job_id": f"job_{one}", "recorded_at": 1}  # fmt: skip


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of 50,000 lines."""
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    hashed, counts = hashlib.sha256(), Counter[str]()
    with path.open("wb") as file:
        for line in told("yard"):
            raw = json.dumps(line, separators=(",", ":")).encode() + b"\n"
            hashed.update(raw)
            counts[line["line"]] += line["line"] != "header"
            file.write(raw)
        del counts["header"]
        end = {"line": "end", "lines": counts.total(), "counts": counts, "sha256": hashed.hexdigest()}
        file.write(json.dumps(end).encode() + b"\n")
    return path


def kill(stack: Launched, words: str) -> None:
    found = stack.children(words)
    assert found, f"no process is called {words}"
    for one in found:
        one.kill()


def until_answering(stack: Launched) -> None:
    def answers() -> bool:
        try:
            return bool(requests.get(f"{stack.url}/v1/health", timeout=5).ok)
        except requests.ConnectionError:
            return False

    wait_until(answers, seconds=60, what="the API answers again")


class Watching:
    """Looks again and again at what of an import can be seen."""

    def __init__(self, stack: Launched, secret: str) -> None:
        """Begin to look."""
        self._url, self._headers = stack.url, {"Authorization": f"Bearer {secret}"}
        self._ended = threading.Event()
        self.seen: set[tuple[int, int]] = set()  # documents, results of a search
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(0.05):
            try:
                self.seen.add(self.now())
            except requests.RequestException:
                continue

    def now(self) -> tuple[int, int]:
        """Return how many documents there are, and whether the last memory is found."""
        listed = self._post("/v3/documents/list", {"containerTags": ["yard"], "limit": 1})
        words = f"crane {DOCUMENTS - 1} is red"
        found = self._post("/v4/search", {"q": words, "containerTag": "yard", "limit": 1})
        if not (listed.ok and found.ok):
            raise requests.ConnectionError("a process is away")
        return listed.json()["pagination"]["totalItems"], len(found.json()["results"])

    def _post(self, path: str, asked: dict[str, Any]) -> requests.Response:
        return requests.post(self._url + path, json=asked, headers=self._headers, timeout=30)

    def end(self) -> None:
        """Look no more."""
        self._ended.set()
        self._thread.join()


def test_the_api_is_killed_before_it_has_accepted(stack: Launched, large: Path) -> None:
    # given an import that is being received and checked
    secret = key_of(stack, "t-api")
    failed: list[BaseException] = []

    def send() -> None:
        try:
            with Client(stack.url, secret) as client, large.open("rb") as file:
                client.import_export(file)
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=send)
    thread.start()
    folder = stack.data_dir / "imports"
    wait_until(lambda: list(folder.glob("t-api.*")), seconds=60, what="the file is there")
    # when the API is killed
    kill(stack, "-m api")
    thread.join(timeout=120)
    until_answering(stack)
    # then the caller is told, nothing is there, and it can be sent again
    assert failed, "it was accepted before the API was killed"
    watching = Watching(stack, secret)
    watching.end()
    assert watching.now() == (0, 0)
    with Client(stack.url, secret) as client, large.open("rb") as file:
        made = client.import_export(file)
        wait_until(lambda: client.import_state(made["id"])["state"] == "finished", seconds=240, what="it is there")
    assert watching.now() == (DOCUMENTS, 1)


def test_api_writer_and_host_worker_are_killed_while_rows_are_made(stack: Launched, large: Path) -> None:
    # given an import that was accepted, and somebody who looks all the time
    secret = key_of(stack, "t-rows")
    with Client(stack.url, secret) as client, large.open("rb") as file:
        made = client.import_export(file)
    watching = Watching(stack, secret)

    def state() -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {secret}"}
        try:
            answer = requests.get(f"{stack.url}/v1/imports/{made['id']}", headers=headers, timeout=30)
        except requests.ConnectionError:
            return {"state": "away", "done": 0}
        return dict(answer.json()) if answer.ok else {"state": "away", "done": 0}

    try:
        # when every process that has to do with it is killed, again and again
        for part, words in enumerate(("workers reconcile", "-m api", "workers host", "workers reconcile"), 1):
            least = part * 8_000
            wait_until(lambda: state()["done"] > least, seconds=120, what=f"{least} lines are done")  # noqa: B023
            kill(stack, words)
            until_answering(stack)
        # then it goes on where it was and is finished
        wait_until(lambda: state()["state"] in ("finished", "failed"), seconds=240, what="it has ended")
        ended = state()
        time.sleep(0.2)
    finally:
        watching.end()
    assert (ended["state"], ended["reason"], ended["done"]) == ("finished", None, DOCUMENTS * 8 + 3)
    # and nobody has seen a half of it
    assert watching.seen <= {(0, 0), (DOCUMENTS, 1), (0, 1), (DOCUMENTS, 0)}
    assert watching.now() == (DOCUMENTS, 1)
    out: list[bytes] = []
    with Client(stack.url, secret) as client:
        counts = client.export(out.append)
    assert {kind: counts[kind] for kind in ("document", "chunk", "memory", "source")} == dict.fromkeys(
        ("document", "chunk", "memory", "source"), DOCUMENTS
    )
    assert list((stack.data_dir / "imports").glob("t-rows.*")) == []
