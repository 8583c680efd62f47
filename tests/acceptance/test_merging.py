"""A merge on a real stack while material goes on arriving in its source: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ops.launched import Launched, wait_until

DOCUMENTS = 24
MEMLANE = Path(sys.executable).with_name("memlane")


def tags(stack: Launched, *arguments: str) -> Any:
    """Run `memlane tags`; returns its JSON."""
    command = [str(MEMLANE), "tags", *arguments, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, env=stack.env, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_what_arrives_while_a_merge_runs_is_in_one_space_and_complete(stack: Launched, space: str) -> None:
    old, new = f"{space}-old", f"{space}-new"
    towns = [f"Town{number}" for number in range(DOCUMENTS)]

    def add(town: str) -> str:
        body = {"content": f"# Notes\n\nThe mayor of {town} is called Person{town}.", "containerTag": old}
        return str(stack.post("/v3/documents", **body)["id"])

    before = [add(town) for town in towns[:8]]
    merge = {"containerTags": [old], "targetContainerTag": new}
    with ThreadPoolExecutor(4) as pool:
        queued = pool.submit(stack.post, "/v3/container-tags/merge", **merge)
        after = list(pool.map(add, towns[8:]))
    merge_id = queued.result()["mergeId"]

    def ended() -> object:
        state = stack.get(f"/v3/container-tags/merge/{merge_id}")
        return state if state["status"] in ("completed", "failed") else None

    assert wait_until(ended, seconds=120, what="the merge ends")["status"] == "completed"  # type: ignore[index]

    def settled() -> object:
        body = {"containerTags": [old, new], "limit": 200}
        rows = stack.post("/v3/documents/list", **body)["memories"]
        return rows if {row["status"] for row in rows} == {"done"} else None

    rows = wait_until(settled, seconds=180, what="every document is done")
    assert sorted(row["id"] for row in rows) == sorted((*before, *after))  # type: ignore[attr-defined]
    assert {row["containerTags"][0] for row in rows if row["id"] in before} == {new}  # type: ignore[attr-defined]
    body = {"containerTags": [old, new], "limit": 200}
    facts = [row["memory"] for row in stack.post("/v4/memories/list", **body)["memoryEntries"]]
    assert sorted(fact.partition(": ")[2] for fact in facts) == sorted(
        f"The mayor of {town} is called Person{town}." for town in towns
    )


def test_a_large_tag_is_merged_from_the_command_line_with_the_ends_of_its_memories(stack: Launched, space: str) -> None:
    old, new = f"{space}-old", f"{space}-new"
    for start in range(0, 200, 25):  # what a busy machine embeds in the time of a request
        facts = [
            {"content": f"Ship {n} is called Vessel{n} and lies at pier {n * 7}."} for n in range(start, start + 25)
        ]
        stack.post("/v4/memories", containerTag=old, memories=facts)
    stack.post("/v4/memories", containerTag=new, memories=[{"content": "Cid keeps bees in Graz."}])
    assert stack.http.patch(f"{stack.url}/v1/spaces/{new}", json={"retention_days": 7}).status_code == 200

    done = tags(stack, "merge", old, "--into", new, "--yes")

    assert (done["status"], done["progress"]["memories"], done["progress"]["own_ends"]) == ("completed", 200, 200)
    assert not any(done["remaining"].values())
    assert {one["containerTag"]: one["memoryCount"] for one in tags(stack)}[new] == 201
    (hit, *_) = stack.search("pier of Vessel110", containerTag=new, searchMode="memories")
    assert "Vessel110" in hit["memory"]

    gone = tags(stack, "delete", new)
    assert gone["deletionId"] in [one["id"] for one in tags(stack, "deleted")]
    assert tags(stack, "restore", new, "--as", old)["memoryCount"] == 201
