import pytest

from inference.chat import PROBE_MESSAGES, check_chat, choose, write
from inference.fake_chat import FakeChat, Reply, likely
from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from inference.wire import ModelServer
from memory.errors import BadAnswer, InputTooLong, ModelRefused, ModelTimeout, ModelUnavailable, WrongModel

ASKED = [{"role": "user", "content": "The same fact? A: yes, B: no"}]
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "object", "properties": {
    "text": {"type": "string"}, "kind": {"enum": ["fact", "preference"]}, "confidence": {"type": "number"},
    "valid_from": {"type": ["string", "null"]}, "entities": {"type": "array", "items": {"type": "string"}},
}}}}}  # fmt: skip


@pytest.fixture
def fake():
    with FakeModelServer() as server:
        yield server


@pytest.fixture
def server(fake):
    client = ModelServer(fake.url, timeout=5.0)
    yield client
    client.close()


def test_a_question_is_asked_so_that_only_a_letter_can_be_answered(fake, server):
    choose(server, ASKED, ("A", "B"))

    (request,) = fake.requests
    assert request.body == {
        "messages": ASKED, "max_tokens": 1, "grammar": 'root ::= "A" | "B"', "logprobs": True, "top_logprobs": 20,
        "temperature": 0, "chat_template_kwargs": {"enable_thinking": False}, "cache_prompt": True,
    }  # fmt: skip


def test_letters_come_with_their_probabilities(fake, server):
    fake.chat.judge = lambda prompt, letters: likely("B", letters, 0.9) if "same" in prompt else likely("A", letters)

    found = choose(server, ASKED, ("A", "B"))

    assert found.probabilities == pytest.approx({"A": 0.1, "B": 0.9})
    assert (found.model, found.prompt_tokens > 0) == ("fake-words", True)


def test_a_text_is_written_after_a_schema(fake, server):
    told = [
        {
            "role": "user",
            "content": '<document source="a">\nFACT: Tea is hot.\nFACT: Ice is cold.\n</document>\nFACT: no',
        }
    ]

    found = write(server, told, schema=SCHEMA, max_tokens=200)

    assert '"text": "Tea is hot."' in found.text
    assert '"text": "Ice is cold."' in found.text
    assert '"no"' not in found.text
    assert fake.requests[0].body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert found.completion_tokens > 0


def test_free_text_is_written_without_one(fake, server):
    assert write(server, ASKED, max_tokens=50).text
    assert "response_format" not in fake.requests[0].body


@pytest.mark.parametrize("content", ["", " \n"])
def test_nothing_is_an_error_and_not_an_answer(fake, server, content):
    fake.chat.answer_next(Reply(content=content))

    with pytest.raises(BadAnswer, match="nothing"):
        write(server, ASKED, max_tokens=50)


def test_a_text_that_was_cut_is_an_error_that_keeps_what_there_is(server):
    with pytest.raises(BadAnswer) as caught:
        write(server, ASKED, max_tokens=3)

    assert caught.value.details == {"reason": "length", "salvage": "I was told "}


def test_a_name_is_sent_along_when_there_is_one(fake):
    client = ModelServer(fake.url, model="small")

    assert choose(client, ASKED, ("A", "B")).model == "small"
    client.close()


def test_a_server_of_another_kind_says_so():
    with FakeModelServer(roles=["embed"]) as embedder:
        client = ModelServer(embedder.url)
        with pytest.raises(WrongModel, match="start flags"):
            check_chat(client)
        client.close()


def test_a_server_that_answers_nothing_is_found_out(fake, server):
    assert check_chat(server).content
    fake.chat.answer_on("animal", Reply(content=""))

    with pytest.raises(BadAnswer, match="chat template"):
        check_chat(server)
    assert fake.requests[-1].body["messages"] == list(PROBE_MESSAGES)


def test_a_prompt_over_the_context_is_too_long():
    with FakeModelServer(limit=100) as small:
        client = ModelServer(small.url)
        with pytest.raises(InputTooLong) as caught:
            choose(client, [{"role": "user", "content": "word " * 100}], ("A", "B"))
        assert caught.value.details == {"status": 400, "tokens": 250, "limit": 100}
        client.close()


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(refuse=True), ModelUnavailable),
        (Fault(status=503), ModelUnavailable),
        (Fault(status=500), ModelRefused),
        (Fault(bend="empty"), ModelRefused),
        (Fault(bend="html"), ModelRefused),
        (Fault(delay=5.0), ModelTimeout),
    ],
)
def test_faults_are_told_apart(fake, server, fault, error):
    fake.fail_always(fault)

    with pytest.raises(error) as caught:
        choose(server, ASKED, ("A", "B"), timeout=0.5)
    assert not isinstance(caught.value, BadAnswer)
    fake.fail_always(None)


def test_a_fault_may_lie_in_the_words(fake, server):
    fake.fail_on("same fact", Fault(status=500))

    with pytest.raises(ModelRefused):
        choose(server, ASKED, ("A", "B"))
    assert check_chat(server).content


def test_a_fake_is_told_what_to_answer_from_outside():
    chat = FakeChat()

    chat.obey({"words": "same", "reply": {"content": "B"}})

    assert chat.complete({"messages": ASKED}, model="m")["choices"][0]["message"]["content"] == "B"
    chat.obey({"words": "same", "reply": None})
    assert chat.complete({"messages": ASKED}, model="m")["choices"][0]["message"]["content"] != "B"
    with pytest.raises(ValueError, match="not an order"):
        chat.obey({"words": "same", "reply": {"contents": "B"}})
