"""The walks through time on the wire; what they find is tested with their services."""

import pytest

from services import keys
from tests.rows import put_memories
from tests.shape import assert_refused


@pytest.fixture
def memory(host):
    (row_id,) = put_memories(host, "default", ["Ann lives in Rome."], metadata={"team": "a"})
    return f"mem_{row_id}"


def test_changes_come_in_pages_with_their_names(client, host, memory):
    put_memories(host, "default", ["Bob is tall.", "Cid is small."])
    put_memories(host, "elsewhere", ["Dan is old."])

    first = client.get("/v1/changes", query_string={"limit": 2}).get_json()
    cursor = first["pagination"]["next_cursor"]
    second = client.get("/v1/changes", query_string={"limit": 2, "cursor": cursor}).get_json()

    assert first["pagination"]["total_items"] == 3
    assert [one["kind"] for one in first["changes"] + second["changes"]] == ["learned"] * 3
    assert len({one["id"] for one in first["changes"] + second["changes"]}) == 3
    assert first["changes"][0]["actor"] == {"kind": "pipeline", "id": "job_1"}


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"from": "soon"}, "from"), ({"to": ""}, "to"), ({"from": "2027-01-01", "to": "2026-01-01"}, "from"),
     ({"cursor": "abc"}, "cursor"), ({"since": "2026-01-01"}, "since")],
)  # fmt: skip
def test_wrong_times_and_cursors_are_refused_by_name(client, sent, field):
    assert_refused(client.get("/v1/changes", query_string=sent), 400, field=field)


def test_a_cursor_of_another_listing_is_refused(client, memory):
    put_cursor = client.post("/v4/memories/list", json={"limit": 1}).get_json()
    assert put_cursor["pagination"]["nextCursor"] is None
    assert_refused(client.get("/v1/changes", query_string={"cursor": "WzEsMiwzXQ"}), 400, field="cursor")


def test_a_memory_and_its_history_take_both_clocks(client, memory):
    for path in (f"/v1/memories/{memory}", f"/v1/memories/{memory}/history"):
        assert client.get(path, query_string={"as_of": "2020-01-01"}).status_code == 200
        assert_refused(client.get(path, query_string={"known_at": "2020-01-01"}), 404)
        assert_refused(client.get(path, query_string={"known_at": "then"}), 400, field="known_at")


def test_the_list_takes_both_clocks(client, memory):
    for sent, many in (({"asOf": "2020-01-01"}, 1), ({"knownAt": "2020-01-01"}, 0), ({"known_at": "2100-01-01"}, 1)):
        answer = client.post("/v4/memories/list", json=sent)
        assert len(answer.get_json()["memoryEntries"]) == many


def test_a_walk_names_source_maker_and_windows(client, memory):
    walk = client.get(f"/v1/memories/{memory}/provenance").get_json()

    assert (walk["sources"][0]["quote"], walk["sources"][0]["kind"]) == ("Ann lives in Rome.", "direct")
    assert (walk["versions"][0]["model"], walk["versions"][0]["windows"][0]["reason"]) == ("rules", None)
    assert walk["decisions"] == []
    assert_refused(client.get("/v1/memories/mem_0/provenance"), 404)


def test_only_the_key_of_a_person_undoes(client, host, memory):
    agent = keys.create(host, label="agent", actor_kind="agent")
    reader = keys.create(host, label="reader", actor_kind="person", read_only=True)

    for key, code in ((agent, "person_only"), (reader, "forbidden")):
        answer = client.post(f"/v1/memories/{memory}/undo", headers={"Authorization": f"Bearer {key.secret}"})
        assert answer.status_code == 403
        assert answer.get_json()["code"] == code
