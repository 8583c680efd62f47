"""Erasure on a real stack (STORE-05): nothing of a document is left in any file, and it can be handed in again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.launched import Launched, running, wait_until

SENTINEL = "DELME-31"
MEMLANE = Path(sys.executable).with_name("memlane")
TEXT = f"# Vault {SENTINEL}\n\nThe vault code {SENTINEL} opens the north door.\n\nThe depot opens at seven every day."


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    with running(tmp_path_factory.mktemp("erasing") / "data") as one:
        yield one


def holders(folder: Path) -> list[str]:
    """Return the files that hold the sentinel, as it was written or as a term of the full-text index."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(spelling in path.read_bytes() for spelling in (SENTINEL.encode(), b"delme-31"))
    ]


def add(stack: Launched, custom_id: str, content: str) -> str:
    sent = stack.post("/v3/documents", content=content, customId=custom_id, containerTag="home", wait=True)
    assert sent["status"] == "done"
    return str(sent["id"])


def said(stack: Launched) -> str:
    hits = stack.search("vault code", containerTag="home", searchMode="hybrid")
    answer = stack.post("/v1/ask", q="What opens the north door?", container_tag="home")
    return " ".join(
        [*(hit.get("memory") or hit["chunk"] for hit in hits), str(answer["answer"]), str(answer["context"])]
    )


def test_an_erased_document_is_in_no_answer_and_in_no_file(alone: Launched) -> None:
    # given a document that alone tells one thing, and with another tells a second
    document = add(alone, "vault", TEXT)
    add(alone, "depot", "The depot opens at seven every day.")
    assert SENTINEL in said(alone)
    assert "tenants/default.db" in " ".join(holders(alone.data_dir))

    # when
    command = [str(MEMLANE), "erase", "--document", "vault", "--container-tag", "home", "--verify", "--yes", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, env=alone.env, timeout=60, check=False)

    # then
    assert ran.returncode == 0, ran.stderr
    (receipt,) = alone.get("/v1/erasures")["erasures"]
    assert (receipt["state"], receipt["verification"]["found"]) == ("finished", 0)
    assert SENTINEL not in said(alone)
    assert alone.http.get(f"{alone.url}/v3/documents/{document}", timeout=10).status_code == 404
    listed = alone.post("/v4/memories/list", containerTags=["home"])["memoryEntries"]
    assert [SENTINEL in one["memory"] for one in listed] == [False]
    wait_until(lambda: holders(alone.data_dir) == [], seconds=10, what="no file holds the sentinel")
    assert SENTINEL not in alone.log.read_text(encoding="utf-8", errors="replace")

    # and the same file is taken again
    assert add(alone, "vault", TEXT) != document
    assert SENTINEL in said(alone)


def test_a_document_is_erased_by_its_id_while_its_tag_is_deleted(alone: Launched) -> None:
    # given two documents in a tag that was deleted
    document = add(alone, "vault", TEXT)
    add(alone, "depot", "The depot opens at seven every day.")
    deleted = alone.http.delete(f"{alone.url}/v3/container-tags/home", timeout=10).json()
    assert alone.http.get(f"{alone.url}/v3/documents/{document}", timeout=10).status_code == 404

    # when
    command = [str(MEMLANE), "erase", "--document", document, "--verify", "--yes", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, env=alone.env, timeout=60, check=False)

    # then it is gone from every file, and the tag comes back without it
    assert ran.returncode == 0, ran.stderr
    wait_until(lambda: holders(alone.data_dir) == [], seconds=10, what="no file holds the sentinel")
    alone.post(f"/v1/deletions/{deleted['deletionId']}/restore")
    listed = alone.post("/v3/documents/list", containerTags=["home"])["memories"]
    assert [one["customId"] for one in listed] == ["depot"]


def test_a_restart_in_the_middle_ends_complete(alone: Launched) -> None:
    # given much of one subject; in parts that a busy machine embeds in the time of a request
    for start in range(0, 300, 25):
        facts = [{"content": f"Shelf {n} of {SENTINEL} holds part {n * 7}."} for n in range(start, start + 25)]
        alone.post("/v4/memories", memories=facts, containerTag="shelves", userId="ann")

    # when everything is killed as soon as the erasure has been accepted
    receipt = alone.post("/v1/erasures", kind="subject", id="ann", verify=True)
    alone.stop(number=9)
    alone.start()

    # then it ends by itself
    def finished() -> bool:
        return bool(alone.get(f"/v1/erasures/{receipt['id']}")["state"] == "finished")

    wait_until(finished, seconds=30, what="the erasure has finished")
    listed = alone.post("/v4/memories/list", containerTags=["shelves"], includeForgotten=True, history=True)
    assert listed["memoryEntries"] == []
