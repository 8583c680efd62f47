"""Search on the embedded model: nothing is lost to a filter (SEARCH-01), and no old words stay behind (SEARCH-03)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from ops.launched import Launched, running

# The long form has 5,000 memories close to the question; tests divide them by this factor.
FACTOR = float(os.environ.get("MEMLANE_TEST_FACTOR", "5"))
NEAR = round(5_000 / FACTOR)
BATCH = 100
QUESTION = "Which coffee does the office drink?"
BIG, SMALL = "big-search", "small-search"


def remember(stack: Launched, space: str, *texts: str, **more: Any) -> list[str]:
    facts = [{"content": one, **more} for one in texts]
    return [one["id"] for one in stack.post("/v4/memories", memories=facts, containerTag=space)["memories"]]


def far(word: str) -> list[str]:
    return [f"The {word} harbour has quay number {number}." for number in range(5)]


@pytest.fixture(scope="module")
def crowded(stack: Launched) -> Launched:
    """Two spaces: many rows that fit the question, and by each filter five that fit it less."""
    for start in range(0, NEAR, BATCH):
        near = (f"The office drinks coffee number {n}." for n in range(start, min(start + BATCH, NEAR)))
        remember(stack, BIG, *near, metadata={"team": "office"}, validFrom="2024-01-01")
    remember(stack, BIG, *far("southern"), kind="preference", validFrom="2024-01-01")
    remember(stack, BIG, *far("northern"), metadata={"team": "harbour"}, validFrom="2024-01-01")
    remember(stack, BIG, *far("old"), validFrom="2020-01-01")
    remember(stack, SMALL, *far("small"))
    # What is written directly is surer than what is read off a document.
    guide = stack.post("/v3/documents", content="# Guide\n\n" + "\n\n".join(far("western")), containerTag=BIG)
    assert stack.job(guide["jobId"])["state"] == "done"
    return stack


FILTERS = {
    "kind": ("southern", {"filters": {"AND": [{"key": "kind", "value": "preference"}]}}),
    "metadata": ("northern", {"filters": {"AND": [{"key": "team", "value": "harbour"}]}}),
    "confidence": (
        "western",
        {"filters": {"AND": [
            {"key": "confidence", "value": "0.9", "filterType": "numeric", "numericOperator": "<"}
        ]}},
    ),
    "as_of": ("old", {"asOf": "2021-06-01"}),
}  # fmt: skip


@pytest.mark.parametrize("rerank", [False, True], ids=["fused", "reranked"])
@pytest.mark.parametrize("name", FILTERS)
def test_five_rows_that_pass_a_filter_are_five_results_however_many_fit_better(
    crowded: Launched, name: str, rerank: bool
) -> None:
    word, options = FILTERS[name]
    hits = crowded.search(QUESTION, containerTag=BIG, limit=5, rerank=rerank, **options)
    assert len(hits) == 5
    assert all(f"The {word} harbour" in one["memory"] for one in hits)
    if not rerank:
        assert [one["similarity"] for one in hits] == sorted((one["similarity"] for one in hits), reverse=True)


def test_a_small_space_beside_a_big_one_and_one_document_of_many_rows_return_all_they_have(crowded: Launched) -> None:
    small = crowded.search(QUESTION, containerTag=SMALL, limit=5)
    assert sorted(one["memory"] for one in small) == sorted(far("small"))
    (guide,) = crowded.get("/v3/documents", containerTag=BIG)["memories"]
    of_guide = crowded.search(QUESTION, containerTag=BIG, limit=5, docId=guide["id"])
    assert len(of_guide) == 5
    assert all("western" in one["memory"] for one in of_guide)


def test_what_was_forgotten_uses_up_no_place(crowded: Launched) -> None:
    space = "forgotten-search"
    ids = remember(crowded, space, *(f"The office drinks coffee number {n}." for n in range(50)))
    remember(crowded, space, *far("only"))
    crowded.post("/v4/memories/forget-matching", ids=ids, containerTag=space)
    hits = crowded.search(QUESTION, containerTag=space, limit=5)
    assert sorted(one["memory"] for one in hits) == sorted(far("only"))


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer() as server:
        yield server


@pytest.fixture
def faked(fake: FakeModelServer, tmp_path: Any) -> Iterator[Launched]:
    told = {"MEMLANE_EMBED_URL": fake.url, "MEMLANE_RERANK_URL": fake.url, "MEMLANE_TIME_FACTOR": "10"}
    with running(tmp_path / "data", told) as one:
        yield one
    fake.fail_always(None)


def test_no_edit_is_kept_with_another_texts_vector_and_none_survives_a_restart(
    faked: Launched, fake: FakeModelServer
) -> None:
    # given a memory, and an embedder that is away
    (first,) = remember(faked, "s", "Maya works at Acme.")
    fake.fail_always(Fault(refuse=True))
    body = {"containerTag": "s", "id": first, "newContent": "Maya works at Beta Corp."}

    # when it is edited, then nothing changes and that is said
    refused = faked.http.patch(faked.url + "/v4/memories", json=body, timeout=60)
    assert (refused.status_code, refused.json()["code"]) == (503, "model_unavailable")
    assert [one["memory"] for one in faked.search("Acme", containerTag="s")] == ["Maya works at Acme."]

    # when the embedder is back, then the new version is found by its own words alone
    fake.fail_always(None)
    assert faked.http.patch(faked.url + "/v4/memories", json=body, timeout=60).status_code == 200
    assert any("Maya works at Beta Corp." in str(one.body) for one in fake.requests)

    def found() -> list[str]:
        return [one["memory"] for q in ("Beta Corp", "Acme") for one in faked.search(q, containerTag="s")]

    assert set(found()) == {"Maya works at Beta Corp."}

    # and so it is after every part of the service was started anew
    assert faked.stop(number=signal.SIGTERM) == 0
    faked.start()
    assert set(found()) == {"Maya works at Beta Corp."}
    history = faked.get(f"/v1/memories/{first}/history")["versions"]
    assert [one["statement"] for one in history] == ["Maya works at Acme.", "Maya works at Beta Corp."]
