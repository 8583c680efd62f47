"""Documents that are named by a URL: which are taken, and what is refused before anything is kept."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from api.app import create_app
from tests.shape import assert_refused

URLS = json.loads((Path(__file__).parents[2] / "data" / "fetch_urls.json").read_text(encoding="utf-8"))
ONLY_URLS = [url for url in URLS["at_the_door"] if url.startswith("http")]


def send(client, **body):
    return client.post("/v3/documents", json={"containerTag": "web", **body})


def found(client, answer):
    return client.get(f"/v3/documents/{answer.get_json()['id']}").get_json()


@pytest.mark.parametrize("field", ["content", "url"])
def test_a_url_alone_is_a_page_to_fetch(client, host, field):
    made = send(client, **{field: " https://Example.org/crane?x=1#limit\n"})

    assert made.status_code == 202
    document = found(client, made)
    assert (document["type"], document["status"], document["content"]) == ("webpage", "queued", "")
    assert document["url"] == "https://example.org/crane?x=1"
    (sent,) = host.queue.sent
    assert (sent.task, sent.queue) == ("document.fetch", "sources")


def test_a_type_that_was_sent_stays(client):
    assert (
        found(client, send(client, content="https://example.org/", type="github_markdown"))["type"] == "github_markdown"
    )


@pytest.mark.parametrize(
    "body",
    [
        {"content": "http://127.0.0.1/", "type": "text"}, {"content": "see https://example.org/"}, {"content": "file:///etc/passwd"},
        {"content": "ftp://example.org/x"}, {"content": "https://a.test https://b.test"},
    ],
)  # fmt: skip
def test_a_text_stays_a_text(client, host, body):
    made = send(client, **body)

    assert found(client, made)["content"] == body["content"]
    assert "url" not in found(client, made)
    assert host.queue.sent[0].task == "document.prepare"


@pytest.mark.parametrize("url", ONLY_URLS)
@pytest.mark.parametrize("field", ["content", "url"])
def test_what_can_be_told_without_resolving_is_refused_and_nothing_is_kept(client, field, url):
    answer = send(client, **{field: url})

    error = assert_refused(answer, 400, code="url_refused", field=field)
    assert error["error"].startswith("This URL is not allowed")
    assert client.post("/v3/documents/list", json={"containerTag": "web"}).get_json()["memories"] == []


@pytest.mark.parametrize("url", [url for url in URLS["unreadable"] if url.strip()])
def test_a_url_that_could_be_read_in_two_ways_is_refused(client, url):
    answer = send(client, url=url)

    assert answer.status_code == 400
    assert answer.get_json()["details"]["field"] == "url"


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "content"), ({"content": "x", "url": "https://example.org/"}, "url"), ({"url": ""}, "url"),
     ({"url": 5}, "url"), ({"url": "https://example.org/" + "x" * 2_000}, "url"), ({"content": " "}, "content")],
)  # fmt: skip
def test_one_of_text_and_url_is_needed(client, body, field):
    answer = send(client, **body)

    assert answer.status_code == 400
    assert answer.get_json()["details"]["field"] == field


def test_a_refused_url_in_a_batch_names_its_place(client):
    answer = client.post("/v3/documents/batch", json={"documents": ["one", "http://10.0.0.1/"], "containerTag": "web"})

    error = assert_refused(answer, 400, code="url_refused", field="documents[1].content")
    assert "10.0.0.1" in error["error"]


def test_an_allowed_private_network_is_taken(host):
    settings = replace(host.settings, allow_private_urls="192.168.1.0/24")
    client = create_app(replace(host, settings=settings)).test_client()

    assert send(client, url="http://192.168.1.9:3000/wiki").status_code == 202
    assert send(client, url="http://192.168.2.9/").status_code == 400
    assert send(client, url="http://192.168.1.9:6379/").status_code == 400


@pytest.mark.parametrize("field", ["content", "url"])
def test_a_change_may_name_a_page_too(client, host, field):
    made = send(client, content="The limit is 40 kg.").get_json()

    changed = client.patch(f"/v3/documents/{made['id']}", json={field: "https://example.org/crane"})

    assert changed.status_code == 202
    assert (host.queue.sent[-1].task, host.queue.sent[-1].queue) == ("document.fetch", "sources")
    document = client.get(f"/v3/documents/{made['id']}").get_json()
    assert (document["url"], document["type"]) == ("https://example.org/crane", "webpage")
    refused = client.patch(f"/v3/documents/{made['id']}", json={field: "http://127.0.0.1/"})
    assert_refused(refused, 400, code="url_refused", field=field)
