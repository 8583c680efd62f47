"""Documents: visible at once (API-01), revised without a gap (INGEST-07), failed with a reason, deleted for good."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from ops.launched import Launched, running, wait_until
from tests.site import ADDRESS, Site

FORWARD = ["queued", "extracting", "chunking", "embedding", "indexing", "done"]


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def faked(fake: FakeModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """A stack whose model server is a fake that can be told to fail."""
    told = {
        "MEMLANE_EMBED_URL": fake.url, "MEMLANE_RERANK_URL": fake.url, "MEMLANE_TIME_FACTOR": "10",
        "MEMLANE_ALLOW_PRIVATE_URLS": ADDRESS,
    }  # fmt: skip
    with running(tmp_path_factory.mktemp("faked") / "data", told) as one:
        yield one


@pytest.fixture
def site() -> Iterator[Site]:
    one = Site()
    yield one
    one.close()


@pytest.fixture(autouse=True)
def healthy(fake: FakeModelServer) -> Iterator[None]:
    yield
    fake.fail_always(None)


def test_a_document_is_there_as_soon_as_it_is_accepted(faked: Launched, fake: FakeModelServer, space: str) -> None:
    # given a node that takes five seconds for everything
    fake.fail_always(Fault(delay=5.0))

    def add_and_look(number: int) -> tuple[str, str]:
        accepted = faked.http.post(
            faked.url + "/v3/documents", json={"content": f"Ops note {number}", "containerTag": space}, timeout=60
        )
        assert accepted.status_code == 202
        body = accepted.json()
        document = faked.get(f"/v3/documents/{body['id']}")
        assert document["status"] in FORWARD
        jobs = faked.get("/v3/jobs", containerTag=space, limit=200)["jobs"]
        assert body["jobId"] in {one["id"] for one in jobs}
        return body["id"], body["jobId"]

    # when eight clients add documents and look for them at once, then every look finds its document and job
    with ThreadPoolExecutor(8) as pool:
        sent = list(pool.map(add_and_look, range(200)))

    # and when the node is quick again all end in done, and their status has only moved forward
    fake.fail_always(None)
    last = {one: 0 for one, _ in sent}

    def moved() -> bool:
        page = faked.get("/v3/documents", containerTag=space, limit=200)["memories"]
        for one in page:
            now = FORWARD.index(one["status"])
            assert now >= last[one["id"]]
            last[one["id"]] = now
        return all(FORWARD[now] == "done" for now in last.values())

    wait_until(moved, seconds=120, what="all documents are done")


def put(stack: Launched, space: str, content: str) -> dict[str, str]:
    return stack.post("/v3/documents", content=content, containerTag=space, customId="hb")


def documents_found(stack: Launched, space: str, q: str) -> str:
    hits = stack.search(q, containerTag=space, searchMode="documents")
    return " ".join(one["chunk"] for one in hits)


def live_facts(stack: Launched, space: str) -> list[str]:
    page = stack.post("/v4/memories/list", containerTags=[space], order="asc")
    return [one["memory"] for one in page["memoryEntries"]]


def known(stack: Launched, space: str) -> list[object]:
    stats = stack.get("/v1/stats", containerTag=space)
    return [stats[name] for name in ("documents", "chunks", "memories")]


def revise(stack: Launched, space: str) -> dict[str, str]:
    """Take a handbook from its first to its second edition and return the second's acceptance."""
    # given a first edition
    first = put(stack, space, "# Lift\n\nThe limit is 40 kg.\n\nThe lift stands in hall 3.\n")
    assert stack.job(first["jobId"])["state"] == "done"
    assert "40 kg" in documents_found(stack, space, "limit")

    # when the second is sent
    second = put(stack, space, "# Lift\n\nThe limit is 55 kg.\n\nThe lift stands in hall 3.\n")
    assert second["id"] == first["id"]
    assert stack.job(second["jobId"])["state"] == "done"
    return second


def test_a_new_edition_replaces_the_old_one(stack: Launched, space: str) -> None:
    revise(stack, space)

    # then only the second is found, the old fact is superseded and the unchanged one is still one memory
    found = documents_found(stack, space, "limit")
    assert "55 kg" in found
    assert "40 kg" not in found
    facts = live_facts(stack, space)
    assert [one for one in facts if "limit" in one] == [one for one in facts if "55 kg" in one]
    assert len(facts) == 2
    versions = stack.post("/v4/memories/list", containerTags=[space], history=True)["memoryEntries"]
    (old,) = [one for one in versions if "40 kg" in one["memory"]]
    (new,) = [one for one in versions if "55 kg" in one["memory"]]
    assert new["parentMemoryId"] == old["id"]
    (closed,) = [one for one in stack.get(f"/v1/memories/{old['id']}/history")["versions"] if one["id"] == old["id"]]
    assert any(window["valid_to"] for window in closed["windows"] if not window["retired_at"])


def test_a_failed_edition_leaves_the_one_before_in_place(faked: Launched, fake: FakeModelServer, space: str) -> None:
    revise(faked, space)
    before = live_facts(faked, space)

    # when the third cannot be embedded
    fake.fail_on("70 kg", Fault(status=500))
    third = put(faked, space, "# Lift\n\nThe limit is 70 kg.\n")
    job = faked.job(third["jobId"])

    # then the job says why, and the second edition is still what is found
    assert job["state"] == "failed"
    assert job["reason"]
    fake.fail_on("70 kg", None)
    assert "55 kg" in documents_found(faked, space, "limit")
    assert live_facts(faked, space) == before
    assert "evision" in faked.get(f"/v3/documents/{third['id']}")["warning"]

    # and a retry takes it over once the node is well
    faked.post(f"/v1/jobs/{third['jobId']}/retry")
    assert faked.job(third["jobId"])["state"] == "done"
    assert "70 kg" in documents_found(faked, space, "limit")


def test_an_edition_of_a_page_that_cannot_be_embedded_leaves_the_one_before_in_place(
    faked: Launched, fake: FakeModelServer, space: str, site: Site
) -> None:
    def edition(limit: str) -> dict[str, str]:
        site.write("/lift", f"<h1>Lift</h1><p>The limit is {limit}.</p><p>The lift stands in hall 3.</p>")
        return put(faked, space, f"{site.url}/lift")

    # given two editions of a page, of which the second is what is found
    for limit in ("40 kg", "55 kg"):
        assert faked.job(edition(limit)["jobId"])["state"] == "done"
    before = live_facts(faked, space)
    counted = known(faked, space)
    assert [one for one in before if "limit" in one] == [one for one in before if "55 kg" in one]

    # when the third is fetched and read, and cannot be embedded
    fake.fail_on("70 kg", Fault(status=500))
    third = edition("70 kg")
    job = faked.job(third["jobId"])

    # then the job says so, the second is whole, and nothing of the third counts or is found
    assert (job["state"], bool(job["reason"])) == ("failed", True), job
    fake.fail_on("70 kg", None)
    found = documents_found(faked, space, "limit")
    assert ("55 kg" in found, "70 kg" in found) == (True, False)
    assert live_facts(faked, space) == before
    assert known(faked, space) == counted
    document = faked.get(f"/v3/documents/{third['id']}")
    assert (document["latestRevision"], document["liveRevision"], document["url"]) == (3, 2, f"{site.url}/lift")
    assert "evision" in document["warning"]

    # and a retry embeds what was fetched, without asking the site again
    asked = len(site.asked)
    faked.post(f"/v1/jobs/{third['jobId']}/retry")
    assert faked.job(third["jobId"])["state"] == "done"
    assert "70 kg" in documents_found(faked, space, "limit")
    assert len(site.asked) == asked


def test_a_document_that_cannot_be_processed_fails_with_a_reason_and_can_be_deleted(
    faked: Launched, fake: FakeModelServer, space: str
) -> None:
    # given a text that the model fails at, while it is well otherwise
    fake.fail_on("Nobody can embed", Fault(status=500))
    sent = faked.post("/v3/documents", content="Nobody can embed this.", containerTag=space)

    # when
    assert faked.job(sent["jobId"])["state"] == "failed"

    # then
    document = faked.get(f"/v3/documents/{sent['id']}")
    assert document["status"] == "failed"
    assert document["errorMessage"]
    assert faked.http.delete(f"{faked.url}/v3/documents/{sent['id']}", timeout=30).status_code == 204
    assert faked.http.get(f"{faked.url}/v3/documents/{sent['id']}", timeout=30).status_code == 404


def test_an_outage_of_the_model_server_is_waiting_and_not_failure(
    faked: Launched, fake: FakeModelServer, space: str
) -> None:
    # given a node that answers nothing
    fake.fail_always(Fault(refuse=True))
    sent = faked.post("/v3/documents", content="The pump is in cellar 2.", containerTag=space)
    wait_until(lambda: faked.get(f"/v1/jobs/{sent['jobId']}")["warning"], seconds=60, what="the job says it waits")

    # when it is back
    fake.fail_always(None)

    # then the job is done without anybody's help
    assert faked.job(sent["jobId"])["state"] == "done"


def test_a_cancelled_job_keeps_nothing_new(faked: Launched, fake: FakeModelServer, space: str) -> None:
    # given a document that waits for its vectors
    fake.fail_always(Fault(refuse=True))
    sent = faked.post("/v3/documents", content="The valve is red.", containerTag=space)

    # when
    faked.post(f"/v1/jobs/{sent['jobId']}/cancel")
    fake.fail_always(None)

    # then
    assert faked.get(f"/v1/jobs/{sent['jobId']}")["state"] == "cancelled"
    wait_until(
        lambda: faked.get(f"/v3/documents/{sent['id']}")["status"] == "failed", seconds=20, what="the document says so"
    )
    assert faked.search("valve", containerTag=space, searchMode="hybrid") == []


def test_a_deleted_document_is_in_no_answer(stack: Launched, space: str) -> None:
    # given
    sent = stack.post("/v3/documents", content="Sentinel DELME-31 is kept in drawer 9.", containerTag=space)
    stack.job(sent["jobId"])
    assert stack.search("DELME-31", containerTag=space, searchMode="hybrid")

    # when
    assert stack.http.delete(f"{stack.url}/v3/documents/{sent['id']}", timeout=30).status_code == 204

    # then
    assert stack.search("DELME-31", containerTag=space, searchMode="hybrid") == []
    assert stack.post("/v4/memories/list", containerTags=[space])["memoryEntries"] == []
    assert stack.post("/v1/ask", q="DELME-31", container_tag=space)["citations"] == []

    # and it can be sent again
    again = stack.post("/v3/documents", content="Sentinel DELME-31 is kept in drawer 9.", containerTag=space)
    assert stack.job(again["jobId"])["state"] == "done"
    assert stack.search("DELME-31", containerTag=space, searchMode="documents")
