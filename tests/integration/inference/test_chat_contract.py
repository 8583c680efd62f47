"""What every language model's server promises, the fake and a real llama-server, asked through `inference.chat`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from inference.chat import check_chat, choose, write
from inference.fakes import FakeModelServer
from inference.wire import ModelServer
from memory.errors import BadAnswer, InputTooLong, ModelRefused, ModelTimeout, WrongModel

KEY = "a-key-for-tests"
CONTEXT = 1024  # tokens of a slot of llama_server.py
SLOWNESS = 0.02  # seconds that the fake takes for an answer, so that a caller can want it sooner than it comes
ASKED = [{"role": "user", "content": "A: Anna lives in Oslo.\nB: Copper is a metal.\nWhich is about Anna? One letter."}]
DOCUMENT = [
    {"role": "system", "content": "Write what the document says as JSON."},
    {"role": "user", "content": '<document source="note">\nFACT: Anna lives in Oslo.\n</document>'},
]
SCHEMA = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "maxLength": 60},
                    "kind": {"type": "string", "enum": ["fact", "preference", "episode"]},
                    "confidence": {"type": "number"},
                },
                "required": ["text", "kind", "confidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}


@pytest.fixture(params=["fake", "llama-server"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "fake":
        with FakeModelServer(key=KEY, roles=["llm"], limit=CONTEXT, delay=SLOWNESS) as fake:
            yield fake.url
        return
    yield request.getfixturevalue("llama").url


@pytest.fixture
def client(url: str) -> Iterator[ModelServer]:
    server = ModelServer(url, KEY, timeout=30.0)
    yield server
    server.close()


def test_it_is_healthy_and_answers(client: ModelServer) -> None:
    client.health()
    assert check_chat(client).content.strip() in ("A", "B")
    assert len(client.models()) == 1


@pytest.mark.parametrize("letters", [("A", "B"), ("A", "B", "C", "D")])
def test_letters_have_probabilities_that_sum_to_one(client: ModelServer, letters: tuple[str, ...]) -> None:
    found = choose(client, ASKED, letters)

    assert set(found.probabilities) == set(letters)
    assert sum(found.probabilities.values()) == pytest.approx(1.0)
    assert all(0.0 < share < 1.0 for share in found.probabilities.values())
    assert found.model
    assert found.prompt_tokens > 0


def test_the_same_question_has_the_same_answer(client: ModelServer) -> None:
    first, second = (choose(client, ASKED, ("A", "B")).probabilities for _ in range(2))

    assert first == pytest.approx(second, abs=0.02)


def test_a_schema_is_kept(client: ModelServer) -> None:
    found = write(client, DOCUMENT, schema=SCHEMA, max_tokens=400)

    facts = json.loads(found.text)["facts"]
    assert facts
    assert all(set(fact) == {"text", "kind", "confidence"} for fact in facts)
    assert all(fact["kind"] in ("fact", "preference", "episode") for fact in facts)
    assert found.completion_tokens > 0


def test_a_text_that_was_cut_is_an_error_that_keeps_what_there_is(client: ModelServer) -> None:
    with pytest.raises(BadAnswer) as caught:
        write(client, DOCUMENT, schema=SCHEMA, max_tokens=3)

    assert caught.value.details["reason"] == "length"
    assert caught.value.details["salvage"].startswith("{")


def test_a_prompt_over_the_context_is_too_long_and_the_server_lives_on(client: ModelServer) -> None:
    with pytest.raises(InputTooLong) as caught:
        choose(client, [{"role": "user", "content": "word " * 3000}], ("A", "B"))

    assert caught.value.details["limit"] == CONTEXT
    assert caught.value.details["tokens"] > CONTEXT
    assert check_chat(client).content


def test_a_wrong_key_is_refused(url: str) -> None:
    client = ModelServer(url, "wrong")
    with pytest.raises(ModelRefused, match="Invalid API Key"):
        check_chat(client)
    client.close()


def test_it_neither_embeds_nor_reranks_and_says_so(client: ModelServer) -> None:
    for kind in ("embedding", "rerank"):
        with pytest.raises(WrongModel, match="start flags"):
            client.check_kind(kind)  # type: ignore[arg-type]


def test_a_request_without_messages_is_refused(client: ModelServer) -> None:
    with pytest.raises(ModelRefused, match="'messages' is required") as caught:
        client.chat({"max_tokens": 1})
    assert caught.value.details["status"] == 400


def test_several_callers_get_their_own_answers(client: ModelServer) -> None:
    asked = [("A", "B"), ("C", "D"), ("E", "F"), ("G", "H")]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda letters: choose(client, ASKED, letters), asked))

    assert [tuple(one.probabilities) for one in found] == asked


def test_a_caller_does_not_wait_longer_than_it_wants(client: ModelServer) -> None:
    with pytest.raises(ModelTimeout):
        write(client, DOCUMENT, max_tokens=900, timeout=SLOWNESS / 4)
    assert check_chat(client).content
