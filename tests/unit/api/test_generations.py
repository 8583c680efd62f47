"""Embedding generations over HTTP: who may change them, and what is shown."""

import pytest

from services import keys
from tests.rows import put_memories
from tests.shape import assert_refused

CHANGES = [
    ("POST", "/v1/generations"),
    ("POST", "/v1/generations/1/switch"),
    ("POST", "/v1/generations/1/rollback"),
    ("DELETE", "/v1/generations/1"),
]


def bearer(host, **limits):
    return {"Authorization": f"Bearer {keys.create(host, tenant='default', label='x', **limits).secret}"}


def test_the_generations_are_shown_with_their_numbers(client, host):
    put_memories(host, "home", ["Ann likes tea.", "Bob likes rum."])

    answer = client.get("/v1/generations").get_json()

    (one,) = answer["generations"]
    assert (one["id"], one["dimension"], one["state"], one["rows"], one["missing"]) == (1, 384, "serving", 2, 0)
    assert answer["configured"] == {"model": "all-MiniLM-L6-v2", "dimension": 384}
    assert (answer["jobs"], answer["facts_waiting"]) == ([], 0)


@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_only_a_person_with_the_whole_tenant_changes_them(client, host, method, path):
    agent = client.open(path, method=method, headers=bearer(host, actor_kind="agent"))
    bound = client.open(path, method=method, headers=bearer(host, actor_kind="person", spaces=["home"]))
    reader = client.open(path, method=method, headers=bearer(host, actor_kind="person", read_only=True))

    assert_refused(agent, 403, code="person_only")
    assert_refused(bound, 403, code="forbidden")
    assert_refused(reader, 403, code="forbidden")


def test_a_limited_key_does_not_see_what_is_counted_over_every_space(client, host):
    for limits in ({"spaces": ["home"]}, {"user": "ann"}, {"agent": "bot"}):
        assert_refused(client.get("/v1/generations", headers=bearer(host, **limits)), 403, code="forbidden")
    assert client.get("/v1/generations", headers=bearer(host, read_only=True)).status_code == 200


@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_a_change_without_a_writer_is_kept_and_pending(client, method, path):
    answer = client.open(path, method=method)

    assert (answer.status_code, answer.get_json()["status"]) == (202, "pending")
