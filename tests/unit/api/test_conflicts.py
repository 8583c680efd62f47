"""The review list on the wire; what a resolution does is tested with its service."""

import pytest

from memory.records import Owner
from services import keys
from store import reviews, spaces
from tests.pipeline import HOME
from tests.rows import put_memories
from tests.shape import assert_refused


def doubted(host, statement, *, kind="unjudged", user=None):
    """Put a memory on the list."""
    (row_id,) = put_memories(host, "home", [statement], user=user)
    with host.store.write("default") as tx:
        new = reviews.NewReview(
            id=f"con_{row_id}", space_id=spaces.find(HOME, tx)["home"], owner=Owner(user=user), kind=kind,
            memory_id=f"mem_{row_id}",
        )  # fmt: skip
        reviews.open_review(tx, new, at=host.clock())
    return new.id


def bearer(host, **limits):
    return {"Authorization": f"Bearer {keys.create(host, tenant='default', label='x', **limits).secret}"}


def test_what_waits_is_listed_over_every_space_with_its_memory(client, host):
    first, second = doubted(host, "Ann lives in Rome."), doubted(host, "Bob is tall.", kind="contradiction")

    listed = client.get("/v1/conflicts").get_json()

    assert {one["id"] for one in listed["conflicts"]} == {first, second}
    assert listed["pagination"]["total_items"] == 2
    (only,) = client.get("/v1/conflicts", query_string={"kind": "unjudged"}).get_json()["conflicts"]
    assert (only["memory"]["memory"], only["candidate"], only["judge"]) == ("Ann lives in Rome.", None, None)
    assert client.get("/v1/conflicts", query_string={"state": "resolved"}).get_json()["conflicts"] == []
    assert client.get(f"/v1/conflicts/{first}").get_json() == only


def test_what_a_key_may_not_see_is_not_there(client, host):
    mine = doubted(host, "Ann lives in Rome.", user="ann")

    elsewhere = bearer(host, spaces=["other"])
    others = bearer(host, user="bob")

    for headers in (elsewhere, others):
        assert client.get("/v1/conflicts", headers=headers).get_json()["conflicts"] == []
        assert_refused(client.get(f"/v1/conflicts/{mine}", headers=headers), 404)


@pytest.mark.parametrize("actor", ["agent", "service"])
def test_only_a_person_decides(client, host, actor):
    entry = doubted(host, "Ann lives in Rome.")

    refused = client.post(
        f"/v1/conflicts/{entry}/resolve", json={"resolution": "keep_both"}, headers=bearer(host, actor_kind=actor)
    )

    assert_refused(refused, 403, code="person_only")


def test_a_decision_is_kept_when_the_writer_is_not_there(client, host):
    entry = doubted(host, "Ann lives in Rome.")

    answer = client.post(f"/v1/conflicts/{entry}/resolve", json={"resolution": "keep_both", "reason": "both hold"})

    assert (answer.status_code, answer.get_json()["status"]) == (202, "pending")


@pytest.mark.parametrize("sent", [{"resolution": "edit"}, {"resolution": "keep_both", "text": "Ann is tall."}])
def test_a_text_belongs_to_an_edit_alone(client, host, sent):
    entry = doubted(host, "Ann lives in Rome.")

    assert_refused(client.post(f"/v1/conflicts/{entry}/resolve", json=sent), 400, field="text")
