"""STORE-07 and STORE-09: a row and its vector are kept together or not at all, and so is every change."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from memory.settings import Settings
from ops.child import ROOT
from ops.doctor import examine
from ops.launched import Launched, running, wait_until

POISON = "poisonpill"


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def faked(fake: FakeModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """A stack whose model server can be told to fail; waits are divided by 10."""
    told = {"MEMLANE_EMBED_URL": fake.url, "MEMLANE_RERANK_URL": fake.url, "MEMLANE_TIME_FACTOR": "10"}
    told["MEMLANE_INTERACTIVE_TIMEOUT"] = "3"
    with running(tmp_path_factory.mktemp("atomic") / "data", told) as one:
        yield one


@pytest.fixture(autouse=True)
def healthy(fake: FakeModelServer) -> Iterator[None]:
    yield
    fake.fail_on(POISON, None)
    fake.fail_always(None)


def assert_whole(stack: Launched) -> None:
    """Every row has its vector, none is all zeros, and everything else doctor knows is whole too."""
    found = [
        one.sentence for one in examine(Settings(data_dir=str(stack.data_dir)), stack.url) if one.state == "problem"
    ]
    assert not found
    assert rows(stack, "SELECT count(*) FROM vector WHERE data = zeroblob(length(data))") == [(0,)]


def rows(stack: Launched, query: str) -> list[tuple]:
    db = sqlite3.connect(f"file:{stack.data_dir / 'tenants' / 'default.db'}?mode=ro", uri=True)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


@pytest.mark.parametrize(
    "fault",
    [Fault(status=500), Fault(bend="wide"), Fault(bend="short"), Fault(bend="nan")],
    ids=lambda one: one.bend or 500,
)
def test_a_chunk_whose_vector_cannot_be_made_is_a_reason_and_no_row(
    faked: Launched, fake: FakeModelServer, space: str, fault: Fault
) -> None:
    # given a text that the node's model fails for, whatever else works
    fake.fail_on(POISON, fault)

    # when it is handed in
    sent = faked.post("/v3/documents", content=f"A {POISON} in the store.", containerTag=space)
    job = faked.job(sent["jobId"])

    # then the job says what failed, nothing of it can be found, and no row is without a vector
    assert job["state"] in ("failed", "partial")
    assert job["reason"]
    assert faked.get("/v1/stats", containerTag=space)["memories"]["live"] == 0
    found = f"SELECT count(*) FROM chunk WHERE body LIKE '%{POISON} in the store%' AND row_id IS NOT NULL"
    assert rows(faked, found) == [(0,)]
    assert_whole(faked)


def test_an_update_whose_vector_cannot_be_made_leaves_the_old_version(
    faked: Launched, fake: FakeModelServer, space: str
) -> None:
    old = faked.post("/v4/memories", memories=[{"content": "The lamp is on."}], containerTag=space)["memories"][0]
    for fault in (Fault(status=500), Fault(bend="wide"), Fault(bend="empty")):
        fake.fail_on(POISON, fault)

        answer = faked.http.patch(
            faked.url + "/v4/memories",
            json={"id": old["id"], "newContent": f"The lamp is {POISON}.", "containerTag": space}, timeout=60,
        )  # fmt: skip

        assert answer.status_code in (502, 503)
        assert [one["memory"] for one in listed(faked, space)] == ["The lamp is on."]
        assert_whole(faked)


def listed(stack: Launched, space: str) -> list[dict]:
    return stack.post("/v4/memories/list", containerTags=[space])["memoryEntries"]


def test_a_disk_that_is_full_for_the_writer_loses_nothing(faked: Launched, space: str) -> None:
    # given a writer that cannot make any file longer
    (writer,) = faked.children("workers reconcile")
    before = writer.rlimit(psutil.RLIMIT_FSIZE)
    writer.rlimit(psutil.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    try:
        # when a document and a memory are handed in
        sent = faked.post("/v3/documents", content="Shelf 9 holds paint.", containerTag=space)
        kept = faked.http.post(
            faked.url + "/v4/memories",
            json={"memories": [{"content": "Shelf 8 holds glue."}], "containerTag": space}, timeout=60,
        )  # fmt: skip

        # then they are accepted, or refused as a whole, and nothing half is kept
        assert kept.status_code in (202, 503)
        assert faked.get(f"/v1/jobs/{sent['jobId']}")["state"] in ("queued", "running")
        assert listed(faked, space) == []
    finally:
        writer.rlimit(psutil.RLIMIT_FSIZE, before)

    # and all that was accepted is done once there is room
    assert faked.job(sent["jobId"])["state"] == "done"
    wanted = 2 if kept.status_code == 202 else 1
    wait_until(lambda: len(listed(faked, space)) == wanted, seconds=60, what="what was accepted is there")
    assert_whole(faked)


@pytest.mark.parametrize("change", ["patch", "forget", "supersede", "delete"])
def test_a_writer_killed_before_any_statement_of_a_change_leaves_all_of_it_or_nothing(
    tmp_path: Path, change: str
) -> None:
    # when the writer is killed before its first, second, third .. statement, and then goes on
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("killed_writer.py")), str(tmp_path), change],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)

    # then the file is whole each time, and the end is always the same
    assert found["broken"] == []
    assert found["points"] > 5
    assert all(end == found["ends"][-1] for end in found["ends"])
    assert found["ends"][-1] != found["before"]

    # and what is seen in between is what was there before, or a complete later state
    seen = {tuple(one) for one in found["states"]}
    assert tuple(found["before"]) in seen
    if change != "supersede":
        assert seen <= {tuple(found["before"]), tuple(found["ends"][-1])}
