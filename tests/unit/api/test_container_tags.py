"""Container tags on the wire: names, settings, merging, deleting and restoring; who may."""

from dataclasses import replace
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from api.app import create_app
from services import keys
from tests.pipeline import Pipeline
from tests.shape import assert_refused

# What a user keeps apart: none of these may be reduced to another, whatever way it is named.
NAMES = ("断路器", "大语言模型", "مشروع", "A b", "a-b", "a b", "a/b", "a%2Fb", "x/inferred", "naïve", "Ω:1", "merge")
REFUSED = ("🎩", "a b ", " a", "", "-", "a\u200b", "a\u202eb", "x" * 101, "a\tb")


@pytest.fixture
def client(pipeline: Pipeline) -> FlaskClient:
    return create_app(pipeline.host).test_client()


@pytest.fixture
def keyed(pipeline: Pipeline) -> FlaskClient:
    return create_app(replace(pipeline.host, settings=replace(pipeline.host.settings, keyless=0))).test_client()


def at(tag: str, *, rest: str = "") -> str:
    return f"/v3/container-tags/{quote(tag, safe='')}{rest}"


def write(client, tag, text="Ann lives in Rome.", **fields):
    return client.post("/v4/memories", json={"containerTag": tag, "memories": [{"content": text}], **fields})


def facts(client, *tags):
    body = {"containerTags": list(tags)}
    rows = client.post("/v4/memories/list", json=body).get_json()["memoryEntries"]
    return sorted(row["memory"] for row in rows)


def test_every_name_is_a_boundary_of_its_own_in_bodies_and_addresses(client):
    # What holds answers to the document finds the route by the decoded path, in which an encoded slash is lost.
    client = FlaskClient(client.application)
    for name in NAMES:
        assert write(client, name, f"This was told to {name!r}.").status_code == 201

    for name in NAMES:
        assert facts(client, name) == [f"This was told to {name!r}."]
        shown = client.get(at(name)).get_json()
        assert (shown["containerTag"], shown["memoryCount"]) == (name, 1)
        hits = client.post("/v4/search", json={"q": "told", "containerTag": name}).get_json()["results"]
        assert {hit["containerTag"] for hit in hits} == {name}
    listed = client.get("/v3/container-tags/list").get_json()["containerTags"]
    assert [one["containerTag"] for one in listed] == list(NAMES)


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_is_none_is_refused_by_one_rule_everywhere(client, name):
    refusals = [
        write(client, name),
        client.post("/v4/search", json={"q": "x", "containerTags": [name]}),
        client.post("/v3/container-tags/merge", json={"containerTags": [name], "targetContainerTag": "b"}),
        client.get("/v3/documents", query_string={"containerTag": name}),
    ]
    if name:
        refusals += [client.get(at(name)), client.patch(at(name), json={}), client.delete(at(name))]

    said = {assert_refused(one, 400)["error"].partition(" ")[2] for one in refusals}
    assert len(said) == 1
    assert client.get("/v3/container-tags/list").get_json()["containerTags"] == []


def test_one_name_in_two_spellings_of_unicode_is_one_space(client):
    write(client, "cafe\u0301")
    assert facts(client, "caf\u00e9") == ["Ann lives in Rome."]
    assert client.get(at("cafe\u0301")).get_json()["containerTag"] == "caf\u00e9"


def test_settings_are_set_shown_and_taken_away(client):
    wanted = {"name": "Research", "entityContext": "Papers.", "memoryFilesystemPaths": ["/memory/"],
              "profileBuckets": [{"key": "food", "description": "Pizza."}, {"key": "old_pets"}]}  # fmt: skip
    made = client.patch(at("lab"), json=wanted)

    assert made.status_code == 200
    shown = made.get_json()
    assert {name: shown[name] for name in ("name", "entityContext", "memoryFilesystemPaths")} == {
        name: wanted[name] for name in ("name", "entityContext", "memoryFilesystemPaths")
    }
    assert shown["profileBuckets"] == [{"key": "food", "description": "Pizza."},
                                       {"key": "old_pets", "description": "old pets"}]  # fmt: skip
    assert "No language model" in shown["warning"]
    taken = client.patch(at("lab"), json={"entityContext": None, "memoryFilesystemPaths": None}).get_json()
    assert (taken["entityContext"], taken["memoryFilesystemPaths"], taken["name"]) == (None, None, "Research")
    assert "warning" not in taken
    assert client.get(at("lab")).get_json() == taken
    assert client.patch(at("lab"), json={"profileBuckets": None}).get_json()["profileBuckets"] == []


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"entityContext": "x" * 1501}, "entityContext"), ({"entityContext": " "}, "entityContext"), ({"name": 3}, "name"),
     ({"profileBuckets": [{"key": "no spaces"}]}, "profileBuckets[0].key"), ({"memoryFilesystemPaths": "/m"},
     "memoryFilesystemPaths"), ({"nam": "x"}, "nam")],
)  # fmt: skip
def test_wrong_settings_are_refused_by_name(client, sent, field):
    assert_refused(client.patch(at("lab"), json=sent), 400, field=field)
    assert_refused(client.get(at("lab")), 404, field="containerTag")


def test_a_merge_is_asked_for_polled_and_repeated_under_its_key(client, pipeline):
    write(client, "old")
    write(client, "new", "Bob plays chess.")
    body = {"containerTags": ["old", "new"], "targetContainerTag": "new"}

    first = client.post("/v3/container-tags/merge", json=body, headers={"Idempotency-Key": "k1"})
    pipeline.settle()
    again = client.post("/v3/container-tags/merge", json=body, headers={"Idempotency-Key": "k1"})

    assert (first.status_code, again.status_code) == (202, 202)
    told = first.get_json()
    assert (told["success"], told["targetTag"], told["sourceTags"]) == (True, "new", ["old"])
    assert again.get_json()["mergeId"] == told["mergeId"]
    done = client.get(f"/v3/container-tags/merge/{told['mergeId']}").get_json()
    assert (done["status"], done["lastError"], done["progress"]["memories"]) == ("completed", None, 1)
    assert facts(client, "new") == ["Ann lives in Rome.", "Bob plays chess."]
    assert_refused(client.get("/v3/container-tags/merge/mrg_none"), 404, field="id")
    assert_refused(client.post("/v3/container-tags/merge", json=body), 404, field="containerTags")


def test_a_merge_tells_what_is_left_and_its_source_keeps_its_retention(client, pipeline):
    write(client, "old")
    write(client, "new", "Bob plays chess.")
    assert client.patch("/v1/spaces/old", json={"retention_days": 7}).status_code == 200
    pipeline.queue.down = True  # so that the writer does not hear of it
    body = {"containerTags": ["old"], "targetContainerTag": "new"}
    merge = f"/v3/container-tags/merge/{client.post('/v3/container-tags/merge', json=body).get_json()['mergeId']}"

    queued = client.get(merge).get_json()
    assert (queued["status"], queued["remaining"]["memories"]) == ("queued", 1)
    assert_refused(client.patch("/v1/spaces/old", json={"retention_days": 1}), 409, field="name")
    assert client.patch("/v1/spaces/new", json={"retention_days": 90}).status_code == 200

    pipeline.queue.down = False
    write(client, "new", "Cid keeps bees.")
    done = client.get(merge).get_json()
    assert (done["status"], set(done["remaining"].values())) == ("completed", {0})
    shown = {one["name"]: one["retention_days"] for one in client.get("/v1/spaces").get_json()["spaces"]}
    assert shown == {"new": 90}


def test_a_deleted_tag_is_gone_until_it_is_restored(client):
    write(client, "lab")

    gone = client.delete(at("lab"))

    told = gone.get_json()
    assert (gone.status_code, told["success"], told["containerTag"]) == (200, True, "lab")
    assert (told["deletedDocumentsCount"], told["deletedMemoriesCount"]) == (0, 1)
    assert_refused(client.get(at("lab")), 404)
    assert_refused(client.delete(at("lab")), 404)
    (listed,) = client.get("/v1/deletions").get_json()["deletions"]
    assert (listed["id"], listed["container_tag"], listed["memories"]) == (told["deletionId"], "lab", 1)
    restored = client.post(f"/v1/deletions/{told['deletionId']}/restore", json={"container_tag": "lab 2"})
    assert (restored.status_code, restored.get_json()["containerTag"]) == (200, "lab 2")
    assert facts(client, "lab 2") == ["Ann lives in Rome."]
    assert_refused(client.post(f"/v1/deletions/{told['deletionId']}/restore"), 409)


def test_a_limited_key_reaches_its_own_tags_alone(client, keyed, pipeline):
    for tag in ("mine", "theirs"):
        write(client, tag)
    mine = keys.create(pipeline.host, tenant="default", label="m", actor_kind="service", spaces=("mine",))
    theirs = {"Authorization": f"Bearer {mine.secret}"}
    gone = client.delete(at("theirs")).get_json()["deletionId"]
    merge = {"containerTags": ["mine"], "targetContainerTag": "theirs"}

    assert [one["containerTag"] for one in
            keyed.get("/v3/container-tags/list", headers=theirs).get_json()["containerTags"]] == ["mine"]  # fmt: skip
    assert keyed.get("/v1/deletions", headers=theirs).get_json()["deletions"] == []
    assert keyed.get(at("mine"), headers=theirs).status_code == 200
    for refused in (
        keyed.get(at("theirs"), headers=theirs), keyed.patch(at("theirs"), json={}, headers=theirs),
        keyed.delete(at("theirs"), headers=theirs),
        keyed.post("/v3/container-tags/merge", json=merge, headers=theirs),
        keyed.patch("/v3/settings", json={"chunkSize": 300}, headers=theirs),
        keyed.post("/v3/settings/reset", json={"confirmation": "default"}, headers=theirs),
    ):  # fmt: skip
        assert_refused(refused, 403)
    assert_refused(keyed.post(f"/v1/deletions/{gone}/restore", headers=theirs), 404)


def test_a_key_that_is_bound_to_a_user_does_not_steer_everybodys_space(client, keyed, pipeline):
    write(client, "lab")
    bound = keys.create(pipeline.host, tenant="default", label="b", actor_kind="service", user="ann")
    headers = {"Authorization": f"Bearer {bound.secret}"}
    merge = {"containerTags": ["lab"], "targetContainerTag": "b"}

    for refused in (
        keyed.patch(at("lab"), json={"name": "x"}, headers=headers), keyed.delete(at("lab"), headers=headers),
        keyed.post("/v3/container-tags/merge", json=merge, headers=headers),
    ):  # fmt: skip
        assert_refused(refused, 403)
    assert client.get(at("lab")).get_json()["name"] is None


def test_inferred_memories_of_a_tag_are_listed_and_reviewed(client, pipeline):
    (made,) = write(client, "lab").get_json()["memories"]
    with pipeline.host.store.write("default") as tx:
        tx.execute("UPDATE memory SET inferred = 1")
        tx.execute(
            "INSERT INTO review (id, space_id, kind, memory_id, state, opened_at) SELECT 'con_1', space_id, 'inferred',"
            " id, 'open', 1 FROM memory"
        )

    listed = client.get(at("lab", rest="/inferred")).get_json()

    assert (listed["total"], listed["memories"][0]["id"]) == (1, made["id"])
    address = at("lab", rest=f"/inferred/{made['id']}/review")
    done = client.post(address, json={"action": "approve"}).get_json()
    assert done == {"id": made["id"], "isInference": False, "isForgotten": False, "reviewStatus": "approved"}
    assert client.post(address, json={"action": "undo"}).get_json()["reviewStatus"] == "pending"
    assert_refused(client.post(address, json={"action": "maybe"}), 400, field="action")
    assert_refused(client.post(at("yard", rest=f"/inferred/{made['id']}/review"), json={"action": "approve"}), 404)
