import numpy as np
import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from inference.fitting import embed_beginnings, embed_whole, rerank_fitting
from inference.wire import ModelServer
from memory.errors import InputTooLong, ModelRefused

LIMIT = 512  # of the stub: two characters a token
CODE = "for(i=0;i<n;++i){a[i]=b[i]^c[i];}" * 60  # about 2,000 characters
URLS = " ".join(f"https://example.org/{number:04d}/index.html?q={number}" for number in range(40))
CJK = "東京都に住んでいる人は多い。" * 100  # 1,400 characters


@pytest.fixture
def fake():
    with FakeModelServer(dimension=16, limit=LIMIT) as server:
        yield server


@pytest.fixture
def server(fake):
    client = ModelServer(fake.url, timeout=5.0, dimension=16)
    yield client
    client.close()


def lengths(fake):
    return [len(text) for request in fake.requests for text in request.body["input"]]


@pytest.mark.parametrize("text", [CODE, URLS, CJK], ids=["code", "urls", "cjk"])
def test_a_text_over_the_limit_is_embedded_whole_in_parts_that_fit(fake, server, text):
    (vector,) = embed_whole(server, [text])

    assert np.isclose(np.linalg.norm(vector), 1.0)
    parts = [size for size in lengths(fake) if size <= 2 * LIMIT]
    assert sum(parts) == len(text)
    # The refusal's numbers are believed: about three parts, not a shower of them.
    assert len(parts) <= len(text) // (2 * LIMIT) + 2


def test_parts_speak_for_the_whole_text(server):
    whole = " ".join(["copper"] * 150 + ["tea"] * 300)
    mixed, copper, tea = embed_whole(server, [whole, "copper", "tea"])

    shares, *_ = np.linalg.lstsq(np.stack([copper, tea], axis=1), mixed, rcond=None)
    assert shares @ np.stack([copper, tea]) == pytest.approx(mixed, abs=0.02)
    assert min(shares) > 0.3


def test_texts_that_fit_are_not_touched_by_one_that_does_not(fake, server):
    texts = [f"short text {number}" for number in range(15)]
    alone = server.embed(texts)

    vectors = embed_whole(server, [*texts[:7], CODE, *texts[7:]])

    assert vectors.shape == (16, 16)
    assert np.array_equal(np.delete(vectors, 7, axis=0), alone)


def test_of_a_query_that_is_too_long_the_beginning_is_embedded_and_that_is_said(server):
    query = "where is the tea " * 300  # 5,100 characters

    fitted = embed_beginnings(server, [query], timeout=5.0)

    assert fitted.cut
    assert fitted.values[0] @ server.embed(["where is the tea"])[0] > 0.99
    assert not embed_beginnings(server, ["where"], timeout=5.0).cut


def test_passages_and_query_are_cut_for_the_reranker(server):
    fitted = rerank_fitting(server, "tea", ["tea " * 500, "rum"], None, timeout=5.0)

    assert fitted.cut
    assert fitted.values[0] > fitted.values[1]


def test_a_limit_that_nothing_meets_is_an_error_and_no_endless_loop():
    with FakeModelServer(dimension=16, limit=1) as fake:
        server = ModelServer(fake.url, timeout=5.0)
        with pytest.raises(InputTooLong):
            embed_whole(server, ["a text of some length, longer than that"])
        with pytest.raises(InputTooLong):
            embed_beginnings(server, ["a text of some length, longer than that"], timeout=5.0)
        assert len(fake.requests) < 30


def test_numbers_that_cannot_be_are_not_believed(fake, server):
    fake.fail_next(Fault(status=500, message="input (9000000 tokens) is too large to process (batch size: 1)"))

    assert embed_whole(server, [URLS[:400]]).shape == (1, 16)
    assert len(fake.requests) < 20


def test_other_errors_are_the_callers(fake, server):
    fake.fail_always(Fault(status=500))

    with pytest.raises(ModelRefused):
        embed_whole(server, ["a"])
