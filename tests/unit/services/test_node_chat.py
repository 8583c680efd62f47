"""NODE-07: only an allowed answer counts; the rest is asked again, then left undecided, counted and seen."""

import json
import time
from dataclasses import replace

import pytest

from inference.fake_chat import Reply, likely
from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from memory.settings import Settings
from services import node_work, wiring_node
from services.fakes import RecordingQueue
from services.node_chat import (
    MOST_PASSES,
    MOST_TRIES,
    Question,
    Sending,
    can_ask,
    extract_item,
    judge_item,
    pass_on,
)

LETTERS = ("A", "B", "C", "D")
SENDING = Sending(tenant="t", item=7, attempt=1)
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "object", "properties": {
    "text": {"type": "string"}}}}}}  # fmt: skip
DOCUMENT = [{"role": "user", "content": '<document source="a">\nFACT: Tea is hot.\n</document>'}]
# Of case NODE-07, and tokens that are no letters.
PROSE = [
    Reply(content="Sure! These look like DUPLICATE facts"),
    Reply(content="DISTINCT\n"),
    Reply(content="duplicate"),
    Reply(content=""),
    Reply(content="UPDATE UPDATE"),
    Reply(content="X", tokens={"X": 0.9, "Y": 0.1}),
    Reply(content="Sure", tokens={"Sure": 0.9, "A": 0.05}),
]


def question(number=0, words="the same fact?"):
    return Question(id=f"q{number}", messages=[{"role": "user", "content": words}], letters=LETTERS)


@pytest.fixture
def fake():
    with FakeModelServer() as server:
        yield server


@pytest.fixture
def make(tmp_path):
    made = []

    def build(url, **settings):
        told = Settings(data_dir=str(tmp_path), llm_url=url, background_timeout=5.0, time_factor=100.0, **settings)
        made.append(wiring_node.build(told, queue=RecordingQueue(), replies=None, lane="background"))
        return made[-1]

    yield build
    for node in made:
        node.health.stop()
        for model in (node.embedder, node.reranker, node.llm):
            model.server.close()


@pytest.fixture
def node(fake, make):
    return make(fake.url)


def result(node):
    (message,) = node.queue.take("reconcile")
    assert (message.task, message.held) == ("item.done", ("t", 7, 1))
    return message.payload["result"]


def asked(fake, words="fact"):
    bodies = [request.body for request in fake.requests if request.path == "/v1/chat/completions"]
    return [body for body in bodies if words in body["messages"][0]["content"]]


def test_each_question_is_answered_by_probabilities(fake, node):
    fake.chat.judge = lambda prompt, letters: likely("B" if "second" in prompt else "D", letters)

    judge_item(node, SENDING, [question(0), question(1, "the second fact?")])

    found = result(node)
    assert (found["status"], found["node"]) == ("done", "local")
    first, second = found["answers"]
    assert (first["id"], first["model"], first["bad"]) == ("q0", "fake-words", 0)
    assert first["probabilities"]["D"] == second["probabilities"]["B"] == pytest.approx(0.97)
    assert node.bad_answers.count == 0


@pytest.mark.parametrize("reply", PROSE, ids=lambda reply: reply.content or "nothing")
def test_a_bad_answer_is_asked_again_and_then_undecided(fake, node, reply):
    fake.chat.answer_on("fact", reply)

    judge_item(node, SENDING, [question()])

    (answer,) = result(node)["answers"]
    assert (answer["probabilities"], answer["bad"]) == ({}, MOST_TRIES)
    assert len(asked(fake)) == MOST_TRIES
    assert node.bad_answers.count == MOST_TRIES
    assert node.health.failing == ()


def test_a_good_answer_after_a_bad_one_counts(fake, node):
    fake.chat.answer_next(Reply(content="Sure!"))
    fake.chat.answer_on("animal", Reply(content="A"))

    judge_item(node, SENDING, [question()])

    (answer,) = result(node)["answers"]
    assert (max(answer["probabilities"], key=answer["probabilities"].get), answer["bad"]) == ("D", 1)


def test_without_probabilities_an_exact_letter_counts(fake, node):
    fake.chat.answer_on("fact", Reply(content=" C\n"))

    judge_item(node, SENDING, [question()])

    assert result(node)["answers"][0]["probabilities"] == {"A": 0.0, "B": 0.0, "C": 1.0, "D": 0.0}


def test_a_server_that_answers_everything_with_nothing_is_at_fault_and_the_item_waits(fake, node):
    fake.chat.answer_on("", Reply(content=""))

    judge_item(node, SENDING, [question()])

    found = result(node)
    assert (found["status"], found["reason"].startswith("local: ")) == ("unavailable", True)


@pytest.mark.parametrize("fault", [Fault(refuse=True), Fault(status=500), Fault(bend="html")])
def test_a_server_that_fails_makes_the_item_wait(fake, node, fault):
    fake.fail_always(fault)

    judge_item(node, SENDING, [question()])

    assert result(node)["status"] == "unavailable"
    assert node.bad_answers.count == 0


def test_a_question_that_the_server_cannot_take_fails(make):
    with FakeModelServer(limit=150) as small:
        node = make(small.url)
        judge_item(node, SENDING, [question(0, "word " * 200)])

    found = result(node)
    assert (found["status"], "over the model's limit" in found["reason"]) == ("failed", True)


def test_a_text_is_written_for_an_item(fake, node):
    extract_item(node, SENDING, DOCUMENT, SCHEMA, 200)

    found = result(node)
    assert json.loads(found["text"]) == {"facts": [{"text": "Tea is hot."}]}
    assert (found["status"], found["model"], found["tries"], found["bad"]) == ("done", "fake-words", 1, 0)
    assert "broken" not in found


def test_a_text_that_is_no_object_is_asked_for_again(fake, node):
    fake.chat.answer_next(Reply(content="Here you are:"), Reply(content="A"), Reply(content="[]"), Reply(content="A"))

    extract_item(node, SENDING, DOCUMENT, SCHEMA, 200)

    found = result(node)
    assert json.loads(found["text"])["facts"]
    assert (found["tries"], found["bad"]) == (3, 2)
    assert node.bad_answers.count == 2


def test_a_text_that_stays_cut_is_sent_as_far_as_it_goes(fake, node):
    fake.chat.answer_on("document", Reply(content='{"facts": [{"text": "Tea', finish_reason="length"))

    extract_item(node, SENDING, DOCUMENT, SCHEMA, 200)

    found = result(node)
    assert (found["status"], found["text"]) == ("done", '{"facts": [{"text": "Tea')
    assert "cut" in found["broken"]
    # the same words twice: a third time would bring them again
    assert (found["tries"], found["bad"]) == (2, 2)


def test_a_text_that_stays_empty_is_broken_and_not_no_facts(fake, node):
    fake.chat.answer_on("document", Reply(content=""))

    extract_item(node, SENDING, DOCUMENT, SCHEMA, 200)

    found = result(node)
    assert (found["status"], found["text"]) == ("done", "")
    assert "nothing" in found["broken"]


def test_all_tries_end_within_two_of_the_longest_calls(fake, make):
    node = make(fake.url)
    slow = wiring_node.build(
        replace(node.settings, background_timeout=0.2), queue=node.queue, replies=None, lane="background"
    )
    fake.fail_on("second", Fault(delay=5.0))
    began = time.monotonic()

    judge_item(slow, SENDING, [question(0), question(1, "the second fact?"), question(2)])

    assert result(node)["status"] == "failed"
    assert time.monotonic() - began < 2.0
    slow.llm.server.close()


def test_a_node_without_a_language_model_passes_the_message_on(make):
    node = make("")
    message = {"questions": [{"id": "q"}]}

    assert not can_ask(node)
    pass_on(node, SENDING, "judge.options", message, passes=3)

    (sent,) = node.queue.sent
    assert (sent.task, sent.queue, sent.held) == ("judge.options", "background", ("t", 7, 1))
    assert sent.payload["questions"] == [{"id": "q"}]
    assert sent.payload["passes"] == 4


def test_a_message_that_went_round_the_fleet_waits_at_the_host(make):
    node = make("")

    pass_on(node, SENDING, "judge.options", {"questions": []}, passes=MOST_PASSES)

    found = result(node)
    assert (found["status"], found["reason"].startswith("No node with an LLM server")) == ("unavailable", True)


def test_a_node_whose_language_model_is_known_to_fail_passes_on_too(fake, node):
    fake.fail_always(Fault(refuse=True))
    judge_item(node, SENDING, [question()])

    assert not can_ask(node)
    assert node.health.failing == ("llm",)
    # it still embeds
    assert node.health.healthy


def test_the_check_at_the_start_looks_at_the_language_model_as_well(fake, node, make):
    assert node_work.check_models(node) is None
    with FakeModelServer(roles=["embed"]) as embedder:
        assert "start flags" in node_work.check_models(make(embedder.url))
