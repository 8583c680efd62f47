"""A document's next edition: the old one is found until the new one is whole (case INGEST-07).

With the rules and with a scripted language model as judge, and vectors of the embedded model. What becomes of an
edition that cannot be embedded is in `test_documents.py`, where a fake makes the vectors.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from ops.launched import wait_until
from tests.telling import Telling, telling

FIRST, SECOND, KEPT = "The limit of the lift is 40 kg", "The limit of the lift is 55 kg", "The lift stands in hall 3"


@pytest.fixture(scope="module", params=["rules", "model"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Telling]:
    with telling(tmp_path_factory.mktemp(request.param) / "data", request.param) as one:
        yield one


def passages(told: Telling, space: str) -> str:
    hits = told.stack.search("What is the limit of the lift?", containerTag=space, searchMode="documents")
    return " ".join(one["chunk"] for one in hits)


def test_ingest_07_the_old_edition_is_found_until_the_new_one_is_whole(told: Telling, space: str) -> None:
    # given a first edition, and workers that stand still before the second can be embedded
    told.verdicts = lambda old, new: "update" if "limit" in old and "limit" in new else "distinct"
    told.document(space, f"{FIRST}.\n{KEPT}.", customId="hb")
    before = told.stack.get("/v1/stats", containerTag=space)
    workers = told.stack.children("workers background")
    for worker in workers:
        worker.send_signal(signal.SIGSTOP)

    # when
    try:
        sent = told.document(space, f"{SECOND}.\n{KEPT}.", customId="hb", done=False)
        wait_until(
            lambda: told.stack.get(f"/v1/jobs/{sent['jobId']}")["state"] == "running", seconds=30, what="it is prepared"
        )
        document = told.stack.get(f"/v3/documents/{sent['id']}")

        # then the first is what is found meanwhile, and what is known
        assert (document["latestRevision"], document["liveRevision"]) == (2, 1)
        assert told.current(space) == [FIRST, KEPT]
        assert ("40 kg" in passages(told, space), "55 kg" in passages(told, space)) == (True, False)
    finally:
        for worker in workers:
            worker.send_signal(signal.SIGCONT)

    # and afterwards the second alone, with the changed fact in the place of the old one
    assert told.stack.job(sent["jobId"])["state"] == "done"
    assert ("40 kg" in passages(told, space), "55 kg" in passages(told, space)) == (False, True)
    assert sorted(told.current(space)) == sorted([SECOND, KEPT])
    after = told.stack.get("/v1/stats", containerTag=space)
    assert (after["documents"], after["chunks"]) == (before["documents"], before["chunks"])
    assert after["memories"] == {"live": 2, "superseded": 1, "forgotten": 0}
    (old,) = [one for one in told.versions(space) if "40 kg" in one["memory"]]
    (new,) = [one for one in told.versions(space) if "55 kg" in one["memory"]]
    assert (new["parentMemoryId"], old["isForgotten"]) == (old["id"], False)
