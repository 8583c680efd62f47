"""The ledger over HTTP: appended once or as often as it is sent, in order without gaps, chained, and nobody else's."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from api.app import create_app
from services import keys
from store import chain
from store.connection import Store
from tests.shape import assert_refused

TURN = {"session_id": "run-1", "kind": "turn", "role": "user", "name": "Ines", "content": "I moved to Porto."}


def post(client: Any, body: dict[str, Any] | None = None, key: str | None = None, **fields: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/v1/episodes", json={**(TURN if body is None else body), **fields}, headers=headers)


def appended(client: Any, *arguments: Any, **fields: Any) -> dict[str, Any]:
    answer = post(client, *arguments, **fields)
    assert answer.status_code == 201, answer.get_json()
    return answer.get_json()


def read(client: Any, session: str, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/v1/sessions/{session}/episodes", query_string={"limit": 200, **query})
    assert answer.status_code == 200, answer.get_json()
    return answer.get_json()["episodes"]


def test_every_kind_is_kept_as_it_was_sent_and_in_order(client):
    events = [
        {"role": "user", "content": "Is the crane free?", "occurred_at": "2024-03-04T09:00:00+01:00"},
        {"kind": "tool_call", "name": "look_up", "content": '{"crane": 3}', "metadata": {"call": "c-1"}},
        {"kind": "tool_result", "name": "look_up", "content": ""},
        {"kind": "error", "content": "Timed out.", "timestamp": "2024-03-04T08:00:05Z"},
        {"kind": "outcome", "content": "Told the user to wait.", "metadata": {"ok": False}},
    ]
    made = appended(client, {"session_id": "run-1", "episodes": events, "session_metadata": {"agent": "desk"}})

    rows = read(client, "run-1")
    assert rows == made["episodes"]
    assert [row["seq"] for row in rows] == [0, 1, 2, 3, 4]
    assert [row["kind"] for row in rows] == ["turn", "tool_call", "tool_result", "error", "outcome"]
    assert [row["role"] for row in rows] == ["user", "assistant", "tool", "system", "system"]
    assert [row["content"] for row in rows] == [event["content"] for event in events]
    assert [row["occurred_at"] for row in rows] == [
        "2024-03-04T09:00:00+01:00", None, None, "2024-03-04T08:00:05Z", None,
    ]  # fmt: skip
    assert [row["metadata"] for row in rows] == [{}, {"call": "c-1"}, {}, {}, {"ok": False}]
    assert len({row["hash"] for row in rows}) == 5
    session = client.get("/v1/sessions/run-1").get_json()
    assert (session["id"], session["conversation_id"]) == (made["session_id"], "run-1")
    assert (session["episodes"], session["metadata"], session["container_tag"]) == (5, {"agent": "desk"}, "default")
    assert client.get(f"/v1/episodes/{rows[1]['id']}").get_json() == rows[1]


def test_a_session_is_named_by_its_id_too_and_is_made_without_a_name(client):
    first = appended(client, {"role": "user", "content": "Hello there."}, container_tag="desk")
    assert first["conversation_id"] == first["session_id"]

    # Its id says which space it is in.
    second = appended(client, {"role": "user", "content": "Anybody?", "session_id": first["session_id"]})
    assert (second["session_id"], second["container_tag"]) == (first["session_id"], "desk")
    assert [row["seq"] for row in read(client, first["session_id"])] == [0, 1]
    # Named through the other door it is the same session.
    sent = client.post(
        "/v4/conversations",
        json={
            "conversationId": first["session_id"],
            "containerTag": "desk",
            "messages": [{"role": "user", "content": "Still me."}],
        },
    )
    assert sent.get_json()["id"] == first["session_id"]
    assert len(read(client, first["session_id"])) == 3


def test_conversations_are_episodes_and_what_stands_between_them_disturbs_no_resend(client):
    talk = [{"role": "user", "content": f"Line {number}."} for number in range(3)]
    client.post("/v4/conversations", json={"conversationId": "run-1", "messages": talk[:2]})
    appended(client, {"session_id": "run-1", "kind": "tool_call", "content": "look_up()"})

    answer = client.post("/v4/conversations", json={"conversationId": "run-1", "messages": talk})

    assert answer.status_code == 202
    assert [(row["kind"], row["content"]) for row in read(client, "run-1")] == [
        ("turn", "Line 0."), ("turn", "Line 1."), ("tool_call", "look_up()"), ("turn", "Line 2."),
    ]  # fmt: skip


def test_api_05_a_key_makes_one_row_also_three_at_once_and_after_a_restart(app, client, host):
    barrier = threading.Barrier(3)

    def send(_: int) -> Any:
        barrier.wait()
        return post(app.test_client(), key="k-1")

    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(send, range(3)))
    # A server that starts anew on the same files.
    store = Store(host.store.path(None).parent, clock=host.clock)
    again = post(create_app(type(host)(**{**vars(host), "store": store})).test_client(), key="k-1")
    store.close()

    assert [answer.status_code for answer in (*answers, again)] == [201] * 4
    assert len({answer.get_json()["id"] for answer in (*answers, again)}) == 1
    assert len(read(client, "run-1")) == 1

    # Without a key each counts; with the key and another body nothing is appended.
    appended(client)
    appended(client)
    assert_refused(post(client, key="k-1", content="Something else."), 409, field="Idempotency-Key")
    rows = read(client, "run-1")
    assert [row["seq"] for row in rows] == [0, 1, 2]
    assert len({row["id"] for row in rows}) == 3


def test_a_repeat_by_id_finds_the_same_scope_after_a_new_space(client):
    session = appended(client)["session_id"]
    first = appended(client, key="k-2", session_id=session)
    appended(client, container_tag="another")

    assert appended(client, key="k-2", session_id=session)["id"] == first["id"]
    assert len(read(client, session)) == 2


def test_parallel_writers_leave_no_gap_and_lose_nothing(app, client, host):
    def send(number: int) -> list[str]:
        one = app.test_client()
        made = []
        for step in range(10):
            events = [{"role": "user", "content": f"{number}.{step}.{part}"} for part in range(1 + step % 3)]
            answer = post(one, {"session_id": "run-1", "episodes": events})
            while answer.status_code == 503:
                answer = post(one, {"session_id": "run-1", "episodes": events})
            assert answer.status_code == 201, answer.get_json()
            made += [row["id"] for row in answer.get_json()["episodes"]]
        return made

    with ThreadPoolExecutor(8) as pool:
        made = [one for ids in pool.map(send, range(8)) for one in ids]

    rows = read(client, "run-1")
    assert [row["seq"] for row in rows] == list(range(len(made)))
    assert sorted(row["id"] for row in rows) == sorted(made)
    for number in range(8):
        mine = [row["content"] for row in rows if row["content"].startswith(f"{number}.")]
        assert mine == [f"{number}.{step}.{part}" for step in range(10) for part in range(1 + step % 3)]
    with host.store.read("default") as db:
        assert list(chain.breaks(db)) == []


def test_pages_follow_one_another_while_events_are_appended(client):
    appended(client, {"session_id": "run-1", "episodes": [{"kind": "error", "content": f"e{n}"} for n in range(7)]})
    seen, cursor = [], None
    while True:
        query = {"limit": 3, **({"cursor": cursor} if cursor else {})}
        page = client.get("/v1/sessions/run-1/episodes", query_string=query).get_json()
        seen += [row["seq"] for row in page["episodes"]]
        cursor = page["pagination"]["next_cursor"]
        if cursor is None:
            break
        appended(client, {"session_id": "run-1", "kind": "outcome", "content": "more"}) if len(seen) == 3 else None
    assert seen == list(range(8))
    assert [row["seq"] for row in read(client, "run-1", kind="outcome")] == [7]
    assert [row["seq"] for row in read(client, "run-1", from_seq=5, order="desc")] == [7, 6, 5]


def test_both_clocks_are_read(client, host):
    appended(client, content="Old.", occurred_at="2020-01-01T00:00:00Z")
    appended(client, content="Of today.")
    assert [row["content"] for row in read(client, "run-1", as_of="2020-06-01")] == ["Old."]
    assert read(client, "run-1", known_at="1960-01-01") == []


def test_the_list_has_the_newest_first_and_only_of_the_spaces_named(client, host):
    for name, tag in (("a", "default"), ("b", "default"), ("a", "desk")):
        appended(client, session_id=name, container_tag=tag)
    host.clock.advance(1)
    appended(client, session_id="a")

    def listed(**query: Any) -> list[tuple[str, str]]:
        page = client.get("/v1/sessions", query_string=query).get_json()
        assert page["pagination"]["total_items"] == len(page["sessions"])
        return [(one["conversation_id"], one["container_tag"]) for one in page["sessions"]]

    assert listed() == [("a", "default"), ("b", "default")]
    assert listed(container_tag="desk") == [("a", "desk")]
    assert listed(container_tags=["desk", "default"], session_id="a") == [("a", "default"), ("a", "desk")]
    assert listed(container_tag="nowhere") == []
    # One name in two spaces fits both.
    assert client.get("/v1/sessions/a").status_code == 409
    assert client.get("/v1/sessions/a", query_string={"container_tag": "desk"}).get_json()["container_tag"] == "desk"


REFUSED = {
    "no content": ({"session_id": "s", "role": "user"}, "content"),
    "blank content": ({"session_id": "s", "role": "user", "content": " "}, "content"),
    "no role": ({"session_id": "s", "content": "Hello."}, "role"),
    "an unknown role": ({"session_id": "s", "role": "boss", "content": "Hello."}, "role"),
    "an unknown kind": ({"session_id": "s", "kind": "thought", "content": "Hello."}, "kind"),
    "two times": (
        {"role": "user", "content": "a", "occurred_at": "2024-01-01", "timestamp": "2024-01-01"},
        "timestamp",
    ),
    "no time": ({"role": "user", "content": "a", "occurred_at": "yesterday"}, "occurred_at"),
    "one and several": ({"content": "a", "episodes": [{"role": "user", "content": "b"}]}, "content"),
    "none": ({"episodes": []}, "episodes"),
    "a bad one of several": ({"episodes": [{"role": "user", "content": "b"}, {"content": "c"}]}, "episodes[1].role"),
    "too many": ({"episodes": [{"role": "user", "content": "b"}] * 10_001}, "episodes"),
    "an unknown name": ({"role": "user", "content": "a", "session": "s"}, "session"),
    "a blank session": ({"role": "user", "content": "a", "session_id": " "}, "session_id"),
    "two spaces": ({"role": "user", "content": "a", "container_tags": ["a", "b"]}, "containerTags"),
    "content that is no text": ({"role": "user", "content": {"a": 1}}, "content"),
    "true for a text": ({"role": "user", "content": True}, "content"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_an_event_is_refused_by_name_and_nothing_is_kept(client, host, case):
    body, field = REFUSED[case]
    answer = client.post("/v1/episodes", json=body)
    assert answer.status_code in (400, 413)
    assert_refused(answer, answer.status_code, field=field)
    with host.store.read("default") as db:
        assert db.execute("SELECT (SELECT count(*) FROM episode) + (SELECT count(*) FROM session)").fetchone()[0] == 0


def test_an_id_that_is_unknown_is_not_found_and_makes_nothing(client):
    unknown = "ses_01J8Z3Q6T4W8K2M5N7P9R1S3V5"
    for answer in (
        post(client, session_id=unknown), client.get(f"/v1/sessions/{unknown}"),
        client.get(f"/v1/sessions/{unknown}/episodes"), client.get("/v1/episodes/ep_1"),
    ):  # fmt: skip
        assert answer.status_code == 404
    assert client.get("/v1/sessions").get_json()["sessions"] == []


def test_turns_state_facts_and_nothing_else_does(pipeline):
    client = create_app(pipeline.host).test_client()
    events = [
        {"role": "user", "name": "Ines", "content": "I moved to the north site yesterday.",
         "timestamp": "2023-05-08T09:30:00Z"},
        {"kind": "tool_call", "role": "assistant", "name": "desk", "content": "Ines lives in Bergen now."},
        {"kind": "tool_result", "content": "Ines owns nine boats in Lisbon."},
        {"kind": "outcome", "role": "user", "content": "Ines breeds sheep in Porto."},
        {"kind": "error", "role": "assistant", "content": "Ines likes thunder."},
    ]  # fmt: skip
    made = appended(client, {"session_id": "run-1", "episodes": events})
    pipeline.settle()

    (row,) = pipeline.rows("SELECT statement, speaker FROM memory")
    assert "north site" in row[0]
    assert "2023-05-07" in row[0]
    assert row[1] == "Ines"
    (hit,) = client.post("/v4/search", json={"q": "north site", "include": {"sources": True}}).get_json()["results"]
    assert hit["sources"][0]["id"] == made["id"]
    assert hit["sources"][0]["conversationId"] == "run-1"
    assert client.get(f"/v1/jobs/{made['job_id']}").get_json()["state"] == "done"


def test_what_states_nothing_owes_no_job(client):
    made = appended(client, {"session_id": "run-1", "kind": "tool_call", "content": "look_up()"})
    assert (made["status"], made["job_id"]) == ("done", None)
    turn = appended(client)
    assert turn["status"] == "queued"
    assert turn["job_id"].startswith("job_")


def test_a_wait_that_ends_too_early_says_so(client):
    made = appended(client, wait=True)
    assert made["status"] in ("queued", "running")


def two_keys(host: Any, first: dict[str, Any], second: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the headers of two keys."""
    made = []
    for number, limits in enumerate((first, second)):
        tenant = limits.pop("tenant", "default")
        host.store.ensure_tenant(tenant)
        made.append(keys.create(host, tenant=tenant, label=f"key {number}", **limits))
    return tuple({"Authorization": f"Bearer {one.secret}"} for one in made)  # type: ignore[return-value]


def test_security_05_another_tenants_id_looks_like_an_unknown_one(client, host):
    ours, theirs = two_keys(host, {}, {"tenant": "other"})
    made = client.post("/v1/episodes", json=TURN, headers=ours).get_json()
    unknown = {"ses": "ses_01J8Z3Q6T4W8K2M5N7P9R1S3V5", "ep": "ep_01J8Z3Q6T4W8K2M5N7P9R1S3V5"}
    session, episode = made["session_id"], made["id"]
    for path, other in (
        (f"/v1/sessions/{session}", f"/v1/sessions/{unknown['ses']}"),
        (f"/v1/sessions/{session}/episodes", f"/v1/sessions/{unknown['ses']}/episodes"),
        (f"/v1/episodes/{episode}", f"/v1/episodes/{unknown['ep']}"),
    ):
        foreign, absent = client.get(path, headers=theirs), client.get(other, headers=theirs)
        assert foreign.status_code == absent.status_code == 404
        shown = foreign.get_data(as_text=True).replace(session, unknown["ses"]).replace(episode, unknown["ep"])
        assert json.loads(shown) == absent.get_json()
    assert client.post("/v1/episodes", json={**TURN, "session_id": session}, headers=theirs).status_code == 404
    assert client.get("/v1/sessions", headers=theirs).get_json()["sessions"] == []
    assert client.get(f"/v1/sessions/{session}", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert len(client.get(f"/v1/sessions/{session}/episodes", headers=ours).get_json()["episodes"]) == 1


def test_limits_of_a_key_hold_for_sessions(client, host):
    ours, bound = two_keys(host, {}, {"spaces": ("desk",), "user": "ines"})
    (reader, _) = two_keys(host, {"read_only": True}, {})
    away = client.post("/v1/episodes", json=TURN, headers=ours).get_json()
    other = client.post(
        "/v1/episodes", json={**TURN, "container_tag": "desk", "user_id": "rute"}, headers=ours
    ).get_json()

    for made in (away, other):
        assert client.get(f"/v1/sessions/{made['session_id']}", headers=bound).status_code == 404
        assert client.get(f"/v1/episodes/{made['id']}", headers=bound).status_code == 404
        sent = client.post("/v1/episodes", json={**TURN, "session_id": made["session_id"]}, headers=bound)
        assert sent.status_code == 404
    taken = client.post("/v1/episodes", json={**TURN, "container_tag": "desk"}, headers=bound)
    assert_refused(taken, 409, field="session_id")
    assert client.post("/v1/episodes", json=TURN, headers=reader).status_code == 403
    mine = client.post("/v1/episodes", json={**TURN, "container_tag": "desk", "session_id": "m"}, headers=bound)
    assert mine.status_code == 201
    listed = client.get("/v1/sessions", query_string={"container_tag": "desk"}, headers=bound).get_json()
    assert [(one["conversation_id"], one["user_id"]) for one in listed["sessions"]] == [("m", "ines")]


@pytest.mark.parametrize("query", [{"from_seq": "-1"}, {"from_seq": "1.5"}, {"from_seq": "x"}, {"kind": "thought"},
                                   {"limit": "0"}, {"limit": "201"}, {"cursor": "x"}, {"order": "up"}])  # fmt: skip
def test_nonsense_in_a_query_is_refused_by_name(client, query):
    appended(client)
    ((field, _),) = query.items()
    answer = client.get("/v1/sessions/run-1/episodes", query_string=query)
    assert_refused(answer, 400, field=field)


def test_an_erasure_takes_the_words_and_leaves_the_chain_whole(pipeline):
    client = create_app(pipeline.host).test_client()
    made = appended(client, user_id="ines", key="k-1", metadata={"card": "DELME-77"})
    appended(client, session_id="other", content="The depot opens at seven.")
    pipeline.settle()

    sent = client.post("/v1/erasures", json={"kind": "subject", "id": "ines"})
    assert sent.status_code in (200, 202), sent.get_json()
    pipeline.settle()

    row = client.get(f"/v1/episodes/{made['id']}").get_json()
    assert (row["is_erased"], row["content"], row["name"], row["metadata"]) == (True, None, None, {})
    assert row["hash"] == made["episodes"][0]["hash"]
    assert client.get(f"/v1/sessions/{made['session_id']}").get_json()["conversation_id"] is None
    with pipeline.host.store.read("default") as db:
        assert list(chain.breaks(db)) == []
    # A repeat does not bring it back, nor does its name.
    assert post(client, key="k-1", user_id="ines", metadata={"card": "DELME-77"}).get_json()["code"] == "erased"
    assert post(client).get_json()["code"] == "erased"
    assert len(read(client, "other")) == 1


def test_a_session_is_searched_by_kind_and_by_words(client):
    events = [
        {"kind": "tool_call", "content": "look_up(CRANE 3)"},
        {"kind": "tool_result", "content": "The Crane is in ØSTFOLD."},
        {"kind": "error", "content": "100% of it timed out_"},
    ]
    appended(client, {"session_id": "run-1", "episodes": events})
    assert [row["seq"] for row in read(client, "run-1", q="crane")] == [0, 1]
    assert [row["seq"] for row in read(client, "run-1", q="crane", kind="tool_result")] == [1]
    assert [row["seq"] for row in read(client, "run-1", q="østfold")] == [1]
    assert [row["seq"] for row in read(client, "run-1", q="100%")] == [2]
    assert read(client, "run-1", q="in_tim") == []
