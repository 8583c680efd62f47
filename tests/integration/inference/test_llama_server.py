"""What only a real llama-server can show: its grammars, its probabilities, and a node's work done with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Celery

from inference.chat import choose, write
from inference.wire import ModelServer
from inference.wire_completion import read_completion
from memory.errors import BadAnswer, ModelRefused
from memory.settings import Settings
from nodeagent.probes import Probe
from services import node_work, wiring_node
from services.fakes import RecordingQueue
from services.node import Node
from tests.integration.inference.conftest import KEY, Llama
from tests.integration.inference.test_chat_contract import ASKED, DOCUMENT, SCHEMA
from workers import node_tasks

IDS = {"tenant": "default", "item": 3, "attempt": 1}


@pytest.fixture
def client(llama: Llama) -> Iterator[ModelServer]:
    server = ModelServer(llama.url, KEY, timeout=30.0)
    yield server
    server.close()


@pytest.fixture
def node(llama: Llama, tmp_path: Path) -> Iterator[Node]:
    settings = Settings(data_dir=str(tmp_path), llm_url=llama.url, llm_model="smollm2", node_key=KEY)
    node: Any = wiring_node.build(settings, queue=RecordingQueue(), replies=None, lane="background")  # type: ignore[arg-type]
    yield node
    node.health.stop()
    node.llm.server.close()


class NoMarks:
    """Counts nothing as in flight."""

    def holding(self, *held: Any) -> Any:
        return memoryview(b"")


def do(node: Node, task: str, **message: Any) -> dict[str, Any]:
    """Run a node's task as its worker does, and return what goes back to the host."""
    app = Celery("test", set_as_current=False, fixups=[])
    node_tasks.register(app, node, NoMarks())  # type: ignore[arg-type]
    app.tasks[task](**IDS, **message)
    queue: Any = node.queue
    (sent,) = queue.take("reconcile")
    assert (sent.task, sent.held) == ("item.done", ("default", 3, 1))
    result: dict[str, Any] = sent.payload["result"]
    return result


def test_only_letters_that_are_allowed_are_answered(client: ModelServer) -> None:
    body = {"messages": ASKED, "max_tokens": 1, "grammar": 'root ::= "Q" | "Z"', "temperature": 0}

    assert read_completion(client.chat(body)).content in ("Q", "Z")


def test_probabilities_are_those_from_before_the_grammar(client: ModelServer) -> None:
    body = {"messages": ASKED, "max_tokens": 1, "grammar": 'root ::= "A" | "B"', "temperature": 0, "logprobs": True,
            "top_logprobs": 20}  # fmt: skip

    found = read_completion(client.chat(body))

    assert len(found.shown) == 20
    assert {token.strip() for token, _ in found.shown} - {"A", "B"}


def test_a_letter_that_is_not_among_the_likeliest_keeps_a_small_probability(client: ModelServer) -> None:
    found = choose(client, ASKED, ("A", "Ω")).probabilities

    assert 0.0 < found["Ω"] < found["A"]


def test_a_schema_that_cannot_be_kept_is_the_fault_of_who_asked(client: ModelServer) -> None:
    with pytest.raises(ModelRefused) as caught:
        write(client, DOCUMENT, schema={"type": "nonsense"}, max_tokens=10)
    assert caught.value.details["status"] == 400
    assert not isinstance(caught.value, BadAnswer)


def test_a_nodes_agent_finds_it_well_and_not_an_embedder(llama: Llama) -> None:
    reports = {}
    for role in ("llm", "embed"):
        probe = Probe("n1", role, ModelServer(llama.url, KEY))  # type: ignore[arg-type]
        probe.look(0.0)
        probe.close()
        reports[role] = probe.report

    assert reports["llm"].healthy
    assert reports["llm"].model
    assert not reports["embed"].healthy
    assert "does not support embeddings" in reports["embed"].reason


def test_an_embedding_server_in_its_place_is_found_out(embedded: Any, tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), llm_url=embedded.background, node_key=KEY)
    node: Any = wiring_node.build(settings, queue=RecordingQueue(), replies=None, lane="background")  # type: ignore[arg-type]

    assert "start flags" in str(node_work.check_models(node))
    node.llm.server.close()


def test_a_judge_item_is_done(node: Node) -> None:
    questions = [{"id": str(number), "messages": ASKED, "letters": ["A", "B", "C", "D"]} for number in range(3)]

    found = do(node, "judge.options", questions=questions)

    assert (found["status"], found["node"], found["ms"] >= 0) == ("done", "local", True)
    assert [answer["id"] for answer in found["answers"]] == ["0", "1", "2"]
    for answer in found["answers"]:
        assert sum(answer["probabilities"].values()) == pytest.approx(1.0)
        assert (answer["model"], answer["bad"]) == ("smollm2", 0)


def test_an_extraction_item_is_done(node: Node) -> None:
    found = do(node, "extract.group", messages=DOCUMENT, schema=SCHEMA, max_tokens=400)

    assert (found["status"], found["model"], found["tries"], found["bad"]) == ("done", "smollm2", 1, 0)
    assert json.loads(found["text"])["facts"]


def test_an_extraction_item_that_is_cut_says_so(node: Node) -> None:
    found = do(node, "extract.group", messages=DOCUMENT, schema=SCHEMA, max_tokens=5)

    assert (found["status"], "cut" in found["broken"]) == ("done", True)
    assert node.bad_answers.count == found["bad"] >= 2


def test_an_item_over_the_context_fails_and_the_node_stays(node: Node) -> None:
    long = [{"role": "user", "content": "word " * 3000}]

    found = do(node, "extract.group", messages=long, schema=SCHEMA, max_tokens=50)

    assert (found["status"], "over the model's limit" in found["reason"]) == ("failed", True)
    assert node.health.failing == ()
