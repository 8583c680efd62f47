"""`/v1/context`, its scratchpad and `/v1/memory/search` over HTTP: what is refused, who sees what, how it is shown."""

from dataclasses import replace

import pytest

from api.app import create_app
from inference.tokens import count_tokens
from memory.records import Message, NewMemory, Scope
from services import conversations, keys, memories
from tests.pipeline import HOME, PERSON, Pipeline
from tests.shape import assert_refused

BUDGETS = [0, 1, 100, 600_000_000, 2**63]
FACTS = [*(f"The office drinks coffee number {n}." for n in range(12)), *(f"办公室喝第{n}号咖啡。" for n in range(12))]


@pytest.fixture
def pipeline(tmp_path):
    one = Pipeline(tmp_path / "piped")
    one.host = replace(one.host, count_tokens=count_tokens)
    yield one
    one.host.store.close()


@pytest.fixture
def known(pipeline):
    """A client of a server that knows something."""
    memories.remember(HOME, pipeline.host, PERSON, [NewMemory(content=one) for one in FACTS])
    return create_app(pipeline.host).test_client()


def told(client, **body):
    answer = client.post("/v1/context", json={"container_tag": "home", "query": "coffee", **body})
    assert answer.status_code == 200, answer.get_json()
    return answer.get_json()


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("form", ["markdown", "json"])
def test_any_budget_is_kept_and_a_huge_one_returns_everything(known, budget, form):
    answer = told(known, budget=budget, format=form)

    assert answer["tokens"] <= budget
    assert answer["budget"] == budget
    if form == "markdown":
        assert count_tokens(answer["context"]) == answer["tokens"]
        shown = answer["context"].splitlines()
    else:
        shown = [item["text"] for one in (answer["context"] or {}).values() if one is not True for item in one]
    assert answer["truncated"] == (budget < 1000)
    if budget > 1000:
        assert len(answer["items"]) == len(FACTS)
        assert all(any(line.endswith(fact) for line in shown) for fact in FACTS)
        assert answer["left_out"]["total"] == 0
    if budget <= 1:
        assert (answer["context"], answer["items"]) == ("" if form == "markdown" else None, [])
        assert answer["left_out"]["total"] > 0


def test_items_are_cited_by_number_id_and_date(known):
    answer = told(known, sections=["memories"], budget=100)

    lines = [line for line in answer["context"].splitlines() if line.startswith("[")]
    assert len(lines) == len(answer["items"]) > 1
    assert [line.split("]")[0] for line in lines] == [f"[{one['n']}" for one in answer["items"]]
    first = answer["items"][0]
    assert first["id"].startswith("mem_")
    assert (first["section"], first["container_tag"], first["date"]) == ("memories", "home", "2026-01-01T00:00:00Z")
    assert 0 < first["similarity"] <= 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"budget": -1}, "budget"), ({"budget": 1.5}, "budget"), ({"budget": "100"}, "budget"),
        ({"budget": True}, "budget"), ({"budget": float("inf")}, "budget"), ({"query": " "}, "query"),
        ({"sections": []}, "sections"), ({"sections": ["memory"]}, "sections[0]"),
        ({"sections": ["turns"]}, "session_id"),
        ({"sections": ["system"]}, "system"), ({"format": "html"}, "format"), ({"half_life_days": 0}, "half_life_days"),
        ({"half_life_days": -3}, "half_life_days"), ({"half_life_days": "7"}, "half_life_days"),
        ({"kinds": ["thing"]}, "kinds[0]"), ({"kinds": []}, "kinds"), ({"as_of": "soon"}, "as_of"),
        ({"now": "soon"}, "now"), ({"system": ""}, "system"), ({"filters": {"AND": 1}}, "filters.AND"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_by_name(known, body, field):
    assert_refused(known.post("/v1/context", json={"query": "coffee", **body}), 400, field=field)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"vector": {"distance": -0.1}}, "vector.distance"), ({"vector": {"distance": 1.1}}, "vector.distance"),
        ({"vector": {"distance": 0.5}, "arms": ["lexical", "time"]}, "arms"),
        ({"vector": {"distance": "cosine"}}, "vector.distance"), ({"vector": {"top_k": 0}}, "vector.top_k"),
        ({"vector": {"top_k": 101}}, "vector.top_k"), ({"vector": 5}, "vector"), ({"vector": {"k": 5}}, "vector.k"),
        ({"graph": {"max_hops": 4}}, "graph.max_hops"), ({"graph": {"max_hops": 1000000}}, "graph.max_hops"),
        ({"graph": {"min_hops": -1}}, "graph.min_hops"), ({"graph": {"min_hops": 3, "max_hops": 2}}, "graph.min_hops"),
        ({"scope": {"user": "ann"}}, "scope.user"), ({"scope": "ann"}, "scope"), ({"user_id": "ann"}, "user_id"),
        ({"scope": {"container_tag": ""}}, "scope.container_tag"), ({"min_confidence": 1.5}, "min_confidence"),
        ({"half_life_days": 1e9}, "half_life_days"), ({"query": ""}, "query"), ({"kinds": ["fact", "x"]}, "kinds[1]"),
    ],
)  # fmt: skip
def test_a_search_in_a_scope_refuses_nonsense_by_name(known, body, field):
    assert_refused(known.post("/v1/memory/search", json={"query": "coffee", **body}), 400, field=field)


def test_a_search_in_a_scope_answers_with_memories_and_says_that_there_is_no_graph(known):
    sent = {"query": "coffee number 3", "scope": {"container_tag": "home"}, "vector": {"top_k": 5}, "explain": True}
    answer = known.post("/v1/memory/search", json={**sent, "graph": {"max_hops": 2}}).get_json()

    assert answer["results"][0]["memory"] == "The office drinks coffee number 3."
    assert len(answer["results"]) == answer["total"] == 5
    first = answer["results"][0]
    assert {"id", "kind", "confidence", "similarity", "distance", "explain", "sources", "valid_from"} <= set(first)
    assert first["distance"] == pytest.approx(1 - first["explain"]["vectors"], abs=1e-5)
    assert answer["graph"] == {
        "min_hops": 1, "max_hops": 2, "entities": [], "edges": [],
        "note": "This server keeps no graph of entities yet, so nothing was walked.",
    }  # fmt: skip


def test_a_scope_sees_what_is_its_own(pipeline):
    ann, bob = replace(HOME, user="ann"), replace(HOME, user="bob")
    for scope, drink in ((ann, "tea"), (bob, "rum"), (HOME, "milk")):
        memories.remember(scope, pipeline.host, PERSON, [NewMemory(content=f"The drink is {drink}.")])
    client = create_app(pipeline.host).test_client()

    def found(**scope):
        sent = {"query": "drink", "scope": {"container_tag": "home", **scope}}
        return sorted(one["memory"] for one in client.post("/v1/memory/search", json=sent).get_json()["results"])

    assert found(user_id="ann") == ["The drink is milk.", "The drink is tea."]
    assert found(user_id="bob") == ["The drink is milk.", "The drink is rum."]
    assert len(found()) == 3
    assert client.post("/v1/memory/search", json={"query": "drink"}).get_json()["results"] == []


def pad(client, **sent):
    answer = client.post("/v1/context/scratchpad", json={"session_id": "talk", **sent})
    assert answer.status_code == 200, answer.get_json()
    return answer.get_json()


def test_notes_are_kept_added_replaced_and_taken_away(known):
    empty = known.get("/v1/context/scratchpad?session_id=talk")
    assert (empty.status_code, empty.get_json()) == (200, {
        "session_id": "talk", "container_tag": "default", "notes": [], "characters": 0, "most_characters": 16000,
        "expires_at": None,
    })  # fmt: skip

    pad(known, content="first")
    answer = pad(known, content="second 咖啡")
    assert [one["text"] for one in answer["notes"]] == ["first", "second 咖啡"]
    assert (answer["characters"], answer["expires_at"][:4]) == (14, "2026")
    assert known.get("/v1/context/scratchpad?session_id=talk").get_json() == answer
    assert [one["text"] for one in pad(known, content="only", mode="replace", ttl_seconds=60)["notes"]] == ["only"]
    assert pad(known, content="", mode="replace")["notes"] == []


@pytest.mark.parametrize(
    ("sent", "status", "field"),
    [
        ({"session_id": None}, 400, "session_id"), ({"content": None}, 400, "content"),
        ({"content": " "}, 400, "content"),
        ({"mode": "add"}, 400, "mode"), ({"ttl_seconds": 0}, 400, "ttl_seconds"),
        ({"ttl_seconds": 10**9}, 400, "ttl_seconds"), ({"content": "x" * 16_001}, 413, "content"),
        ({"container_tags": ["a", "b"]}, 400, "containerTags"),
    ],
)  # fmt: skip
def test_a_note_that_cannot_be_kept_is_refused_by_name(known, sent, status, field):
    body = {"session_id": "talk", "content": "note", **sent}
    assert_refused(known.post("/v1/context/scratchpad", json=body), status, field=field)


def test_notes_without_a_broker_are_503_and_a_context_goes_on_without_them(known, pipeline):
    pad(known, content="note", container_tag="home")
    pipeline.host.scratchpads.down = True

    refused = known.post("/v1/context/scratchpad", json={"session_id": "talk", "content": "x"})
    assert "nothing was kept" in assert_refused(refused, 503, code="broker_down")["error"]
    assert_refused(known.get("/v1/context/scratchpad?session_id=talk"), 503, code="broker_down")
    answer = told(known, session_id="talk")
    assert any("Notes are left out" in one for one in answer["degraded"])
    assert answer["items"]


def test_keys_bind_what_is_told(pipeline):
    for user, word in (("ann", "tea"), ("bob", "rum")):
        scope = Scope(tenant="default", spaces=("home",), user=user)
        message = Message(role="user", content=f"My drink is {word}.")
        conversations.append(scope, pipeline.host, PERSON, f"of {user}", [message])
    pipeline.settle()
    client = create_app(pipeline.host).test_client()
    secret = keys.create(pipeline.host, tenant="default", label="ann", actor_kind="person", user="ann").secret
    headers = {"Authorization": f"Bearer {secret}"}

    def ask(session):
        sent = {"query": "drink", "container_tag": "home", "session_id": session}
        return client.post("/v1/context", json=sent, headers=headers).get_json()["context"]

    assert "tea" in ask("of ann")
    assert "rum" not in ask("of bob")
    other = {"query": "drink", "container_tag": "home", "user_id": "bob"}
    assert_refused(client.post("/v1/context", json=other, headers=headers), 403, field="userId")
    nested = {"query": "drink", "scope": {"user_id": "bob"}}
    assert_refused(client.post("/v1/memory/search", json=nested, headers=headers), 403, field="userId")
    note = {"session_id": "s", "content": "mine", "container_tag": "home"}
    assert client.post("/v1/context/scratchpad", json=note, headers=headers).status_code == 200
    assert client.get("/v1/context/scratchpad?session_id=s&container_tag=home&user_id=bob").get_json()["notes"] == []
