"""`memlane context`, `memlane scratchpad`, and what the client sends for them."""

import json

import pytest

from memlane.http import Client


def test_a_context_goes_to_standard_output_alone_and_the_rest_is_told_beside_it(server, memlane):
    server.remember("Ada likes green tea.")
    server.remember("Bob likes black coffee with a lot of sugar in it.")

    ran = memlane("context", "Who", "likes tea?", "--budget", "6", "--section", "memories", "--session", "talk",
                  "--container-tag", "home", "--user", "ann", "--half-life", "30", "--as-of", "2026-05-01", "--rerank",
                  "--system", "Be kind.")  # fmt: skip

    assert (ran.code, ran.out) == (0, "[1] Ada likes green tea.\n")
    assert ran.err == "4 of 6 tokens; left out: 1 of memories\n"
    (sent,) = server.sent("POST", "/v1/context")
    assert sent.body == {
        "query": "Who likes tea?", "budget": 6, "sections": ["memories"], "session_id": "talk",
        "container_tags": ["home"], "user_id": "ann", "half_life_days": 30.0, "as_of": "2026-05-01", "rerank": True,
        "system": "Be kind.",
    }  # fmt: skip


def test_nothing_to_tell_is_4(server, memlane):
    ran = memlane("context", "--budget", "0")

    assert (ran.code, ran.out) == (4, "")
    assert "There is nothing to tell" in ran.err


def test_json_is_the_whole_answer_and_a_context_in_json_is_printed_as_such(server, memlane):
    server.remember("Ada likes green tea.")

    assert memlane("context", "tea", "--json").json["items"] == [{"n": 1, "section": "memories", "id": "mem_000001"}]
    assert json.loads(memlane("context", "tea", "--format", "json").out)["memlane_recalled"] is True


@pytest.mark.parametrize("options", [["--budget", "-1"], ["--half-life", "0"], ["--section", "memory"]])
def test_nonsense_is_2(server, memlane, options):
    assert memlane("context", "tea", *options).code == 2
    assert server.requests == []


def test_notes_are_set_added_shown_and_cleared(server, memlane):
    assert memlane("scratchpad", "set", "talk", "Call", "Ada").out.split("\t")[1] == "Call Ada\n"
    assert server.requests[-1].body == {"session_id": "talk", "content": "Call Ada", "mode": "replace"}
    ran = memlane("scratchpad", "append", "talk", "Buy tea", "--ttl", "60", "--container-tag", "home", "--user", "ann")
    assert [line.split("\t")[1] for line in ran.out.splitlines()] == ["Call Ada", "Buy tea"]
    assert server.requests[-1].body == {
        "session_id": "talk", "content": "Buy tea", "mode": "append", "ttl_seconds": 60.0, "container_tag": "home",
        "user_id": "ann",
    }  # fmt: skip
    ran = memlane("scratchpad", "get", "talk", "--json")
    assert [one["text"] for one in ran.json["notes"]] == ["Call Ada", "Buy tea"]
    assert server.requests[-1].query == {"session_id": "talk"}
    assert memlane("scratchpad", "clear", "talk").out == ""
    assert memlane("scratchpad", "get", "talk").out == ""


def test_the_client_searches_a_scope(server):
    with Client(server.url) as client:
        client.search_memories("tea", scope={"user_id": "ann"}, top_k=3, distance=0.6, min_confidence=0.5,
                               kinds=["preference"], graph={"max_hops": 2})  # fmt: skip

    assert server.requests[-1].body == {
        "query": "tea", "scope": {"user_id": "ann"}, "vector": {"top_k": 3, "distance": 0.6}, "min_confidence": 0.5,
        "kinds": ["preference"], "graph": {"max_hops": 2},
    }  # fmt: skip
