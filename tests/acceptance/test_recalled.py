"""What was recalled and is said again in a conversation teaches nothing: twenty turns of it add no memory.

By answers and search results pasted back, with and without the marks that our context carries; with the rules and with
a scripted language model that would write down whatever it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memory.recalled import RECALLED_CLOSE, RECALLED_OPEN
from tests.telling import Telling, telling

TURNS = 20
SHELVES = 16  # results of a search for them are longer than one statement can be
QUESTIONS = (
    "Where did Ines move?",
    "What do the shelves of the depot hold?",
    "What is the gate code?",
    "Which colour is the pump in cellar 2?",
)


@pytest.fixture(scope="module", params=["rules", "model"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Telling]:
    with telling(tmp_path_factory.mktemp(request.param) / "data", request.param) as one:
        yield one


def marked(told: Telling, space: str, q: str) -> str:
    return str(told.stack.post("/v1/ask", q=q, container_tag=space)["context"])


def unmarked(told: Telling, space: str, q: str) -> str:
    return marked(told, space, q).replace(RECALLED_OPEN, "").replace(RECALLED_CLOSE, "").strip()


def answered(told: Telling, space: str, q: str) -> str:
    return str(told.stack.post("/v1/ask", q=q, container_tag=space)["answer"])


def found(told: Telling, space: str, q: str) -> str:
    hits = told.stack.search(q, containerTag=space, searchMode="hybrid")
    return "\n".join(f"* {one.get('memory') or one['chunk']}" for one in hits)


def pasted(told: Telling, space: str, q: str) -> str:
    return json.dumps(told.stack.post("/v4/search", q=q, containerTag=space, searchMode="hybrid"), indent=1)


def profiled(told: Telling, space: str, q: str) -> str:
    lines = told.stack.post("/v4/profile", containerTag=space)["profile"]
    return "Here is what I know:\n" + "\n".join(f"- {one}" for one in [*lines["static"], *lines["dynamic"]])


def profile_json(told: Telling, space: str, q: str) -> str:
    return json.dumps(told.stack.post("/v4/profile", containerTag=space))


def packed(told: Telling, space: str, q: str) -> str:
    return str(told.stack.post("/v1/context", query=q, container_tag=space, session_id="first")["context"])


def packed_unmarked(told: Telling, space: str, q: str) -> str:
    return packed(told, space, q).replace(RECALLED_OPEN, "").replace(RECALLED_CLOSE, "").strip()


def packed_json(told: Telling, space: str, q: str) -> str:
    told_as = {"container_tag": space, "session_id": "first", "format": "json"}
    return json.dumps(told.stack.post("/v1/context", query=q, **told_as)["context"], indent=1)


RECALLS = (
    marked, unmarked, answered, found, pasted, profiled, profile_json, packed, packed_unmarked, packed_json
)  # fmt: skip


@pytest.mark.parametrize("recall", RECALLS, ids=lambda one: one.__name__)
def test_twenty_turns_of_what_was_recalled_add_no_memory(
    told: Telling, space: str, recall: Callable[[Telling, str, str], str]
) -> None:
    # given facts from each door
    told.say(space, "I moved to the north site.", name="Ines", at="2023-05-08T09:30:00Z", conversation="first")
    told.write(space, "The gate code is 4417.")
    told.document(space, "The pump in cellar 2 is blue.\nThe pump in cellar 2 was made in 1998.", title="Manual")
    for number in range(SHELVES):
        told.write(space, f"Shelf {number} of the depot holds the parts of crane {number * 7}.")
    told.settle(space)
    before = told.versions(space)
    waiting = told.stack.get("/v1/conflicts", container_tag=space)["conflicts"]
    assert len(before) == 4 + SHELVES

    # when what is recalled of them comes back as a user's words and as an assistant's, twenty times
    for turn in range(TURNS):
        q = QUESTIONS[turn % len(QUESTIONS)]
        text = recall(told, space, q)
        assert text
        role = "assistant" if turn % 2 else "user"
        message: dict[str, Any] = {"role": role, "content": f"ok\n\n{text}"}
        body = {"conversationId": "talk", "containerTag": space, "messages": [message]}
        sent = told.stack.post("/v4/conversations", **body)
        job = told.stack.job(sent["jobId"])
        assert (job["state"], job["reason"]) == ("done", None)

    # then
    after = told.versions(space)
    assert [one["memory"] for one in after] == [one["memory"] for one in before]
    assert {one["version"] for one in after} == {1}
    if recall in (marked, answered):
        assert [one["confidence"] for one in after] == [one["confidence"] for one in before]
    assert told.stack.get("/v1/conflicts", container_tag=space)["conflicts"] == waiting
