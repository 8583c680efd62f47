import pytest

from inference.wire_completion import read_completion
from memory.errors import ModelRefused


def answer(**choice):
    return {"choices": [{"message": {"role": "assistant", "content": "A"}, "finish_reason": "stop", **choice}]}


def first(*top):
    return {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": list(top)}]}


def test_an_answer_is_read():
    usage = {"prompt_tokens": 12, "completion_tokens": 1}
    top = ({"token": "A", "logprob": -0.1}, {"token": " B", "logprob": -2.5})

    found = read_completion({**answer(logprobs=first(*top)), "model": "small", "usage": usage})

    assert (found.content, found.finish_reason, found.model) == ("A", "stop", "small")
    assert found.shown == (("A", -0.1), (" B", -2.5))
    assert (found.prompt_tokens, found.completion_tokens) == (12, 1)


@pytest.mark.parametrize(
    "body",
    [None, [], {}, {"choices": []}, {"choices": {}}, {"choices": [None]}, {"choices": [{}]},
     {"choices": [{"message": "A"}]}],
)  # fmt: skip
def test_an_answer_without_a_message_is_refused(body):
    with pytest.raises(ModelRefused):
        read_completion(body)


@pytest.mark.parametrize("logprobs", [None, {}, [], {"content": None}, {"content": []}, {"content": ["A"]}, first()])
def test_missing_probabilities_are_none(logprobs):
    assert read_completion(answer(logprobs=logprobs)).shown == ()


def test_what_is_no_probability_is_left_out():
    odd = (
        {"token": "A"},
        {"token": "B", "logprob": None},
        {"token": 3, "logprob": -1.0},
        {"token": "C", "logprob": True},
    )
    beyond = ({"token": "D", "logprob": 2.0}, {"token": "E", "logprob": float("nan")}, "F")

    assert read_completion(answer(logprobs=first(*odd, *beyond, {"token": "G", "logprob": -1}))).shown == (("G", -1.0),)


def test_rounding_takes_no_token_above_certainty():
    assert read_completion(answer(logprobs=first({"token": "A", "logprob": 1e-7}))).shown == (("A", 0.0),)


def test_thinking_aloud_is_no_content():
    message = {"role": "assistant", "content": None, "reasoning_content": "Let me see"}

    assert read_completion(answer(message=message)).content == ""


def test_a_model_that_is_called_by_its_path_is_recorded_by_its_name():
    assert read_completion({**answer(), "model": "/srv/models/small.gguf"}).model == "small.gguf"
    assert read_completion({**answer(), "model": "maker/small"}).model == "maker/small"
