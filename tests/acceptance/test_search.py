"""Search on the embedded model: nothing is lost to a filter (SEARCH-01), no old words stay behind (SEARCH-03), and a
reranker that fails is named and costs nothing but its part (SEARCH-05).
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from ops.launched import Launched, running, wait_until

# The long form has 5,000 memories close to the question; tests divide them by this factor.
FACTOR = float(os.environ.get("MEMLANE_TEST_FACTOR", "5"))
NEAR = round(5_000 / FACTOR)
BATCH = 100
QUESTION = "Which coffee does the office drink?"
BIG, SMALL, UNSURE = "big-search", "small-search", "unsure-search"
# Read off a document one by one, which takes longer than to be told.
NEAR_UNSURE = 60


def remember(stack: Launched, space: str, *texts: str, sessionId: str | None = None, **more: Any) -> list[str]:
    facts = [{"content": one, **more} for one in texts]
    written = stack.post("/v4/memories", memories=facts, containerTag=space, sessionId=sessionId)
    return [one["id"] for one in written["memories"]]


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
    told = [{"role": "user", "content": one} for one in far("eastern")]
    talk = stack.post("/v4/conversations", conversationId="c-east", messages=told, containerTag=UNSURE)
    assert stack.job(talk["jobId"])["state"] == "done"
    remember(stack, BIG, *far("bound"), sessionId="s-bound", validFrom="2024-01-01")
    unsure = "\n\n".join(f"The office drinks coffee number {n}." for n in range(NEAR_UNSURE))
    read = stack.post("/v3/documents", content=f"# Coffee\n\n{unsure}", containerTag=UNSURE)
    assert stack.job(read["jobId"])["state"] == "done"
    remember(stack, UNSURE, *far("certain"))
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
    "kinds": ("southern", {"kinds": ["preference"]}),
    "minConfidence": ("certain", {"minConfidence": 0.9, "containerTag": UNSURE}),
    "session": ("eastern", {"session": "c-east", "containerTag": UNSURE}),
    "session of the owner": ("bound", {"session": "s-bound"}),
    "negated": ("northern", {"filters": {"AND": [
        {"key": "team", "value": "OFF", "filterType": "string_contains", "negate": True, "ignoreCase": True},
        {"key": "team", "value": "nowhere-else", "negate": True}, {"key": "team", "value": "harbour"}]}}),
    "exact": ("northern", {"exact": True, "filters": {"key": "team", "value": "harbour"}}),
    "one arm": ("northern", {"arms": ["vectors"], "filters": {"key": "team", "value": "harbour"}}),
}  # fmt: skip


@pytest.mark.parametrize("rerank", [False, True], ids=["fused", "reranked"])
@pytest.mark.parametrize("name", FILTERS)
def test_five_rows_that_pass_a_filter_are_five_results_however_many_fit_better(
    crowded: Launched, name: str, rerank: bool
) -> None:
    word, options = FILTERS[name]
    hits = crowded.search(QUESTION, **{"containerTag": BIG, **options}, limit=5, rerank=rerank)
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

    def edited() -> bool:
        return faked.http.patch(faked.url + "/v4/memories", json=body, timeout=60).status_code == 200

    # A node that has just failed is left out for a moment.
    wait_until(edited, seconds=60, what="the embedder is used again")
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


# What a reranker has answered somewhere, and nothing at all for longer than anybody waits.
RERANKER_FAULTS = {
    "error": Fault(status=500),
    "hanging": Fault(delay=12.0),
    "short": Fault(bend="short"),
    "twice": Fault(bend="twice"),
    "out of range": Fault(bend="range"),
    "all equal": Fault(bend="flat"),
    "not a number": Fault(bend="nan"),
}
# Of the 10 seconds that an interactive call may take, with room for a busy machine.
BOUND = 15.0


def test_a_reranker_that_fails_in_any_way_is_named_counted_and_leaves_the_order(
    faked: Launched, fake: FakeModelServer
) -> None:
    # given four memories, their order without a reranker, and that the question's vector is kept
    remember(faked, "r", "The office drinks coffee.", "The office has desks.", "Coffee grows in Kenya.", "Tea is hot.")
    body = {"q": QUESTION, "containerTag": "r"}
    plain = [one["id"] for one in faked.search(**body)]
    healthy = faked.post("/v4/search", **body, rerank=True, explain=True)
    assert "degraded" not in healthy
    assert all("rerank" in one["explain"] for one in healthy["results"])

    def healed() -> bool:
        return "degraded" not in faked.post("/v4/search", **body, rerank=True)

    for name, fault in RERANKER_FAULTS.items():
        # when it fails, as only a call with the passages does
        fake.fail_on("Kenya", fault)
        began = time.monotonic()
        answer = faked.post("/v4/search", **body, rerank=True, explain=True)
        # then the results come in their order and in time, with the reason
        assert time.monotonic() - began < BOUND, name
        assert [one["id"] for one in answer["results"]] == plain, name
        assert not any("rerank" in one["explain"] for one in answer["results"]), name
        assert "not reranked" in " ".join(answer["degraded"]), name
        # and when it is well again, nothing is said any more
        fake.fail_on("Kenya", None)
        wait_until(healed, seconds=60, what=f"the reranker is used again after: {name}")

    counted = faked.get("/v1/health")["reranking"]
    assert counted["failed"] >= len(RERANKER_FAULTS)
    assert counted["done"] > len(RERANKER_FAULTS)
    assert faked.log.read_text(encoding="utf-8").count("not reranked") >= len(RERANKER_FAULTS)


def test_nothing_relevant_is_an_empty_answer_with_the_reason(stack: Launched) -> None:
    space = "small-talk"
    remember(stack, space, "Maya paints boats on Sundays.", "Ben plays the cello.", "Their dog is called Pixel.")
    off, on = "Which port does PostgreSQL listen on?", "What does Maya paint?"
    # when the reranker has read everything and nothing narrows the search
    nothing = stack.post("/v4/search", q=off, containerTag=space, rerank=True)
    # then it is said, and only then
    assert (nothing["results"], nothing["total"]) == ([], 0)
    assert nothing["reason"].startswith("Nothing relevant")
    for options in ({}, {"rerank": True, "filters": {"AND": [{"key": "kind", "value": "fact"}]}}):
        assert "reason" not in stack.post("/v4/search", q=off, containerTag=space, **options)
    found = stack.post("/v4/search", q=on, containerTag=space, rerank=True)
    assert found["results"][0]["memory"] == "Maya paints boats on Sundays."
    assert "reason" not in found


def test_a_document_sent_anew_and_a_memory_restored_are_found_by_their_present_words_alone(faked: Launched) -> None:
    # given a document and a memory, both of which say something else by now
    first = faked.post("/v3/documents", content="Maya works at Acme.", customId="cv", containerTag="s")
    assert faked.job(first["jobId"])["state"] == "done"
    (old,) = remember(faked, "t", "Maya works at Acme.")
    again = faked.post("/v3/documents", content="Maya works at Beta Corp.", customId="cv", containerTag="s")
    assert faked.job(again["jobId"])["state"] == "done"
    before = faked.get(f"/v1/memories/{old}")["recorded_at"]
    body = {"containerTag": "t", "id": old, "newContent": "Maya works at Beta Corp."}
    assert faked.http.patch(faked.url + "/v4/memories", json=body, timeout=60).status_code == 200

    def said(space: str, **options: Any) -> set[str]:
        kinds = ("memory", "chunk")
        return {
            str(next(one[kind] for kind in kinds if kind in one)).split("\n")[-1].split(": ")[-1]
            for q in ("Beta Corp", "Acme") for one in faked.search(q, containerTag=space, **options)
        }  # fmt: skip

    def check() -> None:
        # then only what holds now is found, by whatever words, and what held is there for who asks for then
        assert said("s", searchMode="hybrid") == said("t") == {"Maya works at Beta Corp."}
        assert said("t", knownAt=before) == {"Maya works at Acme."}

    check()
    assert faked.stop(number=signal.SIGTERM) == 0
    faked.start()
    check()

    # when it is forgotten nothing is found, and when it is restored its own words find it
    (live,) = (one["id"] for one in faked.search("Beta", containerTag="t"))
    faked.post("/v4/memories/forget-matching", ids=[live], containerTag="t")
    assert said("t") == set()
    faked.post(f"/v1/memories/{live}/restore")
    check()
