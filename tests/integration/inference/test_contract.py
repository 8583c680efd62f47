"""What every model server promises, the fake and the embedded one on both lanes, asked through the wire client."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import requests

from inference.fakes import FakeModelServer
from inference.wire import ModelServer
from inference.wire_requests import MAX_BODY_BYTES, MAX_TEXTS
from memory.errors import InputTooLong, ModelRefused
from memory.vectors import decode_vectors

KEY = "a-key-for-tests"


@pytest.fixture(params=["fake", "embedded interactive", "embedded background"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "fake":
        with FakeModelServer(key=KEY) as fake:
            yield fake.url
        return
    server = request.getfixturevalue("embedded")
    yield server.interactive if request.param.endswith("interactive") else server.background


@pytest.fixture
def client(url: str) -> Iterator[ModelServer]:
    server = ModelServer(url, KEY, timeout=20.0, dimension=384)
    yield server
    server.close()


def post(url: str, path: str, **arguments: object) -> requests.Response:
    headers = {"Authorization": f"Bearer {KEY}"}
    return requests.post(url + path, headers=headers, timeout=20, **arguments)  # type: ignore[arg-type]


def assert_error(response: requests.Response, status: int, kind: str) -> None:
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["type"]) == (status, status, kind)
    assert error["message"]


def test_it_is_healthy_and_of_both_kinds(client: ModelServer) -> None:
    client.health()
    client.check_kind("embedding")
    client.check_kind("rerank")
    assert len(client.models()) == 1


def test_vectors_are_normalised_and_in_order(client: ModelServer) -> None:
    texts = ["A short text.", "Another one, which is a good deal longer than the first was.", "", "x"]
    vectors = client.embed(texts)
    assert (vectors.shape, vectors.dtype) == ((4, 384), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    alone = np.concatenate([client.embed([text]) for text in texts])
    assert np.allclose(vectors, alone, atol=1e-4)


def test_equal_texts_are_equal_and_related_ones_nearer(client: ModelServer) -> None:
    a, again, near, far = client.embed(
        ["Anna lives in Oslo", "Anna lives in Oslo", "Anna lived in Oslo", "copper prices fell"]
    )
    assert np.allclose(a, again, atol=1e-5)
    assert a @ near > a @ far


def test_numbers_and_base64_carry_the_same_vector(url: str) -> None:
    body = {"input": "Anna lives in Oslo", "model": "any"}
    plain = post(url, "/v1/embeddings", json=body).json()
    packed = post(url, "/v1/embeddings", json={**body, "encoding_format": "base64"}).json()
    assert plain["data"][0]["embedding"] == pytest.approx(
        decode_vectors(packed["data"][0]["embedding"], 384)[0].tolist(), abs=1e-6
    )
    assert (plain["object"], plain["model"], plain["data"][0]["object"]) == ("list", "any", "embedding")
    assert plain["usage"]["prompt_tokens"] == plain["usage"]["total_tokens"] > 0


def test_the_passage_that_answers_scores_best(client: ModelServer) -> None:
    passages = ["Copper prices fell.", "Anna moved to Oslo in May.", ""]
    scores = client.rerank("Where did Anna move to?", passages)
    assert (scores.shape, scores.dtype) == ((3,), np.float32)
    assert scores.argmax() == 1


def test_results_are_sorted_and_cut(url: str) -> None:
    body = {"query": "oslo", "documents": ["Bergen", "Oslo", "Oslo and Bergen by train"], "top_n": 2}
    answer = post(url, "/v1/rerank", json=body).json()
    scores = [result["relevance_score"] for result in answer["results"]]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    assert answer["results"][0]["index"] == 1


def test_weights_of_words_are_accepted(client: ModelServer) -> None:
    scores = client.rerank("Where is Anna?", ["Anna is here", "Ben is there"], {"anna": 4.0, "where": 0.1, "is": 0.1})
    assert scores[0] > scores[1]


def test_many_texts_at_once_keep_their_order(client: ModelServer) -> None:
    texts = [f"Note {number}: " + "word " * (number % 7) for number in range(100)]
    vectors = client.embed(texts)
    assert np.allclose(vectors[[3, 50, 97]], client.embed([texts[3], texts[50], texts[97]]), atol=1e-4)


def test_long_and_strange_texts_have_vectors(client: ModelServer) -> None:
    strange = [
        "word " * 3000,
        "\ud800",
        "\x00\x01",
        "👨\u200d👩\u200d👧 " * 20,
        "[SEP] [MASK] [PAD]",
        "東京" * 400,
        " \n\t ",
    ]
    assert client.embed(strange).shape == (7, 384)
    assert client.rerank(strange[3], strange).shape == (7,)
    assert client.rerank("", ["", "a"]).shape == (2,)


def test_several_callers_get_their_own_answers(client: ModelServer) -> None:
    texts = [f"Caller {number} likes number {number * 7}" for number in range(16)]
    expected = client.embed(texts)
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: client.embed([text])[0], texts))
    assert np.allclose(np.stack(rows), expected, atol=1e-4)


def test_a_wrong_key_is_refused(url: str) -> None:
    for path in ("/v1/embeddings", "/v1/rerank"):
        response = requests.post(url + path, json={}, headers={"Authorization": "Bearer wrong"}, timeout=20)
        assert_error(response, 401, "authentication_error")
    client = ModelServer(url, "wrong")
    with pytest.raises(ModelRefused, match="Invalid API Key"):
        client.embed(["a"])
    client.close()


def test_health_needs_no_key(url: str) -> None:
    response = requests.get(f"{url}/health", timeout=20)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/rerank", b'{"query": "q"}'),
        ("/v1/rerank", b'{"documents": ["a"]}'),
        ("/v1/embeddings", b"{}"),
        ("/v1/embeddings", b'{"input": [1, 2]}'),
        ("/v1/embeddings", b'{"input": []}'),
        ("/v1/embeddings", b"not json"),
        ("/v1/embeddings", b""),
        ("/v1/embeddings", b"\xff\xfe"),
    ],
)
def test_nonsense_is_refused_in_the_wires_error_shape(url: str, path: str, body: bytes) -> None:
    assert_error(post(url, path, data=body), 400, "invalid_request_error")


def test_an_unknown_path_is_not_found(url: str) -> None:
    assert_error(post(url, "/v1/nothing", json={}), 404, "not_found_error")


def test_too_much_is_refused_and_the_server_lives_on(client: ModelServer) -> None:
    with pytest.raises(InputTooLong):
        client.embed(["a"] * (MAX_TEXTS + 1))
    with pytest.raises(InputTooLong):
        client.embed(["a" * (MAX_BODY_BYTES + 1)])
    assert client.embed(["a"]).shape == (1, 384)
