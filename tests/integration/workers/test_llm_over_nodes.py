"""NODE-07 and mixed fleets: work for a language model finds the nodes that have one, and bad answers are seen there."""

import pytest

from inference.fake_chat import Reply
from tests.integration.workers.fleet import REFUSED
from tests.integration.workers.test_background_over_nodes import results

pytestmark = pytest.mark.timeout(120)
DOCUMENT = [{"role": "user", "content": '<document source="a">\nFACT: Tea is hot.\n</document>'}]
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "object", "properties": {
    "text": {"type": "string"}}}}}}  # fmt: skip
# Of case NODE-07.
PROSE = ["Sure! These look like DUPLICATE facts", "DISTINCT\n", "duplicate", "UPDATE UPDATE"]


def judge(number, words="the same fact?"):
    question = {"id": "q", "messages": [{"role": "user", "content": words}], "letters": ["A", "B", "C", "D"]}
    return {"tenant": "t", "item": number, "attempt": 1, "questions": [question]}


def test_work_for_a_language_model_is_done_where_there_is_one(fleet):
    fleet.node("b1", lane="background")
    fleet.node("b2", lane="background", llm=True)
    fleet.start("background@b1", "background@b2")
    fleet.until(lambda: fleet.consuming("background") == {"b1", "b2"})

    for number in range(6):
        fleet.queue.send("judge.options", judge(number), queue="background")
    extraction = {"tenant": "t", "item": 6, "attempt": 1, "messages": DOCUMENT, "schema": SCHEMA, "max_tokens": 100}
    fleet.queue.send("extract.group", extraction, queue="background")
    fleet.queue.send("embed.texts", {"tenant": "t", "item": 7, "attempt": 1, "texts": ["a"]}, queue="background")

    found = results(fleet, 8)
    assert {result["status"] for result in found.values()} == {"done"}
    assert {found[number]["node"] for number in range(7)} == {"b2"}
    assert found[6]["text"] == '{"facts": [{"text": "Tea is hot."}]}'
    assert found[0]["answers"][0]["probabilities"]["D"] > 0.9


def test_without_any_language_model_the_work_waits_and_says_why(fleet):
    fleet.node("b1", lane="background")
    fleet.changes = {"MEMLANE_TIME_FACTOR": "20"}
    fleet.start("background@b1")

    fleet.queue.send("judge.options", judge(1), queue="background")

    result = results(fleet, 1)[1]
    assert result["status"] == "unavailable"
    assert "No node with an LLM server" in result["reason"]


def test_bad_answers_leave_a_question_undecided_and_are_seen_at_the_node(fleet):
    node = fleet.node("b1", lane="background", llm=True)
    fleet.start("background@b1")
    for words in PROSE:
        node.llm.chat.answer_on(f"about {words}", Reply(content=words))

    for number, words in enumerate(PROSE):
        fleet.queue.send("judge.options", judge(number, f"about {words}"), queue="background")

    found = results(fleet, 4)
    assert [(result["status"], result["answers"][0]["probabilities"]) for result in found.values()] == [
        ("done", {})
    ] * 4
    assert [result["answers"][0]["bad"] for result in found.values()] == [3] * 4
    fleet.until(lambda: fleet.beat("background@b1").bad_answers == 12)
    assert fleet.beat("background@b1").healthy


def test_a_language_model_that_is_down_is_waited_for_while_its_node_embeds(fleet):
    node = fleet.node("b1", lane="background", llm=True)
    fleet.changes = {"MEMLANE_TIME_FACTOR": "20"}
    fleet.start("background@b1")
    node.llm.fail_always(REFUSED)

    fleet.queue.send("judge.options", judge(1), queue="background")
    fleet.queue.send("embed.texts", {"tenant": "t", "item": 2, "attempt": 1, "texts": ["a"]}, queue="background")

    found = results(fleet, 2)
    assert (found[1]["status"], found[2]["status"]) == ("unavailable", "done")
    fleet.until(lambda: fleet.beat("background@b1").failing == ("llm",))
    node.llm.fail_always(None)
    fleet.until(lambda: fleet.beat("background@b1").failing == ())
    fleet.queue.send("judge.options", judge(3), queue="background")
    assert results(fleet, 3)[3]["status"] == "done"
