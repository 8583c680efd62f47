"""A merge on a real stack while material goes on arriving in its source: nothing is lost, nothing is there twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ops.launched import Launched, wait_until

DOCUMENTS = 24


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
