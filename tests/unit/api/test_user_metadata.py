"""API-11: metadata is the caller's, whatever its keys are called: it comes back, or is refused by a stated limit."""

import json
from typing import Any

import pytest

from api.app import create_app
from tests.shape import assert_refused

# Names of ours and of languages; each is a key like any other.
KEYS = (
    "id", "type", "kind", "container", "containerTag", "tenant_id", "space_id", "version", "is_latest", "isForgotten",
    "score", "similarity", "confidence", "valid_from", "valid_to", "retired_at", "user_id", "row_id", "memory",
    "content", "existing", "metadata", "__proto__", "constructor", "a.b", "a[0]", "$where", "'; --", "AND", "key", "🎩",
    "日本", " padded ", "x" * 128,
)  # fmt: skip
VALUES = ("preference", "", "doc_1", 2, -1.5, 0, True, False, ["a", "b"], [], "NaN", "null", "2020-01-01")
ODD = {key: VALUES[number % len(VALUES)] for number, key in enumerate(KEYS)}
FULL = {f"key {number}": number for number in range(100)}


def nested(depth: int) -> Any:
    return {"a": nested(depth - 1)} if depth else "b"


# Raw JSON of the metadata, and what the refusal names.
REFUSED = {
    "an empty key": ('{"": 1}', 400, "metadata"),
    "a blank key": ('{" ": 1}', 400, "metadata"),
    "a long key": (json.dumps({"x" * 129: 1}), 400, "metadata"),
    "300 keys": (json.dumps({f"key {number}": number for number in range(300)}), 413, "metadata"),
    "nested 60 levels": (json.dumps(nested(60)), 400, "metadata.a"),
    "a value of 1 MB": (json.dumps({"a": "x" * 10**6}), 413, "metadata"),
    "NaN": ('{"a": NaN}', 400, "metadata.a"),
    "infinity": ('{"a": 1e999}', 400, "metadata.a"),
    "a list of numbers": ('{"a": [1, 2]}', 400, "metadata.a"),
    "a list with nothing in it": ('{"a": [null]}', 400, "metadata.a"),
    "an object": ('{"a": {"b": "c"}}', 400, "metadata.a"),
    "a large number": ('{"a": 9007199254740993}', 400, "metadata.a"),
    "NUL": ('{"a": "b\\u0000"}', 400, "metadata.a"),
    "half a pair": ('{"a": "\\ud83d"}', 400, "metadata.a"),
    "a list": ("[]", 400, "metadata"),
    "a text": ('"a"', 400, "metadata"),
}
# By route: a body with its metadata left open, and where it stands in it.
DOORS = {
    "document": ("/v3/documents", '{"content": "Ann lives in Oslo.", "metadata": %s}', ""),
    "memory": ("/v4/memories", '{"memories": [{"content": "Ann lives in Oslo.", "metadata": %s}]}', "memories[0]."),
    "conversation": (
        "/v4/conversations",
        '{"conversationId": "c", "messages": [{"role": "user", "content": "I live in Oslo."}], "metadata": %s}',
        "",
    ),
    "message": (
        "/v4/conversations",
        '{"conversationId": "c", "messages": [{"role": "user", "content": "I live in Oslo.", "metadata": %s}]}',
        "messages[0].",
    ),
}


@pytest.fixture
def client(pipeline):
    # The bodies here are larger than what the other tests allow.
    return create_app(pipeline.host).test_client()


def send(client, door: str, metadata: str):
    path, body, _ = DOORS[door]
    return client.post(path, data=(body % metadata).encode(), content_type="application/json")


@pytest.mark.parametrize("sent", [ODD, FULL, {}], ids=["odd keys", "100 keys", "none"])
def test_a_document_gives_its_metadata_back_and_works_as_any(pipeline, client, sent):
    made = send(client, "document", json.dumps(sent)).get_json()
    pipeline.settle()
    found = client.get(f"/v3/documents/{made['id']}").get_json()
    assert found["metadata"] == sent
    assert (found["id"], found["type"], found["containerTags"], found["status"]) == (
        made["id"], "text", ["default"], "done",
    )  # fmt: skip
    (chunk,) = client.post("/v4/search", json={"q": "Oslo", "searchMode": "documents"}).get_json()["results"]
    assert (chunk["metadata"], chunk["documentId"], chunk["containerTag"]) == (sent, made["id"], "default")


@pytest.mark.parametrize("sent", [ODD, FULL, {}], ids=["odd keys", "100 keys", "none"])
def test_a_memory_gives_its_metadata_back_and_sets_nothing_of_ours(client, sent):
    (made,) = send(client, "memory", json.dumps(sent)).get_json()["memories"]
    found = client.get(f"/v1/memories/{made['id']}").get_json()
    assert found["metadata"] == made["metadata"] == sent
    (plain,) = client.post("/v4/memories", json={"memories": [{"content": "Bob lives in Bern."}]}).get_json()[
        "memories"
    ]
    same = ("version", "isLatest", "isForgotten", "kind", "confidence", "containerTag", "validFrom", "validTo")
    assert {name: made[name] for name in same} == {name: plain[name] for name in same}
    (hit,) = client.post("/v4/search", json={"q": "Ann", "limit": 1}).get_json()["results"]
    assert (hit["id"], hit["metadata"], hit["version"], hit["containerTag"]) == (made["id"], sent, 1, "default")
    # And a change keeps it, and can replace it.
    change = {"id": made["id"], "newContent": "Ann lives in Rome.", "metadata": {"version": 9}}
    changed = client.patch("/v4/memories", json=change).get_json()
    assert (changed["metadata"], changed["version"]) == ({"version": 9}, 2)


@pytest.mark.parametrize("door", ["conversation", "message"])
def test_a_conversation_with_odd_metadata_is_read_as_any(pipeline, client, door):
    assert send(client, door, json.dumps(ODD)).status_code == 202
    pipeline.settle()
    table = "session" if door == "conversation" else "episode"
    ((kept,),) = pipeline.rows(f"SELECT metadata FROM {table}")
    assert json.loads(kept) == ODD
    (hit,) = client.post("/v4/search", json={"q": "Oslo"}).get_json()["results"]
    assert (hit["version"], hit["containerTag"]) == (1, "default")
    assert all(job["state"] == "done" for job in client.get("/v1/jobs").get_json()["jobs"])


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("door", DOORS)
def test_metadata_that_cannot_be_kept_is_refused_by_name_and_nothing_is_stored(pipeline, client, door, case):
    raw, status, field = REFUSED[case]
    assert_refused(send(client, door, raw), status, field=DOORS[door][2] + field)
    assert pipeline.rows("SELECT (SELECT count(*) FROM document) + (SELECT count(*) FROM memory)") == [(0,)]
    assert pipeline.rows("SELECT (SELECT count(*) FROM episode) + (SELECT count(*) FROM job)") == [(0,)]


@pytest.mark.parametrize("door", ["document", "memory"])
def test_null_values_drop_their_keys(client, door):
    made = send(client, door, '{"a": null, "b": 1}').get_json()
    if door == "document":
        made = client.get(f"/v3/documents/{made['id']}").get_json()
        assert made["metadata"] == {"b": 1}
    else:
        assert made["memories"][0]["metadata"] == {"b": 1}


def ids(client, **asked: Any) -> set[str]:
    return {one["id"] for one in client.post("/v4/search", json={"q": "Oslo", **asked}).get_json()["results"]}


@pytest.mark.parametrize("key", KEYS)
def test_a_filter_on_any_key_asks_the_callers_metadata(client, key):
    send(client, "memory", json.dumps({key: "mine"}))
    other = client.post("/v4/memories", json={"memories": [{"content": "Oslo is cold."}]}).get_json()["memories"][0]
    asked = {"key": key, "value": "mine"}
    assert len(ids(client, filters=asked)) == 1
    assert ids(client, filters={**asked, "negate": True}) == {other["id"]}


def test_metadata_cannot_pretend_to_be_what_a_memory_is(client):
    facts = [
        {"content": "Oslo is cold.", "metadata": {"kind": "preference", "confidence": 0.01}, "kind": "fact"},
        {"content": "Ann likes Oslo.", "kind": "preference", "metadata": {"kind": "fact"}},
    ]
    fact, liked = (one["id"] for one in client.post("/v4/memories", json={"memories": facts}).get_json()["memories"])
    # The memory itself answers to `kinds` and `minConfidence`, its metadata to `filters`.
    assert ids(client, kinds=["fact"]) == {fact}
    assert ids(client, kinds=["preference"], minConfidence=0.5) == {liked}
    assert ids(client, minConfidence=0.5) == {fact, liked}
    assert ids(client, filters={"key": "kind", "value": "preference"}) == {fact}
    below = {"key": "confidence", "value": 0.5, "filterType": "numeric", "numericOperator": "<"}
    assert ids(client, filters=below) == {fact}
