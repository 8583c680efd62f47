"""The profile on the wire; what is in it is tested with its service."""

import pytest

from tests.rows import put_memories
from tests.shape import assert_refused


def test_lines_details_and_search_results_have_their_names(client, host):
    put_memories(host, "default", ["Ann lives in Rome."])

    answer = client.get("/v4/profile", query_string={"q": "Rome", "details": "true"}).get_json()

    (line,) = answer["profile"]["static"]
    assert line.endswith("Ann lives in Rome.")
    assert (answer["profile"]["dynamic"], answer["profile"]["buckets"]) == ([], {})
    (detail,) = answer["details"]["static"]
    assert {"id", "memory", "kind", "isStatic", "sourceCount", "isDisputed", "isUnjudged", "containerTag", "validFrom",
            "updatedAt"} == set(detail)  # fmt: skip
    assert [hit["id"] for hit in answer["searchResults"]["results"]] == [detail["id"]]


def test_the_body_and_the_query_string_ask_the_same(client, host):
    put_memories(host, "yard", ["Bob is tall.", "Cid is small."])

    asked = client.get("/v4/profile", query_string={"containerTag": "yard", "include": "static", "limit": 1})
    posted = client.post("/v4/profile", json={"containerTag": "yard", "include": ["static"], "limit": 1})

    assert asked.get_json() == posted.get_json()
    assert len(asked.get_json()["profile"]["static"]) == 1


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"include": ["all"]}, "include"), ({"limit": 0}, "limit"), ({"asOf": "soon"}, "asOf"),
     ({"threshold": 2}, "threshold"), ({"filters": {"AND": 1}}, "filters"),
     ({"buckets": ["a b"]}, "buckets"), ({"qq": "x"}, "qq")],
)  # fmt: skip
def test_wrong_fields_are_refused_by_name(client, sent, field):
    refused = client.post("/v4/profile", json=sent)

    assert refused.status_code == 400
    assert refused.get_json()["details"]["field"].startswith(field)


def test_an_unknown_bucket_is_404_and_a_bad_key_400(client):
    assert_refused(client.post("/v4/profile", json={"buckets": ["food"]}), 404, field="buckets")
    assert_refused(client.put("/v1/profile/buckets", json={"key": "no spaces", "description": "d"}), 400, field="key")
    assert_refused(client.put("/v1/profile/buckets", json={"key": "food"}), 400, field="description")
    assert client.get("/v1/profile/buckets").get_json() == {"buckets": []}
    assert client.post("/v4/profile/buckets", json={"containerTag": "yard"}).get_json() == {"buckets": []}
