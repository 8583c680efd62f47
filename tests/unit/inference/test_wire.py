"""The client against a real HTTP server with every fault."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from inference.fake_faults import Bend, Fault
from inference.fakes import FakeModelServer
from inference.wire import ModelServer
from memory.errors import InputTooLong, MemlaneError, ModelRefused, ModelTimeout, ModelUnavailable, WrongModel


@pytest.fixture
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer(dimension=16) as server:
        yield server


@pytest.fixture
def client(fake: FakeModelServer) -> Iterator[ModelServer]:
    server = ModelServer(fake.url, timeout=5.0, dimension=16)
    yield server
    server.close()


def test_vectors_are_asked_for_as_base64(fake: FakeModelServer, client: ModelServer) -> None:
    client.embed(["a"])
    assert fake.requests[-1].body == {"input": ["a"], "encoding_format": "base64"}


def test_a_model_name_is_sent_when_there_is_one(fake: FakeModelServer) -> None:
    client = ModelServer(fake.url, model="bge-small")
    client.embed(["a"])
    assert fake.requests[-1].body["model"] == "bge-small"
    client.close()


def test_weights_are_sent_only_when_there_are_some(fake: FakeModelServer, client: ModelServer) -> None:
    client.rerank("q", ["a"], {})
    assert "idf" not in fake.requests[-1].body
    client.rerank("q", ["a"], {"q": 2.0})
    assert fake.requests[-1].body["idf"] == {"q": 2.0}


def test_nothing_is_sent_for_nothing(fake: FakeModelServer, client: ModelServer) -> None:
    assert client.embed([]).shape == (0, 16)
    assert client.rerank("q", []).shape == (0,)
    assert fake.requests == []


@pytest.mark.parametrize("bend", ["nested", "bare", None])
def test_every_known_shape_gives_the_same_vector(fake: FakeModelServer, client: ModelServer, bend: Bend | None) -> None:
    plain = client.embed(["Anna lives in Oslo"])
    fake.fail_next(Fault(bend=bend))
    assert np.allclose(client.embed(["Anna lives in Oslo"]), plain, atol=1e-6)


def test_results_in_another_order_are_put_right(fake: FakeModelServer, client: ModelServer) -> None:
    texts = ["one", "two", "three"]
    plain = client.embed(texts)
    fake.fail_next(Fault(bend="shuffled"))
    assert np.array_equal(client.embed(texts), plain)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault(bend="empty"), ModelRefused),
        (Fault(bend="html"), ModelRefused),
        (Fault(bend="nan"), ModelRefused),
        (Fault(bend="short"), ModelRefused),
        (Fault(bend="twice"), ModelRefused),
        (Fault(bend="range"), ModelRefused),
        (Fault(bend="zeros"), WrongModel),
        (Fault(bend="tokens"), WrongModel),
        (Fault(bend="wide"), WrongModel),
        (Fault(status=500), ModelRefused),
        (Fault(status=401), ModelRefused),
        (Fault(status=501), WrongModel),
        (Fault(status=503), ModelUnavailable),
        (Fault(status=500, message="input (902 tokens) is too large to process"), InputTooLong),
        (Fault(status=400, kind="exceed_context_size_error"), InputTooLong),
    ],
    ids=str,
)
def test_a_bad_embedding_is_the_error_it_means_and_is_not_retried(
    fake: FakeModelServer, client: ModelServer, fault: Fault, expected: type[MemlaneError]
) -> None:
    fake.fail_next(fault)
    with pytest.raises(expected):
        client.embed(["Anna lives in Oslo", "Ben lives in Bergen"])
    assert len(fake.requests) == 1
    assert client.embed(["again"]).shape == (1, 16)


@pytest.mark.parametrize("bend", ["empty", "html", "nan", "short", "twice", "range"])
def test_a_bad_reranking_is_refused(fake: FakeModelServer, client: ModelServer, bend: Bend) -> None:
    fake.fail_next(Fault(bend=bend))
    with pytest.raises(ModelRefused):
        client.rerank("oslo", ["Oslo", "Bergen"])
    assert len(fake.requests) == 1


def test_a_connection_that_breaks_is_tried_again(fake: FakeModelServer, client: ModelServer) -> None:
    fake.fail_next(Fault(refuse=True), Fault(refuse=True))
    assert client.embed(["a"]).shape == (1, 16)
    assert len(fake.requests) == 3


def test_tries_are_bounded(fake: FakeModelServer, client: ModelServer) -> None:
    fake.fail_always(Fault(refuse=True))
    with pytest.raises(ModelUnavailable):
        client.embed(["a"])
    assert len(fake.requests) == 3


def test_connections_are_kept(fake: FakeModelServer, client: ModelServer) -> None:
    for _ in range(5):
        client.embed(["a"])
    assert len({request.connection for request in fake.requests}) == 1


def test_a_kept_connection_that_went_stale_costs_no_wait(fake: FakeModelServer, client: ModelServer) -> None:
    client.embed(["a"])
    took = []
    for _ in range(5):  # a wait would be in each of them, a pause of the machine in some
        fake.cut_connections()
        started = time.monotonic()
        client.embed(["a"])
        took.append(time.monotonic() - started)
    assert min(took) < 0.1


def test_nobody_listening_is_unavailable_soon() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        client = ModelServer(f"http://127.0.0.1:{taken.getsockname()[1]}", timeout=5.0)
        started = time.monotonic()
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            client.embed(["a"])
    assert time.monotonic() - started < 1.0
    client.close()


@pytest.mark.parametrize("url", ["127.0.0.1:1", "http://", "nonsense", "http://exa mple"])
def test_an_address_that_is_none_is_unavailable(url: str) -> None:
    client = ModelServer(url, timeout=0.5)
    with pytest.raises(ModelUnavailable):
        client.embed(["a"])
    client.close()


@pytest.mark.parametrize("fault", [Fault(delay=3.0), Fault(drip=0.05)], ids=["silence", "drip"])
def test_an_answer_that_takes_too_long_is_given_up_in_time(
    fake: FakeModelServer, client: ModelServer, fault: Fault
) -> None:
    fake.fail_next(fault)
    started = time.monotonic()
    with pytest.raises(ModelTimeout):
        client.embed(["a"], timeout=0.3)
    assert time.monotonic() - started < 1.0
    assert len(fake.requests) == 1


def test_the_environments_proxy_is_not_asked(
    fake: FakeModelServer, client: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    assert client.embed(["a"]).shape == (1, 16)


def test_threads_get_their_own_answers(client: ModelServer) -> None:
    texts = [f"text number {number}" for number in range(40)]
    expected = client.embed(texts)
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: client.embed([text])[0], texts))
    assert np.allclose(np.stack(rows), expected, atol=1e-6)


def test_the_right_server_passes_the_check(client: ModelServer) -> None:
    client.check_kind("embedding")
    client.check_kind("rerank")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(bend="zeros"), "zeros"),
        (Fault(bend="tokens"), "Pooling is off"),
        (Fault(bend="wide"), "17 numbers, not 16"),
        (Fault(status=501, message="This server does not support embeddings."), "start flags"),
    ],
    ids=["rerank server", "pooling off", "dimension", "chat server"],
)
def test_the_wrong_embedding_server_fails_the_check(
    fake: FakeModelServer, client: ModelServer, fault: Fault, words: str
) -> None:
    fake.fail_next(fault)
    with pytest.raises(WrongModel, match=words):
        client.check_kind("embedding")


@pytest.mark.parametrize("fault", [Fault(bend="flat"), Fault(status=501)], ids=["no head", "embedding server"])
def test_the_wrong_rerank_server_fails_the_check(fake: FakeModelServer, client: ModelServer, fault: Fault) -> None:
    fake.fail_next(fault)
    with pytest.raises(WrongModel):
        client.check_kind("rerank")
