"""STORE-03: a store whose embedding model is changed, changed back, and embedded anew across a crash."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from inference.fakes import FakeModelServer
from memory.settings import Settings
from ops.doctor import examine
from ops.launched import Launched, running, wait_until

OLD, NEW = ("stub-768", 768), ("stub-1024", 1024)
DELAY = 0.05  # seconds of a model call: long enough that a build can be stopped half-way


@contextmanager
def serving(folder: Path, model: tuple[str, int], *, delay: float = 0.0) -> Iterator[Launched]:
    """A stack on a folder whose models are one fake server of some dimension."""
    with FakeModelServer(dimension=model[1], delay=delay) as fake:
        told = {
            "MEMLANE_EMBED_URL": fake.url,
            "MEMLANE_RERANK_URL": fake.url,
            "MEMLANE_TIME_FACTOR": "10",
            "MEMLANE_EMBED_MODEL": model[0],
            "MEMLANE_EMBED_DIMENSION": str(model[1]),
        }
        with running(folder, told) as stack:
            yield stack


def lengths(folder: Path) -> dict[int, int]:
    """How many vectors of each length the file holds."""
    db = sqlite3.connect(f"file:{folder / 'tenants' / 'default.db'}?mode=ro", uri=True)
    try:
        return dict(db.execute("SELECT length(data) / 4, count(*) FROM vector GROUP BY 1").fetchall())
    finally:
        db.close()


def remember(stack: Launched, *texts: str) -> list[str]:
    written = stack.post("/v4/memories", memories=[{"content": text} for text in texts])
    return [one["id"] for one in written["memories"]]


def patch(stack: Launched, memory_id: str, text: str) -> str:
    answer = stack.http.patch(f"{stack.url}/v4/memories", json={"id": memory_id, "newContent": text}, timeout=30)
    assert answer.ok, answer.text
    return answer.json()["id"]


def forget(stack: Launched, memory_id: str) -> None:
    assert stack.http.delete(f"{stack.url}/v4/memories", json={"id": memory_id}, timeout=30).ok


def missing(stack: Launched, model: tuple[str, int]) -> int:
    (one,) = [one for one in stack.get("/v1/generations")["generations"] if one["model"] == model[0]]
    return one["missing"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models") / "data"


def test_a_change_of_the_model_loses_nothing_and_says_everything(folder: Path) -> None:
    # given a store of one model
    with serving(folder, OLD) as stack:
        ids = remember(stack, *(f"Person{n} works in town{n}." for n in range(60)))
        remember(stack, *(f"Person{n} works in town{n}." for n in range(60, 120)))
        assert lengths(folder) == {768: 120}

    # when it is opened with another: it says so with names and numbers, and reads by words go on
    with serving(folder, NEW) as stack:
        health = stack.get("/v1/health")
        told = " ".join(health["warnings"])
        assert (health["status"], "stub-768 (768 numbers)" in told, "stub-1024 (1024 numbers)" in told) == (
            "degraded", True, True,
        )  # fmt: skip
        assert "wrong_model" in stack.log.read_text()
        doctor = examine(Settings(data_dir=str(folder), embed_model=NEW[0], embed_dimension=NEW[1]), stack.url)
        assert any(one.state == "problem" and "stub-768" in one.sentence for one in doctor)
        found = stack.post("/v4/search", q="Person7 town7")
        assert found["results"][0]["memory"] == "Person7 works in town7."
        assert "stub-768" in str(found["degraded"])
        with pytest.raises(requests.HTTPError, match=r"503.*wrong_model"):
            stack.post("/v4/search", q="zebra")
        # and so do writes
        changed = patch(stack, ids[0], "Person0 works in Bern.")
        forget(stack, ids[1])
        remember(stack, "Carl sells crabs.")
        assert stack.search("crabs")[0]["memory"] == "Carl sells crabs."
        assert stack.get(f"/v1/memories/{changed}/history")["versions"]
        assert lengths(folder) == {768: 120, 1024: 2}

    # when the first model is back: nothing was thrown away, and what came meanwhile is embedded by it
    with serving(folder, OLD) as stack:
        wait_until(lambda: missing(stack, OLD) == 0, seconds=60, what="the rows of the other model are embedded")
        found = stack.post("/v4/search", q="Carl crabs")
        assert (found["results"][0]["memory"], "degraded" in found) == ("Carl sells crabs.", False)
        assert lengths(folder) == {768: 122, 1024: 2}

    # when everything is embedded anew and the whole stack is killed half-way
    with FakeModelServer(dimension=NEW[1], delay=DELAY) as fake:
        told = {
            "MEMLANE_EMBED_URL": fake.url, "MEMLANE_RERANK_URL": fake.url, "MEMLANE_TIME_FACTOR": "10",
            "MEMLANE_EMBED_MODEL": NEW[0], "MEMLANE_EMBED_DIMENSION": str(NEW[1]),
        }  # fmt: skip
        killed = Launched(folder, told).start()
        killed.post("/v1/generations")
        wait_until(lambda: lengths(folder)[1024] > 18, seconds=60, what="some rows are embedded")
        killed.stop(number=signal.SIGKILL)
        part = lengths(folder)[1024]
        assert part < 122

    # then it goes on by itself, a switch is refused until the end, and searches compare the new vectors after it
    with serving(folder, NEW) as stack:
        wait_until(lambda: missing(stack, NEW) == 0, seconds=90, what="the build has gone on")
        forget(stack, ids[2])
        number = next(one["id"] for one in stack.get("/v1/generations")["generations"] if one["model"] == NEW[0])
        stack.post(f"/v1/generations/{number}/switch")
        found = stack.post("/v4/search", q="Where does Person7 work?")
        assert (found["results"][0]["memory"], "degraded" in found) == ("Person7 works in town7.", False)
        assert stack.get("/v1/health")["status"] == "ok"
        assert lengths(folder) == {768: 122, 1024: 122}
        old = next(one["id"] for one in stack.get("/v1/generations")["generations"] if one["model"] == OLD[0])
        assert stack.http.delete(f"{stack.url}/v1/generations/{old}", timeout=60).ok
        assert lengths(folder) == {1024: 122}
