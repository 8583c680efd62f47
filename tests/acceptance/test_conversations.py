"""Conversations: appended by the rule, remembered with speaker, date and source, and found again."""

from __future__ import annotations

from typing import Any

from ops.launched import Launched

TALK = [
    {"role": "user", "name": "Ines", "content": "I moved to Porto.", "timestamp": "2024-03-04T09:00:00+01:00"},
    {"role": "assistant", "name": "Desk", "content": "How do you like the river?"},
    {"role": "user", "name": "Ines", "content": "ok", "timestamp": "2024-03-04T09:01:00+01:00"},
    {
        "role": "user",
        "name": "Ines",
        "content": "My sister Rute breeds sheep.",
        "timestamp": "2024-03-04T09:02:00+01:00",
    },
]


def send(stack: Launched, space: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    sent = stack.post("/v4/conversations", conversationId="talk", containerTag=space, messages=messages)
    if sent["jobId"]:
        assert stack.job(sent["jobId"])["state"] == "done"
    return sent


def facts(stack: Launched, space: str) -> list[dict[str, Any]]:
    return stack.post("/v4/memories/list", containerTags=[space], order="asc")["memoryEntries"]


def test_statements_become_memories_that_name_speaker_date_and_source(stack: Launched, space: str) -> None:
    # when
    send(stack, space, TALK)

    # then what states something is a memory; "ok" stays an episode
    texts = [one["memory"] for one in facts(stack, space)]
    assert any("4 March 2024" in text and "Ines" in text and "moved to Porto" in text for text in texts)
    assert any("Rute breeds sheep" in text for text in texts)
    assert not any(text.rstrip(".").endswith("ok") for text in texts)

    # and search says where it was said
    best = stack.search("Where does Ines live?", containerTag=space, include={"sources": True})[0]
    assert "Porto" in best["memory"]
    (source,) = best["sources"]
    assert (source["kind"], source["conversationId"], source["messageIndex"]) == ("episode", "talk", 0)


def test_sending_more_appends_and_sending_again_adds_nothing(stack: Launched, space: str) -> None:
    # given
    send(stack, space, TALK[:2])

    # when the whole transcript is sent, and then again, and then only what is new
    send(stack, space, TALK)
    again = send(stack, space, TALK)
    send(stack, space, [{"role": "user", "name": "Ines", "content": "Rute has ninety sheep."}])

    # then each message is stored once
    assert again["status"] == "done"
    stats = stack.get("/v1/stats", containerTag=space)
    assert stats["episodes"] == len(TALK) + 1
    sources = stack.search("ninety sheep", containerTag=space, include={"sources": True})[0]["sources"]
    assert sources[0]["messageIndex"] == len(TALK)


def test_an_edited_history_is_refused(stack: Launched, space: str) -> None:
    # given
    send(stack, space, TALK)

    # when an earlier message comes back changed
    changed = [TALK[0], {**TALK[1], "content": "How do you like the sea?"}, *TALK[2:]]
    body = {"conversationId": "talk", "containerTag": space, "messages": changed}
    answer = stack.http.post(stack.url + "/v4/conversations", json=body, timeout=30)

    # then
    assert answer.status_code == 409
    assert answer.json()["code"] == "history_differs"
    assert stack.get("/v1/stats", containerTag=space)["episodes"] == len(TALK)


def test_what_was_forgotten_is_learned_again_only_from_what_is_said_later(stack: Launched, space: str) -> None:
    # given a forgotten fact
    send(stack, space, TALK)
    (sheep,) = [one for one in facts(stack, space) if "sheep" in one["memory"]]
    body = {"containerTag": space, "id": sheep["id"], "reason": "wrong"}
    assert stack.http.delete(stack.url + "/v4/memories", json=body, timeout=30).status_code == 200

    # when an old source says it again, then it stays forgotten
    old = {"conversationId": "other", "containerTag": space, "messages": [TALK[3]]}
    assert stack.job(stack.post("/v4/conversations", **old)["jobId"])["state"] == "done"
    assert not [one for one in facts(stack, space) if "sheep" in one["memory"]]

    # and when the person says it anew, then it is a new version of the same chain
    new = {"conversationId": "third", "containerTag": space, "messages": [{**TALK[3], "timestamp": None}]}
    new["messages"][0].pop("timestamp")  # type: ignore[index]
    assert stack.job(stack.post("/v4/conversations", **new)["jobId"])["state"] == "done"
    (back,) = [one for one in facts(stack, space) if "sheep" in one["memory"]]
    assert back["version"] == 2
    assert back["rootMemoryId"] == sheep["id"]


def test_ask_answers_with_citations_and_says_what_it_saved(stack: Launched, space: str) -> None:
    # given
    send(stack, space, TALK)

    # when
    answer = stack.post("/v1/ask", q="Who breeds sheep?", container_tag=space)

    # then
    assert "Rute" in answer["answer"]
    assert answer["citations"][0]["n"] == 1
    assert answer["citations"][0]["source"]["message_index"] == 3
    assert answer["tokens"]["source"] > 0

    # and what nobody said is not made up
    nothing = stack.post("/v1/ask", q="Who breeds sheep?", container_tag=f"{space}-empty")
    assert nothing["citations"] == []
