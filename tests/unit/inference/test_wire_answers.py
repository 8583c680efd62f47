"""Answers as real llama-servers wrote them, right and wrong."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from inference.wire_answers import answer_json, read_scores, read_vectors, refusal
from memory.errors import InputTooLong, MemlaneError, ModelRefused, ModelUnavailable, WrongModel

BASE64 = "AABAQAAAgEA="  # 3.0, 4.0


@pytest.mark.parametrize(
    "answer",
    [
        {"model": "m", "object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [3.0, 4.0]}]},
        {"data": [{"index": 0, "embedding": BASE64}]},
        {"data": [{"embedding": [3, 4]}]},
        [{"index": 0, "embedding": [[3.0, 4.0]]}],
        {"embedding": [3.0, 4.0]},
        {"embedding": [3e30, 4e30]},
    ],
    ids=["openai", "base64", "no index", "legacy", "bare", "large"],
)
def test_every_known_shape_gives_the_same_vector(answer: Any) -> None:
    vectors = read_vectors(answer, 1, 2)
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [pytest.approx([0.6, 0.8])]


def test_vectors_are_put_in_the_order_of_their_index() -> None:
    answer = {"data": [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [2.0, 0.0]}]}
    assert read_vectors(answer, 2, 2).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([{"index": 0, "embedding": [[1.0, 0.0], [0.0, 1.0]]}], "Pooling is off"),
        ([{"embedding": [[1.0, 0.0], [0.0, 1.0]]}], "Pooling is off"),
        ({"embedding": [0.0, 0.0]}, "zeros"),
        ({"embedding": [1.0, 0.0, 0.0]}, "3 numbers, not 2"),
    ],
    ids=["legacy matrix", "matrix", "zeros", "dimension"],
)
def test_the_wrong_server_is_recognised(answer: Any, words: str) -> None:
    with pytest.raises(WrongModel, match=words):
        read_vectors(answer, 1, 2)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "text",
        {"data": []},
        {"data": None},
        {"data": [1]},
        {"data": [{"index": 0}]},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": True, "embedding": [1.0]}]},
        {"data": [{"index": "0", "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": ""}]},
        {"data": [{"index": 0, "embedding": "@@@"}]},
        {"data": [{"index": 0, "embedding": [None]}]},
        {"data": [{"index": 0, "embedding": ["1.0"]}]},
        {"data": [{"index": 0, "embedding": [float("nan")]}]},
        {"data": [{"index": 0, "embedding": [1e300]}]},
        {"data": [{"index": 0, "embedding": [10**400]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
    ],
)
def test_an_answer_that_cannot_be_right_is_refused(answer: Any) -> None:
    with pytest.raises(ModelRefused):
        read_vectors(answer, 1, None)


def test_vectors_of_different_lengths_are_refused() -> None:
    with pytest.raises(ModelRefused, match="different lengths"):
        read_vectors({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 1.0]}]}, 2, None)


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [{"index": 1, "relevance_score": -2.5}, {"index": 0, "relevance_score": -7}]},
        [{"index": 1, "score": -2.5}, {"index": 0, "score": -7.0}],
    ],
    ids=["v1", "tei"],
)
def test_scores_come_raw_in_the_order_of_the_passages(answer: Any) -> None:
    assert read_scores(answer, 2).tolist() == [-7.0, -2.5]


@pytest.mark.parametrize("indices", [[0], [0, 0], [0, 2], [0, -1], [0, 1, 2], [0, None], [0, 1.0]])
def test_scores_with_wrong_indices_are_refused(indices: list[Any]) -> None:
    with pytest.raises(ModelRefused):
        read_scores({"results": [{"index": index, "relevance_score": 0.5} for index in indices]}, 2)


@pytest.mark.parametrize("score", [None, "0.5", float("nan"), float("inf"), [0.5], True])
def test_a_score_that_is_no_number_is_refused(score: Any) -> None:
    with pytest.raises(ModelRefused):
        read_scores({"results": [{"index": 0, "relevance_score": score}]}, 1)


@pytest.mark.parametrize("raw", [b"", b" \n", b"<html>", b"{", b"\xff\xfe"])
def test_a_good_status_without_a_good_body_is_refused(raw: bytes) -> None:
    with pytest.raises(ModelRefused):
        answer_json(raw)


TOO_LARGE = "input (902 tokens) is too large to process. increase the physical batch size (current batch size: 512)"


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (500, {"message": TOO_LARGE, "type": "server_error"}, InputTooLong),
        (400, {"message": "too long", "type": "exceed_context_size_error"}, InputTooLong),
        (413, {"message": "many bytes"}, InputTooLong),
        (500, {"message": "out of memory"}, ModelRefused),
        (400, {"message": "failed to parse grammar"}, ModelRefused),
        (401, {"message": "Invalid API Key", "type": "authentication_error"}, ModelRefused),
        (501, {"message": "This server does not support embeddings.", "type": "not_supported_error"}, WrongModel),
        (404, {"message": "File Not Found"}, WrongModel),
        (503, {"message": "Loading model", "type": "unavailable_error"}, ModelUnavailable),
    ],
)
def test_an_error_answer_becomes_the_error_it_means(
    status: int, error: dict[str, Any], expected: type[MemlaneError]
) -> None:
    found = refusal(status, json.dumps({"error": {"code": status, **error}}).encode())
    assert type(found) is expected
    assert error["message"] in found.message
    assert found.details["status"] == status


def test_the_limit_is_learnt_from_the_refusal() -> None:
    body = {"error": {"code": 500, "message": TOO_LARGE}}
    assert refusal(500, json.dumps(body).encode()).details == {"status": 500, "tokens": 902, "limit": 512}
    body = {"error": {"type": "exceed_context_size_error", "message": "m", "n_prompt_tokens": 700, "n_ctx": 512}}
    assert refusal(400, json.dumps(body).encode()).details == {"status": 400, "tokens": 700, "limit": 512}


@pytest.mark.parametrize("page", [b"<p>" * 5000, b"\n<!DOCTYPE HTML>\n<html>\n<title>No</title>", b"<HTML lang='en'>"])
def test_a_web_page_is_named_and_not_shown(page: bytes) -> None:
    found = refusal(404, page, "http://10.83.0.13:8080")
    assert found.message == "http://10.83.0.13:8080 answered 404 with a web page; another server listens there."
    with pytest.raises(ModelRefused, match=r"http://x answered 200 with a web page; another server listens there\.$"):
        answer_json(page, "http://x")


def test_words_of_a_server_are_one_line_and_not_whole() -> None:
    message = refusal(500, b"line\n" * 5000, "http://x").message
    assert len(message) < 400
    assert "\n" not in message


def test_a_wrong_key_is_said_with_the_address_and_the_setting() -> None:
    found = refusal(401, b'{"error": {"message": "Invalid API Key"}}', "http://x:8080")
    assert found.message == (
        "http://x:8080 answered 401: Invalid API Key; MEMLANE_NODE_KEY must be the key it was started with."
    )


def test_another_dimension_is_said_with_the_address() -> None:
    with pytest.raises(WrongModel, match=r"^http://x answers vectors of 2 numbers, not 3; another model"):
        read_vectors({"embedding": [3.0, 4.0]}, 1, 3, "http://x")
