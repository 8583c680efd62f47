"""Contexts on a real stack (SEARCH-09): never over the budget by the real tokenizer, and never learned from again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inference.tokens import count_tokens
from memory.recalled import RECALLED_CLOSE, RECALLED_OPEN
from ops.launched import Launched, running, wait_until

MEMLANE = Path(sys.executable).with_name("memlane")
BUDGETS = [0, 1, 100, 600_000_000, 2**63]
ENGLISH = [f"The office kitchen keeps {n} kilograms of coffee on shelf {n * 7}." for n in range(1, 31)]
CHINESE = [f"办公室的第{n}个柜子里放着{n * 3}公斤咖啡。" for n in range(1, 31)]
HUGE = "The history of the office coffee machine is long. " + " ".join(f"Part {n} was mended." for n in range(150))
ALL = "everything-told"


def remember(stack: Launched, space: str, *texts: str, **more: Any) -> list[str]:
    facts = [{"content": one, **more} for one in texts]
    return [one["id"] for one in stack.post("/v4/memories", memories=facts, containerTag=space)["memories"]]


@pytest.fixture(scope="module")
def told(stack: Launched) -> Launched:
    """Three spaces: English facts, Chinese facts, and one fact that is larger than a small budget."""
    remember(stack, "english-facts", *ENGLISH)
    remember(stack, "chinese-facts", *CHINESE)
    remember(stack, "huge-fact", HUGE, *ENGLISH[:3])
    return stack


def context(stack: Launched, space: str, **body: Any) -> dict[str, Any]:
    sent = {"container_tag": space, "query": "How much coffee is in the kitchen? 咖啡", **body}
    return dict(stack.post("/v1/context", **sent))


def lines(answer: dict[str, Any]) -> list[str]:
    return [one for one in str(answer["context"]).splitlines() if one.startswith("[")]


@pytest.mark.parametrize("form", ["markdown", "json"])
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("space", "facts"), [("english-facts", ENGLISH), ("chinese-facts", CHINESE)])
def test_a_context_is_within_its_budget_and_a_huge_one_returns_everything(
    told: Launched, space: str, facts: list[str], budget: int, form: str
) -> None:
    answer = context(told, space, budget=budget, format=form)

    text = answer["context"] if form == "markdown" else json.dumps(answer["context"], ensure_ascii=False)
    shown = "" if answer["context"] is None else text
    assert answer["tokens"] == count_tokens(shown) <= budget
    kept = [fact for fact in facts if fact in shown]
    assert len(answer["items"]) == len(kept)
    if budget > 10_000:
        assert (len(kept), answer["truncated"], answer["left_out"]["total"]) == (len(facts), False, 0)
    elif budget <= 1:
        assert (kept, answer["truncated"]) == ([], True)
        assert answer["left_out"]["total"] > 0
    else:
        assert 0 < len(kept) < len(facts)
        assert answer["truncated"]
        assert answer["left_out"]["total"] + len(kept) <= len(facts)


def test_a_context_keeps_the_order_of_the_search(told: Launched) -> None:
    answer = context(told, "english-facts", sections=["memories"], budget=150)
    found = told.search("How much coffee is in the kitchen? 咖啡", containerTag="english-facts", limit=30)

    assert [one["id"] for one in answer["items"]] == [one["id"] for one in found[: len(answer["items"])]]
    assert [line.split("] ")[2] for line in lines(answer)] == [
        one["memory"] for one in found[: len(answer["items"])]
    ]  # fmt: skip


def test_a_fact_larger_than_the_budget_is_left_out_whole_and_counted(told: Launched) -> None:
    answer = context(told, "huge-fact", sections=["memories"], budget=200)

    assert "history" not in answer["context"]
    assert len(answer["items"]) == 3
    assert answer["left_out"] == {"memories": 1, "total": 1}
    assert HUGE in context(told, "huge-fact", sections=["memories"], budget=100_000)["context"]


@pytest.fixture(scope="module")
def everything(stack: Launched) -> Launched:
    """A space with something of every kind."""
    remember(stack, ALL, "Ana is allergic to nuts.", isStatic=True)
    remember(stack, ALL, "The pump in cellar 2 is blue.", "The gate code is 4417.")
    manual = "# Pumps\n\nThe pump in cellar 2 was made in 1998.\n\nIt is oiled every spring."
    document = stack.post("/v3/documents", content=manual, title="Manual", containerTag=ALL, wait=True)
    assert document["status"] == "done"
    messages = [
        {"role": "user", "name": "Ines", "content": "I moved to the north site.", "timestamp": "2026-05-08T09:30:00Z"},
        {"role": "assistant", "content": "How is it there?", "timestamp": "2026-05-08T09:31:00Z"},
    ]
    sent = stack.post("/v4/conversations", conversationId="talk", containerTag=ALL, messages=messages)
    assert stack.job(sent["jobId"])["state"] == "done"
    note = {"session_id": "talk", "container_tag": ALL, "content": "Ask Ines about the pump"}
    assert stack.post("/v1/context/scratchpad", **note)["notes"][0]["text"] == "Ask Ines about the pump"
    return stack


def test_a_context_tells_something_of_every_kind_and_nothing_twice(everything: Launched) -> None:
    answer = context(everything, ALL, query="What is the pump in cellar 2?", session_id="talk", system="Be brief.")

    assert answer["context"].startswith(f"Be brief.\n\n{RECALLED_OPEN}\n## Profile\n")
    assert answer["context"].endswith(RECALLED_CLOSE)
    assert [one["section"] for one in answer["items"]] == sorted(
        (one["section"] for one in answer["items"]),
        key=["profile", "memories", "chunks", "scratchpad", "turns"].index,
    )
    assert {one["section"] for one in answer["items"]} >= {"profile", "chunks", "scratchpad", "turns"}
    for said in ("Ana is allergic to nuts.", "The pump in cellar 2 is blue.", "The gate code is 4417."):
        assert answer["context"].count(said) == 1
    assert "Ask Ines about the pump" in answer["context"]
    assert lines(answer)[-2:] == [
        f"[{len(answer['items']) - 1}] [8 May 2026] Ines: I moved to the north site.",
        f"[{len(answer['items'])}] [8 May 2026] assistant: How is it there?",
    ]
    assert "degraded" not in answer


def test_a_context_of_a_session_of_no_space_of_the_request_tells_nothing(everything: Launched) -> None:
    answer = context(everything, "empty-space", session_id="talk")

    assert (answer["context"], answer["items"], answer["truncated"], answer["tokens"]) == ("", [], False, 0)


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_ten_turns_of_a_context_that_is_fed_back_teach_nothing(everything: Launched, form: str) -> None:
    def versions() -> list[tuple[str, int, float]]:
        listed = everything.post("/v4/memories/list", containerTags=[ALL], limit=200)["memoryEntries"]
        return sorted((one["memory"], one["version"], one["confidence"]) for one in listed)

    before = versions()
    for turn in range(10):
        answer = context(everything, ALL, query="pump", session_id="talk", format=form)["context"]
        text = answer if form == "markdown" else json.dumps(answer, indent=turn % 2 or None)
        message = {"role": "assistant" if turn % 2 else "user", "content": f"ok\n\n{text}\n\nok"}
        body = {"conversationId": f"fed-{form}", "containerTag": ALL, "messages": [message]}
        sent = everything.post("/v4/conversations", **body)
        assert everything.job(sent["jobId"])["state"] == "done"

    assert versions() == before


def test_the_commands_tell_a_context_and_keep_notes(everything: Launched) -> None:
    def memlane(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(MEMLANE), *arguments, "--container-tag", ALL]
        return subprocess.run(
            command, capture_output=True, text=True, env=everything.env, timeout=60, check=False, input=text
        )

    ran = memlane("context", "What", "colour", "is", "the", "pump?", "--budget", "120")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(RECALLED_OPEN)
    assert count_tokens(ran.stdout) <= 120
    assert "of 120 tokens" in ran.stderr

    assert memlane("scratchpad", "set", "cli", "first").returncode == 0
    assert memlane("scratchpad", "append", "cli", text="second\n").returncode == 0
    notes = json.loads(memlane("scratchpad", "get", "cli", "--json").stdout)["notes"]
    assert [one["text"].strip() for one in notes] == ["first", "second"]


def test_a_search_in_a_scope_keeps_to_its_user_its_distance_and_its_clocks(stack: Launched) -> None:
    def search(query: str, **more: Any) -> list[str]:
        scope = {"container_tag": "scoped", "user_id": more.pop("user", "ana")}
        answer = stack.post("/v1/memory/search", query=query, scope=scope, **more)
        assert (answer["graph"]["entities"], answer["graph"]["edges"]) == ([], [])
        return [one["memory"] for one in answer["results"]]

    remember_as = {"containerTag": "scoped"}
    for user, fact in (("ana", "Ana drinks green tea."), ("ben", "Ben drinks black coffee.")):
        stack.post("/v4/memories", memories=[{"content": fact, "validFrom": "2024-01-01"}], userId=user, **remember_as)
    stack.post("/v4/memories", memories=[{"content": "The harbour has seven quays."}], userId="ana", **remember_as)

    assert search("What does Ana drink?", vector={"top_k": 1}) == ["Ana drinks green tea."]
    assert search("What does Ana drink?", vector={"distance": 0.6}) == ["Ana drinks green tea."]
    assert search("What does Ana drink?", user="ben", vector={"top_k": 5}) == ["Ben drinks black coffee."]
    assert search("tea", as_of="2024-06-01") == ["Ana drinks green tea."]
    assert search("tea", as_of="2020-06-01") == []
    assert search("tea", known_at="2020-06-01") == []
    assert search("tea", kinds=["preference"], min_confidence=1.0, half_life_days=30) in ([], ["Ana drinks green tea."])


SENTINEL = "DELME-77"


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Launched]:
    with running(tmp_path / "data") as one:
        yield one


def test_an_erasure_leaves_no_note_in_any_file_and_a_lost_broker_costs_only_notes(alone: Launched) -> None:
    # given a fact, and a note that quotes it
    (fact,) = remember(alone, "home", f"The vault code is {SENTINEL}.")
    note = {"session_id": "talk", "container_tag": "home", "content": f"Remember {SENTINEL}"}
    alone.post("/v1/context/scratchpad", **note)
    assert SENTINEL in context(alone, "home", session_id="talk", sections=["scratchpad"])["context"]

    # when the fact is erased
    receipt = alone.post("/v1/erasures", kind="memory", id=fact, container_tag="home", verify=True, wait=True)

    # then no note is left either
    assert (receipt["state"], receipt["verification"]["found"]) == ("finished", 0)
    assert receipt["counts"]["scratchpads"] == 1
    left = [path for path in alone.data_dir.rglob("*") if path.is_file() and SENTINEL.encode() in path.read_bytes()]
    assert left == []

    # and when a note goes by itself, the context goes on without it
    alone.post("/v1/context/scratchpad", **{**note, "content": "brief", "ttl_seconds": 1})
    remember(alone, "home", "The gate is green.")

    def gone() -> bool:
        found = alone.get("/v1/context/scratchpad", session_id="talk", container_tag="home")
        return bool(found["notes"] == [])

    wait_until(gone, seconds=10, what="the note has gone")
    assert "The gate is green." in context(alone, "home", session_id="talk")["context"]
