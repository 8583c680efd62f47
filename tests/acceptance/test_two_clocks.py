"""The past of a running service: both clocks on every read, what changed, where a fact comes from, and undoing."""

from __future__ import annotations

from typing import Any

from ops.launched import Launched


def remember(stack: Launched, space: str, text: str, **more: Any) -> str:
    written = stack.post("/v4/memories", memories=[{"content": text, **more}], containerTag=space)
    return str(written["memories"][0]["id"])


def change(stack: Launched, space: str, memory_id: str, text: str, **more: Any) -> dict[str, Any]:
    body = {"containerTag": space, "id": memory_id, "newContent": text, **more}
    answer = stack.http.patch(stack.url + "/v4/memories", json=body, timeout=30)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


def listed(stack: Launched, space: str, **clocks: str) -> list[str]:
    entries = stack.post("/v4/memories/list", containerTags=[space], **clocks)["memoryEntries"]
    return sorted(one["memory"] for one in entries)


def test_every_read_answers_for_a_point_of_both_clocks(stack: Launched, space: str) -> None:
    # given a fact of 2020 that changed in 2023 and was told today
    first = remember(stack, space, "Dana lives in Lyon.", validFrom="2020-01-01")
    known = stack.get(f"/v1/memories/{first}")["recorded_at"]
    second = change(stack, space, first, "Dana lives in Porto.", validFrom="2023-06-01")["id"]

    # then the list, a search, a question, the memory and its history agree on what held when
    for as_of, text, live in (
        ("2021-01-01", "Dana lives in Lyon.", first),
        ("2024-01-01", "Dana lives in Porto.", second),
    ):
        assert listed(stack, space, asOf=as_of) == [text]
        assert [one["id"] for one in stack.search("Dana", containerTag=space, asOf=as_of)] == [live]
        asked = stack.post("/v1/ask", q="Where does Dana live?", container_tag=space, as_of=as_of)
        assert [one["id"] for one in asked["citations"]] == [live]
        assert stack.get(f"/v1/memories/{first}", as_of=as_of)["id"] == live
        assert [one["id"] for one in stack.get(f"/v1/memories/{first}/history", as_of=as_of)["versions"]] == [live]
    assert listed(stack, space, asOf="2019-01-01") == []

    # and on what was known before the change was told
    assert listed(stack, space, knownAt=known) == ["Dana lives in Lyon."]
    assert [one["id"] for one in stack.search("Dana", containerTag=space, knownAt=known)] == [first]
    assert len(stack.get(f"/v1/memories/{second}/history", known_at=known)["versions"]) == 1
    assert stack.get(f"/v1/memories/{first}", known_at=known)["valid_to"] is None
    assert stack.http.get(stack.url + f"/v1/memories/{second}?known_at={known}", timeout=30).status_code == 404


def test_a_wrong_change_is_found_walked_back_and_undone(stack: Launched, space: str) -> None:
    # given a document's fact that somebody overwrote
    sent = stack.post("/v3/documents", content="# Crane 4\n\nThe limit of crane 4 is 55 kg.", containerTag=space)
    stack.job(sent["jobId"])
    (fact,) = stack.post("/v4/memories/list", containerTags=[space])["memoryEntries"]
    wrong = change(stack, space, fact["id"], "The limit of crane 4 is 5500 kg.")

    # when the changes are read
    changes = stack.get("/v1/changes", container_tag=space)["changes"]

    # then they tell what was learned and what took its place
    assert [one["kind"] for one in changes] == ["learned", "superseded"]
    assert (changes[1]["id"], changes[1]["successor_id"]) == (fact["id"], wrong["id"])
    assert changes[1]["actor"] == {"kind": "person", "id": "local"}

    # and the walk leads back to the words of the document
    walk = stack.get(f"/v1/memories/{fact['id']}/provenance")
    source = walk["sources"][0]
    assert (source["document_id"], source["job_id"], source["outcome"]) == (sent["id"], sent["jobId"], "added")
    text = stack.get(f"/v3/documents/{sent['id']}")["content"]
    assert text[source["start"] : source["end"]] == source["quote"]
    assert [(one["version"], one["reason"]) for one in walk["versions"]] == [(1, None), (2, "changed")]

    # when it is undone
    back = stack.post(f"/v1/memories/{fact['id']}/undo", reason="a slip of the keyboard")

    # then the document's fact is live and found, and the undo is told
    assert (back["version"], back["parent_id"]) == (3, wrong["id"])
    assert listed(stack, space) == [fact["memory"]]
    assert [one["id"] for one in stack.search("limit of crane 4", containerTag=space)] == [back["id"]]
    told = stack.get("/v1/changes", container_tag=space)["changes"][2:]
    assert {one["kind"]: one.get("reason") for one in told}["superseded"] == (
        "undone by person local: a slip of the keyboard"
    )

    # and it can be undone itself, but not twice
    again = stack.post(f"/v1/memories/{wrong['id']}/undo")
    assert listed(stack, space) == ["The limit of crane 4 is 5500 kg."]
    refused = stack.http.post(stack.url + f"/v1/memories/{again['id']}/undo", timeout=30)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
