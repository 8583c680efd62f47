import pytest

from services import keys
from tests.shape import assert_refused


def add(client, content, headers=None, **fields):
    return client.post("/v3/documents", json={"content": content, **fields}, headers=headers)


def contents(client, headers=None, **fields):
    answer = client.post("/v3/documents/list", json={"includeContent": True, **fields}, headers=headers)
    return sorted(row["content"] for row in answer.get_json()["memories"])


@pytest.fixture
def filled(client):
    add(client, "in default")
    add(client, "in a", containerTag="a")
    add(client, "in b", containerTags=["b"])
    return client


def test_absent_tag_is_default_and_never_all(filled):
    assert contents(filled) == ["in default"]
    assert contents(filled, containerTag="default") == ["in default"]


def test_read_may_name_several_spaces(filled):
    assert contents(filled, containerTags=["a", "b"]) == ["in a", "in b"]
    assert contents(filled, containerTag="a", containerTags=["b", "a"]) == ["in a", "in b"]
    assert contents(filled, container_tag="b") == ["in b"]


def test_unknown_space_is_empty(filled):
    assert contents(filled, containerTag="nowhere") == []


def test_write_names_one_space(client):
    assert_refused(add(client, "x", containerTags=["a", "b"]), 400, field="containerTags", code="one_space")
    assert_refused(add(client, "x", containerTag="a", containerTags=["b"]), 400, code="one_space")
    assert add(client, "x", containerTag="a", containerTags=["a"]).status_code == 202


def test_query_string_names_spaces_too(filled):
    both = filled.get("/v3/documents?containerTags=a&containerTags=b").get_json()
    one = filled.get("/v3/documents?containerTag=a").get_json()

    assert (both["pagination"]["totalItems"], one["pagination"]["totalItems"]) == (2, 1)


def test_tag_sent_twice_in_a_query_is_refused(client):
    assert_refused(client.get("/v3/documents?containerTag=a&containerTag=b"), 400, field="containerTag")


def test_id_is_found_in_whatever_space_it_is(filled):
    made = add(filled, "elsewhere", containerTag="c").get_json()

    assert filled.get(f"/v3/documents/{made['id']}").get_json()["containerTags"] == ["c"]
    assert filled.get(f"/v1/jobs/{made['jobId']}").get_json()["container_tag"] == "c"
    assert_refused(filled.get(f"/v3/documents/{made['id']}?containerTag=a"), 404)


def test_lists_of_jobs_and_spaces_go_over_every_space(filled):
    assert {job["containerTag"] for job in filled.get("/v3/jobs").get_json()["jobs"]} == {"default", "a", "b"}
    assert [space["name"] for space in filled.get("/v1/spaces").get_json()["spaces"]] == ["a", "b", "default"]


def test_custom_id_with_a_slash_is_an_id(client):
    add(client, "nested", customId="guides/setup/linux.md")

    assert client.get("/v3/documents/guides%2Fsetup%2Flinux.md").get_json()["content"] == "nested"
    assert client.get("/v3/documents/guides/setup/linux.md/chunks").get_json()["total"] == 0


class TestKeyLimitedToSpaces:
    @pytest.fixture
    def headers(self, host):
        return {"Authorization": f"Bearer {keys.create(host, label='a only', spaces=['a']).secret}"}

    def test_reads_and_writes_there(self, filled, headers):
        assert contents(filled, headers, containerTag="a") == ["in a"]
        assert add(filled, "more", headers, containerTag="a").status_code == 202

    @pytest.mark.parametrize("fields", [{}, {"containerTag": "b"}, {"containerTags": ["a", "b"]}])
    def test_other_spaces_are_forbidden(self, filled, headers, fields):
        response = filled.post("/v3/documents/list", json=fields, headers=headers)

        assert assert_refused(response, 403, field="containerTag")["details"]["hint"] == "It may use: a."
        assert_refused(add(filled, "x", headers, containerTag="b"), 403)

    def test_look_ups_and_lists_stay_inside(self, filled, headers):
        outside = add(filled, "x", containerTag="b").get_json()

        assert_refused(filled.get(f"/v3/documents/{outside['id']}", headers=headers), 404)
        assert_refused(filled.delete(f"/v3/documents/{outside['id']}", headers=headers), 404)
        assert_refused(filled.get(f"/v1/jobs/{outside['jobId']}", headers=headers), 404)
        assert_refused(filled.post(f"/v1/jobs/{outside['jobId']}/cancel", headers=headers), 404)
        assert {job["containerTag"] for job in filled.get("/v3/jobs", headers=headers).get_json()["jobs"]} == {"a"}
        assert [one["name"] for one in filled.get("/v1/spaces", headers=headers).get_json()["spaces"]] == ["a"]


def test_key_bound_to_a_user_names_no_other(client, host):
    headers = {"Authorization": f"Bearer {keys.create(host, label='ana', user='ana').secret}"}

    assert_refused(client.post("/v4/search", json={"q": "x", "userId": "bo"}, headers=headers), 403, field="userId")
    assert client.post("/v4/search", json={"q": "x", "userId": "ana"}, headers=headers).status_code == 200
