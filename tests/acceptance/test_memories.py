"""Direct memories: listing (API-03), stale edits (RECONCILE-09), the words search finds after an edit (SEARCH-03)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ops.launched import Launched


def remember(stack: Launched, space: str, *texts: str) -> list[str]:
    body = {"memories": [{"content": one} for one in texts], "containerTag": space}
    return [one["id"] for one in stack.post("/v4/memories", **body)["memories"]]


def test_pages_hold_every_memory_once_while_others_are_added(stack: Launched, space: str) -> None:
    # given 450 memories
    starting = [
        one
        for start in range(0, 450, 90)
        for one in remember(stack, space, *(f"Shelf {n} holds part number {n * 7}." for n in range(start, start + 90)))
    ]

    # when they are paged through while another client adds twenty
    seen: list[str] = []
    cursor = None
    added = 0
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = stack.post("/v4/memories/list", containerTags=[space], limit=200, **more)
        seen += [one["id"] for one in page["memoryEntries"]]
        if added < 20:
            remember(stack, space, *(f"Late shelf {n} is empty." for n in range(added, added + 10)))
            added += 10
        cursor = page["pagination"].get("nextCursor")
        if not cursor:
            break

    # then each of the first 450 is there exactly once, and the total is told
    assert sorted(one for one in seen if one in set(starting)) == sorted(starting)
    assert page["pagination"]["totalItems"] == 470
    assert page["pagination"]["limit"] == 200

    # and an over-large limit is refused, naming the field
    answer = stack.http.post(
        stack.url + "/v4/memories/list", json={"containerTags": [space], "limit": 100_000}, timeout=30
    )
    assert answer.status_code == 400
    assert answer.json()["details"]["field"] == "limit"


def test_an_edited_memory_is_found_by_its_new_words_only(stack: Launched, space: str) -> None:
    # given
    (first,) = remember(stack, space, "Maya works at Acme.")
    assert [one["id"] for one in stack.search("Acme", containerTag=space)] == [first]

    # when
    changed = stack.http.patch(
        stack.url + "/v4/memories",
        json={"containerTag": space, "id": first, "newContent": "Maya works at Beta Corp."}, timeout=30,
    ).json()  # fmt: skip

    # then
    assert changed["version"] == 2
    assert changed["parentMemoryId"] == first
    assert [one["id"] for one in stack.search("Beta Corp", containerTag=space)] == [changed["id"]]
    assert first not in [one["id"] for one in stack.search("Acme", containerTag=space)]
    history = stack.get(f"/v1/memories/{changed['id']}/history")["versions"]
    assert [one["memory"] for one in history] == ["Maya works at Acme.", "Maya works at Beta Corp."]


def test_of_edits_from_stale_reads_one_wins(stack: Launched, space: str) -> None:
    # given two readers of version 1
    (first,) = remember(stack, space, "The gate code is 4417.")
    url = stack.url + "/v4/memories"

    def patch(number: int, memory_id: str) -> tuple[int, dict[str, object]]:
        body = {"containerTag": space, "id": memory_id, "newContent": f"The gate code is {number}."}
        answer = stack.http.patch(url, json=body, timeout=60)
        return answer.status_code, answer.json()

    # when one edits, and then the other
    status, second = patch(5000, first)
    late, refusal = patch(5001, first)

    # then the second is told which version is live
    assert (status, late) == (200, 409)
    assert refusal["code"] == "not_live"
    assert refusal["details"]["current_id"] == second["id"]

    # and of twenty at once exactly one wins
    with ThreadPoolExecutor(20) as pool:
        outcomes = list(pool.map(lambda n: patch(6000 + n, str(second["id"])), range(20)))
    assert sorted(status for status, _ in outcomes)[0] == 200
    assert [status for status, _ in outcomes if status != 200].count(409) + [s for s, _ in outcomes].count(503) == 19
    history = stack.get(f"/v1/memories/{first}/history")["versions"]
    assert [one["version"] for one in history] == [1, 2, 3]

    # and what is forgotten, unknown or empty is refused by its kind
    live = history[-1]["id"]
    assert stack.http.delete(url, json={"containerTag": space, "id": live}, timeout=30).status_code == 200
    assert patch(1, live)[0] == 409
    assert patch(1, "mem_unknown")[0] == 404
    empty = {"containerTag": space, "id": live, "newContent": "  "}
    assert stack.http.patch(url, json=empty, timeout=30).status_code == 400


def test_a_restored_memory_is_a_new_version_that_search_finds(stack: Launched, space: str) -> None:
    # given a forgotten memory
    (first,) = remember(stack, space, "The spare key hangs behind the boiler.")
    stack.http.delete(stack.url + "/v4/memories", json={"containerTag": space, "id": first}, timeout=30)
    assert stack.search("spare key", containerTag=space) == []

    # when
    restored = stack.post(f"/v1/memories/{first}/restore")

    # then
    assert restored["version"] == 2
    assert [one["id"] for one in stack.search("spare key", containerTag=space)] == [restored["id"]]
    again = stack.http.post(stack.url + f"/v1/memories/{first}/restore", timeout=30)
    assert again.status_code == 409


def test_equal_statements_reinforce_one_memory(stack: Launched, space: str) -> None:
    # given sixteen clients that write the same at once
    with ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda _: remember(stack, space, "Gate code is 4417")[0], range(16)))

    # then there is one memory, with one id for all
    assert len(set(ids)) == 1
    assert stack.post("/v4/memories/list", containerTags=[space])["pagination"]["totalItems"] == 1
