"""Documents in a batch, changed, and deleted together, over the real services; nobody's data is reached by accident."""

from __future__ import annotations

import pytest

from services import keys
from tests.shape import assert_refused


def add(client, **fields):
    return client.post("/v3/documents", json={"content": "Note.", **fields}).get_json()["id"]


def get(client, ref, **query):
    return client.get(f"/v3/documents/{ref}", query_string=query)


def listed(client, *tags):
    body = {"containerTags": list(tags), "includeContent": True, "order": "asc", "limit": 200}
    return client.post("/v3/documents/list", json=body).get_json()["memories"]


def bearer(host, **limits):
    return {"Authorization": f"Bearer {keys.create(host, label='test', **limits).secret}"}


def test_batch_is_taken_oldest_first_and_answered_in_the_order_sent(client):
    dates = [None, "2026-03-01", "2025-01-01", "2026-02-01"]
    sent = [{"content": f"n{number}", "documentDate": date} for number, date in enumerate(dates)]

    answer = client.post("/v3/documents/batch", json={"documents": sent, "containerTag": "b"})

    assert answer.status_code == 202
    body = answer.get_json()
    assert (body["success"], body["failed"]) == (4, 0)
    contents = [get(client, one["id"]).get_json()["content"] for one in body["results"]]
    assert contents == ["n0", "n1", "n2", "n3"]
    jobs = client.get("/v1/jobs", query_string={"container_tag": "b"}).get_json()["jobs"]
    taken = [job["document_id"] for job in sorted(jobs, key=lambda job: job["id"])]
    assert [contents[[one["id"] for one in body["results"]].index(ref)] for ref in taken] == ["n2", "n3", "n1", "n0"]


def test_document_of_a_batch_wins_over_what_is_shared_and_metadata_is_joined(client):
    shared = {"containerTag": "s", "metadata": {"a": 1, "b": 1}, "filepath": "/s", "taskType": "superrag"}
    own = {"content": "x", "containerTag": "t", "metadata": {"b": 2}, "filepath": "/t", "taskType": "memory"}

    body = client.post("/v3/documents/batch", json={**shared, "documents": [own, "y"]}).get_json()

    one, two = (get(client, result["id"]).get_json() for result in body["results"])
    fields = ("containerTags", "metadata", "filepath", "taskType")
    assert [one[name] for name in fields] == [["t"], {"a": 1, "b": 2}, "/t", "memory"]
    assert [two[name] for name in fields] == [["s"], {"a": 1, "b": 1}, "/s", "superrag"]


def test_batch_over_the_setting_is_too_large_and_nothing_of_it_is_kept(client, settings):
    many = ["n"] * (settings.max_batch_documents + 1)

    assert_refused(client.post("/v3/documents/batch", json={"documents": many}), 413, field="documents")
    assert listed(client, "default") == []


def test_metadata_that_is_over_the_limit_only_together_names_the_document(client):
    shared = {f"a{number}": 1 for number in range(60)}
    own = {f"b{number}": 1 for number in range(60)}

    answer = client.post(
        "/v3/documents/batch", json={"metadata": shared, "documents": ["x", {"content": "y", "metadata": own}]}
    )

    assert_refused(answer, 413, field="documents[1].metadata")
    assert listed(client, "default") == []


def test_document_that_does_not_fit_fails_alone(client):
    add(client, customId="c", userId="ana")

    answer = client.post(
        "/v3/documents/batch", json={"userId": "bob", "documents": [{"content": "mine", "customId": "c"}, "other"]}
    ).get_json()

    assert (answer["success"], answer["failed"]) == (1, 1)
    assert answer["results"][0] == {
        "id": "", "status": "failed", "error": "This customId belongs to another user or agent of the space.",
        "details": "conflict",
    }  # fmt: skip
    assert get(client, "c", userId="ana").get_json()["content"] == "Note."
    assert [row["content"] for row in listed(client, "default")] == ["Note.", "other"]


def test_same_custom_id_twice_in_a_batch_is_a_revision(client):
    twice = [{"content": "one", "customId": "c"}, {"content": "two", "customId": "c"}]

    answer = client.post("/v3/documents/batch", json={"documents": twice}).get_json()

    assert len({one["id"] for one in answer["results"]}) == 1
    found = get(client, "c").get_json()
    assert (found["content"], found["latestRevision"]) == ("two", 2)


def test_batch_under_a_key_is_kept_once(client):
    body, key = {"documents": ["a", "b"]}, {"Idempotency-Key": "k"}

    first, again = (client.post("/v3/documents/batch", json=body, headers=key).get_json() for _ in range(2))
    other = client.post("/v3/documents/batch", json={"documents": ["c"]}, headers=key)

    assert [one["id"] for one in first["results"]] == [one["id"] for one in again["results"]]
    assert_refused(other, 409, code="idempotency_mismatch")
    assert len(listed(client, "default")) == 2


def test_batch_reaches_no_space_beside_those_of_the_key(client, host):
    told = bearer(host, spaces=["a"])
    sent = {"documents": [{"content": "x", "containerTag": "a"}, {"content": "y", "containerTag": "b"}]}

    answer = client.post("/v3/documents/batch", json={**sent, "containerTag": "a"}, headers=told)

    assert_refused(answer, 403, field="containerTag")
    assert listed(client, "a", "b") == []


CHANGES = {
    "title": ("title", "New"), "metadata": ("metadata", {"b": [True, "x"][1:]}), "filepath": ("filepath", "/new"),
    "customId": ("customId", "new"), "type": ("type", "pdf"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_change_of_one_thing_leaves_the_rest_and_processes_nothing(client, name):
    field, value = CHANGES[name]
    ref = add(client, title="Old", metadata={"a": 1}, filepath="/old", customId="old", documentDate="2026-05-04")
    before = get(client, ref).get_json()

    answer = client.patch(f"/v3/documents/{ref}", json={field: value})

    assert answer.status_code == 200
    after = get(client, ref).get_json()
    assert after[field] == value
    same = set(before) - {field, "updatedAt"}
    assert {one: after[one] for one in same} == {one: before[one] for one in same}


def test_date_of_what_is_still_to_be_read_needs_no_revision(client):
    ref = add(client, documentDate="2026-05-04T09:00:00+02:00")

    answer = client.patch(f"/v3/documents/{ref}", json={"documentDate": "2026-06-01"})

    assert answer.status_code == 200
    assert get(client, ref).get_json()["documentDate"] == "2026-06-01T00:00:00Z"


def test_another_text_is_a_revision_and_the_same_one_is_none(client):
    ref = add(client, content="one")

    same = client.patch(f"/v3/documents/{ref}", json={"content": "one"})
    other = client.patch(f"/v3/documents/{ref}", json={"content": "two", "title": "T"})

    assert (same.status_code, other.status_code) == (200, 202)
    found = get(client, ref).get_json()
    assert (found["content"], found["title"], found["latestRevision"]) == ("two", "T", 2)
    assert found["jobId"] == other.get_json()["jobId"] != same.get_json()["jobId"]


def test_change_names_its_document_by_space_and_never_moves_it(client):
    one, two = add(client, customId="c", containerTag="a"), add(client, customId="c", containerTag="b")

    ambiguous = client.patch("/v3/documents/c", json={"title": "T"})
    named = client.patch("/v3/documents/c", json={"title": "T", "containerTag": "b"})
    moved = client.patch(f"/v3/documents/{one}", json={"title": "T", "containerTag": "b"})

    assert_refused(ambiguous, 409, code="ambiguous")
    assert named.get_json()["id"] == two
    assert_refused(moved, 400, field="containerTag")
    assert [get(client, ref).get_json()["title"] for ref in (one, two)] == [None, "T"]


def test_change_to_a_taken_custom_id_changes_nothing(client):
    add(client, customId="taken")
    ref = add(client, customId="mine")

    answer = client.patch(f"/v3/documents/{ref}", json={"customId": "taken", "title": "T", "content": "x"})

    assert_refused(answer, 409, field="customId")
    found = get(client, ref).get_json()
    assert (found["customId"], found["title"], found["content"]) == ("mine", None, "Note.")
    assert client.patch(f"/v3/documents/{ref}", json={"customId": "mine"}).status_code == 200


def test_change_and_deletion_reach_nobody_elses_document(client, host):
    anas, theirs = add(client, userId="ana"), add(client, containerTag="b")
    bob, a = bearer(host, user="bob"), bearer(host, spaces=["a"])

    for ref, told in ((anas, bob), (theirs, a)):
        unknown = client.patch("/v3/documents/doc_nobody", json={"title": "T"}, headers=told)
        theirs_too = client.patch(f"/v3/documents/{ref}", json={"title": "T"}, headers=told)
        assert (unknown.status_code, theirs_too.status_code) == (404, 404)
        answer = client.delete("/v3/documents/bulk", json={"ids": [ref, "doc_nobody"]}, headers=told).get_json()
        assert answer["deletedCount"] == 0
        assert [one["error"].replace(ref, "doc_nobody") for one in answer["errors"]] == [
            answer["errors"][1]["error"]
        ] * 2
    assert client.delete("/v3/documents/bulk", json={"filepath": "/"}, headers=bob).get_json()["deletedCount"] == 0
    assert [get(client, ref).get_json()["title"] for ref in (anas, theirs)] == [None, None]


def test_read_only_key_changes_nothing(client, host):
    ref, told = add(client), bearer(host, read_only=True)

    for answer in (
        client.post("/v3/documents/batch", json={"documents": ["a"]}, headers=told),
        client.patch(f"/v3/documents/{ref}", json={"title": "T"}, headers=told),
        client.delete("/v3/documents/bulk", json={"ids": [ref]}, headers=told),
        client.delete("/v3/documents/bulk", json={"containerTag": "default"}, headers=told),
    ):
        assert_refused(answer, 403)


def test_deletion_that_waits_for_the_writer_is_counted_as_such(client):
    refs = [add(client) for _ in range(3)]

    answer = client.delete("/v3/documents/bulk", json={"ids": [*refs, refs[0], "nobody"]})

    assert answer.status_code == 202
    body = answer.get_json()
    assert (body["success"], body["deletedCount"], body["pendingCount"]) == (False, 0, 3)
    assert body["errors"] == [{"id": "nobody", "error": "No document 'nobody' in this space."}]
    assert body["warning"]


def test_ambiguous_id_deletes_nothing_and_its_space_makes_it_clear(client):
    for tag in ("a", "b"):
        add(client, customId="c", containerTag=tag)

    unclear = client.delete("/v3/documents/bulk", json={"ids": ["c"]}).get_json()
    clear = client.delete("/v3/documents/bulk", json={"ids": ["c"], "containerTags": ["a"]}).get_json()

    assert (unclear["deletedCount"], "pendingCount" in unclear) == (0, False)
    assert "Several spaces" in unclear["errors"][0]["error"]
    assert (clear["pendingCount"], clear["containerTags"]) == (1, ["a"])


def test_broker_that_is_down_keeps_a_deletion(client, host):
    ref = add(client)
    host.queue.down = True

    body = client.delete("/v3/documents/bulk", json={"ids": [ref]}).get_json()

    assert body["pendingCount"] == 1


@pytest.mark.parametrize(
    ("view", "wanted"), [("active", {"new"}), ("pending", {"new", "old"}), ("all", {"new", "old"})]
)
def test_view_of_what_is_processed_tells_what_is_stuck(client, host, view, wanted):
    add(client, customId="old", containerTag="p")
    host.clock.advance(4 * 3600 + 1)
    add(client, customId="new", containerTag="q")

    rows = client.get("/v3/documents/processing", query_string={"view": view, "containerTags": "p, q"}).get_json()

    assert {row["customId"]: row["stuck"] for row in rows["documents"]} == {one: one == "old" for one in wanted}
    assert rows["totalCount"] == len(wanted)


def test_space_with_a_comma_in_its_name_is_named_alone(client):
    ref = add(client, containerTag="a,b")

    one = client.get("/v3/documents/processing", query_string={"containerTag": "a,b"}).get_json()
    two = client.get("/v3/documents/processing", query_string={"containerTags": "a,b"}).get_json()

    assert ([row["id"] for row in one["documents"]], two["documents"]) == ([ref], [])


def test_revision_under_way_is_told_while_an_older_one_serves(client):
    found = get(client, add(client)).get_json()

    # Nothing serves yet, so nothing is updated.
    assert (found["dreamingStatus"], found["activeContentUpdateId"]) == ("dreaming", None)
