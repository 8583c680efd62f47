"""Decisions, labels and calibration over HTTP: who may see, who may say, and what comes back."""

import json

import pytest

from services import keys
from store import spaces
from tests.pipeline import HOME
from tests.rows import put_memories
from tests.shape import assert_refused


def bearer(host, **limits):
    key = keys.create(host, tenant="default", label="x", **limits)
    return {"Authorization": f"Bearer {key.secret}"}


@pytest.fixture
def decision(host):
    return decided(host, "Ann lives in Rome.")


def decided(host, statement, *, user=None, judge="pair", verdict="update", probabilities=None):
    """Store a decision about a memory."""
    (row_id,) = put_memories(host, "home", [statement], user=user)
    decision_id = f"dec_{row_id}"
    with host.store.write("default") as tx:
        space_id = spaces.find(HOME, tx)["home"]
        tx.execute(
            """
            INSERT INTO decision (id, space_id, judge, other_id, inputs, probabilities, verdict, model, prompt_version,
                                  at)
            VALUES (?, ?, ?, ?, ?, ?, ?, 'rules', 'rules-1', ?)
            """,
            (decision_id, space_id, judge, f"mem_{row_id}", json.dumps({"old": statement, "new": "Another."}),
             json.dumps(probabilities or {}), verdict, host.clock()),
        )  # fmt: skip
    return decision_id


def test_decisions_are_listed_newest_first_and_by_what_they_say(client, host):
    first = decided(host, "Ann lives in Rome.")
    host.clock.advance(1)
    second = decided(host, "Ann likes tea.", verdict="duplicate")

    listed = client.get("/v1/decisions").get_json()

    assert [one["id"] for one in listed["decisions"]] == [second, first]
    page = client.get("/v1/decisions?limit=1").get_json()
    assert [one["id"] for one in page["decisions"]] == [second]
    after = client.get("/v1/decisions", query_string={"cursor": page["pagination"]["next_cursor"]}).get_json()
    assert [one["id"] for one in after["decisions"]] == [first]
    found = client.get("/v1/decisions?verdict=update&judge=pair&labelled=false").get_json()
    assert [one["id"] for one in found["decisions"]] == [first]
    assert client.get("/v1/decisions?labelled=true").get_json()["decisions"] == []


def test_a_decision_says_what_may_be_said_of_it(client, decision):
    found = client.get(f"/v1/decisions/{decision}").get_json()

    assert found["options"] == ["duplicate", "update", "contradiction", "distinct"]
    assert (found["verdict"], found["label"], found["container_tag"]) == ("update", None, "home")
    assert found["inputs"]["old"] == "Ann lives in Rome."
    assert_refused(client.get("/v1/decisions/dec_none"), 404, code="not_found")


def test_the_options_of_a_judge_of_kinds_are_the_kinds(client, host):
    found = client.get(f"/v1/decisions/{decided(host, 'Ann likes tea.', judge='kind', verdict='fact')}").get_json()

    assert "preference" in found["options"]


def test_who_is_bound_to_another_user_sees_no_decision_about_a_users_memory(client, host):
    mine = decided(host, "Ann lives in Rome.", user="ann")
    headers = bearer(host, user="ben")

    assert client.get("/v1/decisions", headers=headers).get_json()["decisions"] == []
    assert_refused(client.get(f"/v1/decisions/{mine}", headers=headers), 404)
    body = {"label": "update"}
    assert_refused(client.post(f"/v1/decisions/{mine}/label", json=body, headers=headers), (403, 404))
    other = bearer(host, spaces=["team"])
    assert client.get("/v1/decisions", headers=other).get_json()["decisions"] == []


def test_only_a_person_labels_fits_and_reverts(client, host, decision):
    headers = bearer(host, actor_kind="agent")
    for path in (f"/v1/decisions/{decision}/label", "/v1/calibration/fit", "/v1/calibration/cal_1/revert"):
        body = {"label": "update"} if path.endswith("label") else {}
        assert_refused(client.post(path, json=body, headers=headers), 403, code="person_only")


def test_a_limited_key_does_not_see_how_judges_are_trusted_over_the_whole_tenant(client, host, decision):
    for limits in ({"spaces": ["home"]}, {"user": "ann"}, {"agent": "bot"}):
        refused = client.get("/v1/calibration", headers=bearer(host, **limits))
        assert_refused(refused, 403, code="forbidden")
    assert client.get("/v1/calibration", headers=bearer(host, read_only=True)).status_code == 200


def test_the_judge_of_kinds_is_not_fitted(client):
    assert_refused(client.post("/v1/calibration/fit", json={"judge": "kind"}), 400, field="judge")


def test_a_limited_key_does_not_change_how_judges_are_trusted(client, host):
    for limits in ({"spaces": ["home"]}, {"user": "ann"}, {"read_only": True}):
        headers = bearer(host, actor_kind="person", **limits)
        assert_refused(client.post("/v1/calibration/fit", json={}, headers=headers), 403, code="forbidden")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "label"),
        ({"label": "maybe"}, "label"),
        ({"label": "update", "wrong": True}, "label"),
        ({"label": "not:update"}, "label"),
        ({"wrong": "yes"}, "wrong"),
        ({"right": True}, "right"),
    ],
)
def test_a_label_is_one_option_or_wrong(client, decision, body, field):
    assert_refused(client.post(f"/v1/decisions/{decision}/label", json=body), 400, field=field)


def test_a_label_that_nobody_writes_in_time_is_pending(client, decision):
    answer = client.post(f"/v1/decisions/{decision}/label", json={"label": "update"})

    assert (answer.status_code, answer.get_json()["status"]) == (202, "pending")


def test_a_judge_is_shown_before_anybody_labels(client, decision):
    (judge,) = client.get("/v1/calibration").get_json()["judges"]

    assert (judge["judge"], judge["model"], judge["decisions"], judge["labels"]) == ("pair", "rules", 1, 0)
    assert (judge["active"], judge["verdicts"]) == (None, {})
    assert judge["fit"]["thresholds"] == {"else": 0.6}
