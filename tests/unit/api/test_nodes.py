"""Nodes over HTTP: what a caller sees, and who may steer them."""

from dataclasses import replace

import pytest

from api.app import create_app
from services import keys
from tests.shape import assert_refused


@pytest.fixture
def steer(host, public):
    """Pause with a key that was made with these limits."""

    def pause(**limits):
        secret = keys.create(host, tenant="default", label="a key", actor_kind="service", **limits).secret
        return public.post(
            "/v1/nodes/pause", json={"nodes": ["local"], "seconds": 60}, headers={"Authorization": f"Bearer {secret}"}
        )

    return pause


def test_a_node_is_paused_seen_and_resumed(client):
    answer = client.post("/v1/nodes/pause", json={"nodes": ["local"], "seconds": 60}).get_json()

    assert [(node["name"], node["paused_until"]) for node in answer["nodes"]] == [("local", "2026-01-01T00:01:00Z")]
    for path in ("/v1/nodes", "/v1/lanes"):
        assert client.get(path).get_json()["nodes"][0]["paused_until"] == "2026-01-01T00:01:00Z"

    answer = client.post("/v1/nodes/resume", json={"nodes": ["local"]}).get_json()
    assert answer["nodes"][0]["paused_until"] is None


def test_an_end_is_taken_as_iso_and_in_either_form_of_drain(client):
    body = {"nodes": ["local"], "until": "2026-01-01T02:30:00+01:00"}

    assert client.post("/v1/nodes/drain", json=body).get_json()["nodes"][0]["paused_until"] == "2026-01-01T01:30:00Z"
    again = client.post("/v1/nodes/drain", json={"nodes": ["local"]})
    assert again.get_json()["nodes"][0]["paused_until"] == "2026-01-01T01:30:00Z"
    assert again.get_json()["drained"] is False, "Without the broker nothing is known of what is in flight."


def test_an_unknown_node_is_404_and_one_that_is_not_lendable_409(client, host):
    assert_refused(client.post("/v1/nodes/resume", json={"nodes": ["zz"]}), 404, field="nodes")
    kept = replace(host, nodes=(replace(host.nodes[0], lendable=False),))
    other = create_app(kept).test_client()
    assert_refused(other.post("/v1/nodes/pause", json={"nodes": ["local"], "seconds": 60}), 409, field="nodes")


def test_a_key_without_limits_may_steer(steer):
    assert steer().status_code == 200


@pytest.mark.parametrize("limits", [{"read_only": True}, {"spaces": ["team"]}, {"user": "ana"}, {"agent": "bot"}])
def test_a_key_with_limits_may_not(steer, limits):
    assert_refused(steer(**limits), 403)
