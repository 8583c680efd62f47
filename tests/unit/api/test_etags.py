"""A read has a tag; who has that answer already is told so without a body, and nobody else is told anything."""

from dataclasses import replace

import pytest

from api.app import create_app
from services import keys
from tests.shape import assert_refused


def with_tag(tag):
    return {"If-None-Match": tag}


def test_unchanged_read_is_304_without_a_body(client):
    client.post("/v3/documents", json={"content": "a"})
    first = client.get("/v3/documents")
    again = client.get("/v3/documents", headers=with_tag(first.headers["ETag"]))

    assert first.headers["ETag"].startswith('"')
    assert again.status_code == 304
    assert again.data == b""
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["X-Request-Id"]
    assert "Content-Length" not in again.headers
    assert first.headers["Cache-Control"] == again.headers["Cache-Control"] == "private, no-cache"
    assert again.headers["Vary"] == "Authorization, Accept, X-Memlane-Tenant"


@pytest.mark.parametrize("sent", ["W/{}", '"x", {}', "*"])
def test_tag_is_found_weak_in_a_list_and_by_the_star(client, sent):
    tag = client.get("/v1/spaces").headers["ETag"]
    assert client.get("/v1/spaces", headers=with_tag(sent.format(tag))).status_code == 304


def test_changed_read_is_200_with_another_tag(client):
    old = client.get("/v3/documents").headers["ETag"]
    client.post("/v3/documents", json={"content": "a"})
    new = client.get("/v3/documents", headers=with_tag(old))

    assert new.status_code == 200
    assert new.headers["ETag"] != old
    assert new.get_json()["pagination"]["totalItems"] == 1


def test_tag_of_another_caller_says_nothing(host):
    public = create_app(replace(host, settings=replace(host.settings, host="0.0.0.0"))).test_client()
    one, two = (
        {"Authorization": f"Bearer {keys.create(host, label='k', tenant=tenant).secret}"} for tenant in ("ta", "tb")
    )
    mine = public.get("/v1/spaces", headers=one)
    theirs = public.get("/v1/spaces", headers={**two, **with_tag(mine.headers["ETag"])})

    assert mine.get_json() == theirs.get_json()
    assert theirs.status_code == 200
    assert theirs.headers["ETag"] != mine.headers["ETag"]


def test_key_that_is_no_longer_valid_gets_no_304(host):
    public = create_app(replace(host, settings=replace(host.settings, host="0.0.0.0"))).test_client()
    made = keys.create(host, label="k")
    sent = {"Authorization": f"Bearer {made.secret}"}
    tag = public.get("/v1/spaces", headers=sent).headers["ETag"]
    keys.revoke(host, made.key.id)
    assert_refused(public.get("/v1/spaces", headers={**sent, **with_tag(tag)}), 401)


def test_writes_and_refusals_have_no_tag_and_are_not_kept(client):
    for answer in (client.post("/v3/documents", json={"content": "a"}), client.get("/v1/jobs/job_none")):
        assert "ETag" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"


def test_head_has_the_tag_of_the_read(client):
    assert client.head("/v1/spaces").headers["ETag"] == client.get("/v1/spaces").headers["ETag"]
