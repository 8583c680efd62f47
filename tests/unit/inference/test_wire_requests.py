"""The server's side of the wire."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inference.wire_requests import (
    MAX_TEXTS,
    Refusal,
    read_embeddings,
    read_object,
    read_rerank,
    rerank_body,
)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'"text"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_not_an_object_is_refused(raw: bytes) -> None:
    with pytest.raises(Refusal) as caught:
        read_object(raw)
    assert caught.value.status == 400


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "input"),
        ({"input": []}, "input"),
        ({"input": None}, "input"),
        ({"input": [1, 2]}, "input"),
        ({"input": {"a": 1}}, "input"),
        ({"input": "a", "encoding_format": "hex"}, "encoding_format"),
        ({"input": "a", "encoding_format": ["base64"]}, "encoding_format"),
        ({"input": "a", "model": 7}, "model"),
    ],
)
def test_a_wrong_embeddings_request_names_the_field(body: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal, match=field) as caught:
        read_embeddings(body)
    assert caught.value.status == 400


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"query": None}, "query"),
        ({"query": ["a"]}, "query"),
        ({"documents": None}, "documents"),
        ({"documents": []}, "documents"),
        ({"documents": "text"}, "documents"),
        ({"documents": [{"text": "a"}]}, "documents"),
        ({"top_n": 0}, "top_n"),
        ({"top_n": True}, "top_n"),
        ({"top_n": "3"}, "top_n"),
        ({"idf": [1]}, "idf"),
        ({"idf": {"a": "1"}}, "idf"),
        ({"idf": {"a": float("nan")}}, "idf"),
        ({"idf": {"a": -1}}, "idf"),
        ({"idf": {"a": True}}, "idf"),
    ],
)
def test_a_wrong_rerank_request_names_the_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Refusal, match=field) as caught:
        read_rerank({"query": "q", "documents": ["a"], **change})
    assert caught.value.status == 400


def test_too_many_texts_are_refused_as_too_large() -> None:
    with pytest.raises(Refusal) as caught:
        read_embeddings({"input": ["a"] * (MAX_TEXTS + 1)})
    assert caught.value.status == 413


def test_one_text_and_the_empty_text_are_texts() -> None:
    assert read_embeddings({"input": "a"}).texts == ("a",)
    assert read_embeddings({"input": ""}).texts == ("",)


def test_results_are_sorted_cut_and_stable() -> None:
    body = rerank_body(np.array([0.1, 0.9, 0.9, 0.2], np.float32), model="m", top_n=3, tokens=1)
    assert [result["index"] for result in body["results"]] == [1, 2, 3]


def test_an_error_has_llama_servers_shape() -> None:
    assert Refusal(401, "Invalid API Key").body == {
        "error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}
    }
