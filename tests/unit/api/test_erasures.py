"""Erasures over HTTP: who may, what has to be confirmed, and what a receipt says."""

from services import keys
from tests.rows import put_memories
from tests.shape import assert_refused


def bearer(host, **limits):
    key = keys.create(host, tenant="default", label="x", **limits)
    return {"Authorization": f"Bearer {key.secret}"}


def test_an_erasure_is_kept_and_shown(client):
    asked = client.post("/v1/erasures", json={"kind": "subject", "id": "ann", "verify": True})

    assert asked.status_code == 202
    receipt = asked.get_json()
    assert (receipt["kind"], receipt["state"], receipt["finished_at"]) == ("subject", "waiting", None)
    assert client.get(f"/v1/erasures/{receipt['id']}").get_json() == receipt
    assert client.get("/v1/erasures?limit=1").get_json() == {"erasures": [receipt]}
    assert "ann" not in asked.get_data(as_text=True).replace("scanned", "")


def test_a_dry_run_counts(client):
    answer = client.post("/v1/erasures", json={"kind": "subject", "id": "ann", "dry_run": True})

    assert (answer.status_code, answer.get_json()["counts"]["documents"]) == (200, 0)
    assert client.get("/v1/erasures").get_json() == {"erasures": []}


def test_only_a_person_erases(client, host):
    for kind in ("agent", "service"):
        refused = client.post(
            "/v1/erasures", json={"kind": "subject", "id": "a"}, headers=bearer(host, actor_kind=kind)
        )
        assert_refused(refused, 403, code="person_only")
    refused = client.delete("/v3/documents/doc_1?erase=true", headers=bearer(host, actor_kind="agent"))
    assert_refused(refused, 403, code="person_only")
    refused = client.patch("/v1/spaces/home", json={"retention_days": 1}, headers=bearer(host, actor_kind="agent"))
    assert_refused(refused, 403, code="person_only")


def test_a_limited_key_erases_no_subject_and_no_tenant_and_one_of_a_user_or_agent_no_space(client, host):
    headers = bearer(host, actor_kind="person", spaces=["team"])
    put_memories(host, "home", ["Ann likes tea."])

    for limits in ({"user": "ann"}, {"agent": "bot"}, {"spaces": ["home"], "user": "ann"}):
        bound = bearer(host, actor_kind="person", **limits)
        for more in ({}, {"dry_run": True}):
            sent = {"kind": "space", "id": "home", **more}
            assert_refused(client.post("/v1/erasures", json=sent, headers=bound), 403, code="forbidden")
        days = client.patch("/v1/spaces/home", json={"retention_days": 1}, headers=bound)
        assert_refused(days, 403, code="forbidden")
    for body in ({"kind": "subject", "id": "ann"}, {"kind": "tenant", "confirm": "default"}):
        assert_refused(client.post("/v1/erasures", json=body, headers=headers), 403, code="forbidden")
    assert_refused(
        client.post("/v1/erasures", json={"kind": "space", "id": "other"}, headers=headers), 404, code="not_found"
    )


def test_what_was_put_away_is_erased_by_id_by_whoever_may_use_its_name(client, host):
    made = [
        client.post("/v3/documents", json={"content": f"Depot {tag}.", "containerTag": tag}).get_json()["id"]
        for tag in ("home", "team")
    ]
    for tag in ("home", "team"):
        assert client.delete(f"/v3/container-tags/{tag}").status_code == 200
    limited = bearer(host, actor_kind="person", spaces=["home"])

    for sent in ({"kind": "document", "id": made[1]}, {"kind": "space", "id": "team"}):
        assert_refused(client.post("/v1/erasures", json=sent, headers=limited), 404, code="not_found")
        assert client.post("/v1/erasures", json={**sent, "dry_run": True}).status_code == 200
        here = {**sent, "container_tag": "home"}
        assert_refused(client.post("/v1/erasures", json=here), 404, code="not_found")
    assert_refused(client.get(f"/v3/documents/{made[0]}"), 404)
    seen = client.post("/v1/erasures", json={"kind": "document", "id": made[0], "dry_run": True}, headers=limited)
    assert seen.get_json()["counts"]["documents"] == 1
    assert client.delete(f"/v3/documents/{made[1]}?erase=true").status_code == 202


def test_a_limited_key_sees_the_receipts_of_what_it_asked_for_itself(client, host):
    put_memories(host, "home", ["Ann likes tea."])
    others = client.post("/v1/erasures", json={"kind": "subject", "id": "ben"}).get_json()
    headers = bearer(host, actor_kind="person", spaces=["home"])

    own = client.post("/v1/erasures", json={"kind": "space", "id": "home"}, headers=headers).get_json()

    assert client.get("/v1/erasures", headers=headers).get_json() == {"erasures": [own]}
    assert client.get(f"/v1/erasures/{own['id']}", headers=headers).get_json() == own
    assert_refused(client.get(f"/v1/erasures/{others['id']}", headers=headers), 404, code="not_found")
    whole = client.get("/v1/erasures", headers=bearer(host)).get_json()["erasures"]
    assert {one["id"] for one in whole} == {own["id"], others["id"]}


def test_a_tenant_has_to_be_spelt_out(client):
    for confirm in ({}, {"confirm": "Default"}):
        assert_refused(client.post("/v1/erasures", json={"kind": "tenant", **confirm}), 400, field="confirm")
    assert client.post("/v1/erasures", json={"kind": "tenant", "confirm": "default"}).status_code == 202


def test_what_is_not_there_is_not_erased(client):
    for kind, named in (("document", "doc_1"), ("memory", "mem_1"), ("space", "nowhere")):
        refused = client.post("/v1/erasures", json={"kind": kind, "id": named})
        assert_refused(refused, 404, code="not_found")
    assert_refused(client.post("/v1/erasures", json={"kind": "document"}), 400, field="id")


def test_keys_bound_to_an_erased_subject_end(client, host):
    headers = bearer(host, actor_kind="agent", user="ann")
    assert client.get("/v1/stats", headers=headers).status_code == 200

    receipt = client.post("/v1/erasures", json={"kind": "subject", "id": "ann"}).get_json()

    assert receipt["counts"] == {"keys_revoked": 1}
    assert_refused(client.get("/v1/stats", headers=headers), 401)


def test_retention_is_set_and_shown(client):
    client.post("/v3/documents", json={"content": "The depot opens at seven.", "containerTag": "home"})

    assert client.patch("/v1/spaces/home", json={"retention_days": 30}).get_json()["retention_days"] == 30
    assert client.get("/v1/spaces").get_json()["spaces"][0]["retention_days"] == 30
    assert client.patch("/v1/spaces/home", json={"retention_days": None}).get_json()["retention_days"] is None
    assert_refused(client.patch("/v1/spaces/home", json={}), 400, field="retention_days")
    assert_refused(client.patch("/v1/spaces/home", json={"retention_days": 0}), 400, field="retention_days")
    assert_refused(client.patch("/v1/spaces/nowhere", json={"retention_days": 1}), 404)
