"""The settings of a tenant on the wire, and the connections that there are none of."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from api.app import create_app
from tests.pipeline import Pipeline
from tests.shape import assert_refused

UNSET = {"shouldLLMFilter": None, "filterPrompt": None, "includeItems": None, "excludeItems": None, "chunkSize": None,
         "profileBuckets": None}  # fmt: skip


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    pipeline = Pipeline(tmp_path)
    yield create_app(pipeline.host).test_client()
    pipeline.host.store.close()


def test_settings_are_set_shown_and_taken_away(client):
    assert client.get("/v3/settings").get_json() == UNSET
    wanted = {"includeItems": "boats", "excludeItems": ["salary"], "chunkSize": 500, "shouldLLMFilter": False,
              "profileBuckets": [{"key": "food", "description": "Pizza."}]}  # fmt: skip

    changed = client.patch("/v3/settings", json=wanted).get_json()

    kept = {**UNSET, **wanted, "includeItems": ["boats"]}
    assert changed == {"orgId": "default", "orgSlug": "default", "updated": kept}
    assert client.get("/v3/settings").get_json() == kept
    client.patch("/v3/settings", json=dict.fromkeys(wanted))
    assert client.get("/v3/settings").get_json() == UNSET


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"shouldLLMFilter": True}, "shouldLLMFilter"), ({"filterPrompt": "Only food."}, "filterPrompt"),
     ({"chunkSize": 0}, "chunkSize"), ({"chunkSize": -1}, "chunkSize"), ({"chunkSize": 4000}, "chunkSize"),
     ({"excludeItems": {"a": 1}}, "excludeItems"), ({"includeItems": 7}, "includeItems"),
     ({"includeItems": [1]}, "includeItems[0]"), ({"githubClientId": "x"}, "githubClientId"),
     ({"notionCustomKeyEnabled": False}, "notionCustomKeyEnabled"), ({"chunksize": 300}, "chunksize")],
)  # fmt: skip
def test_what_would_have_no_effect_is_refused_by_name(client, sent, field):
    assert_refused(client.patch("/v3/settings", json=sent), 400, field=field)
    assert client.get("/v3/settings").get_json() == UNSET


def test_a_reset_needs_the_name_and_says_what_restores_it(client):
    client.post("/v4/memories", json={"memories": [{"content": "Ann lives in Rome."}]})
    assert_refused(client.post("/v3/settings/reset", json={"confirmation": "yes"}), 400, field="confirmation")
    assert_refused(client.post("/v3/settings/reset", json={}), 400, field="confirmation")

    done = client.post("/v3/settings/reset", json={"confirmation": "default"}).get_json()

    assert (done["deletedMemoryRows"], done["deletedExtraSpaces"], done["clearedDefaultSpaceContext"]) == (1, 0, True)
    (deletion,) = done["deletionIds"]
    assert client.post(f"/v1/deletions/{deletion}/restore").get_json()["memoryCount"] == 1


def test_buckets_are_suggested(client):
    assert client.post("/v3/settings/suggest-buckets").get_json() == {"buckets": []}
    client.post("/v4/memories", json={"memories": [{"content": "Her dog and her cat are pets."}]})
    suggested = client.post("/v3/settings/suggest-buckets", json={"containerTag": "default"}).get_json()["buckets"]
    assert "pets" in {one["key"] for one in suggested}


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "list"), ("POST", "notion"), ("GET", "conn_1"), ("DELETE", "conn_1"), ("DELETE", "notion"),
     ("POST", "conn_1/configure"), ("POST", "notion/connection"), ("POST", "notion/import"),
     ("POST", "notion/documents"), ("GET", "conn_1/resources")],
)  # fmt: skip
def test_connections_are_refused_once_and_for_all(client, method, path):
    refused = client.open(f"/v3/connections/{path}", method=method, json={"containerTags": ["a"]})
    assert_refused(refused, 501, code="not_offered")
    assert refused.headers["X-Should-Retry"] == "false"
