"""The ledger on a real stack: one row for a key also after a restart, no gap, and facts from turns alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import requests

from memory.settings import Settings
from ops.doctor import examine
from ops.launched import Launched, wait_until

WRITERS = 12
EACH = 15


def post(stack: Launched, body: dict[str, Any], key: str | None = None) -> requests.Response:
    headers = {"Idempotency-Key": key} if key else {}
    return requests.post(f"{stack.url}/v1/episodes", json=body, headers=headers, timeout=60)


def read(stack: Launched, space: str, session: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        path = f"/v1/sessions/{session}/episodes"
        page = stack.get(path, container_tag=space, limit=200, **cursor)
        rows += page["episodes"]
        if page["pagination"]["next_cursor"] is None:
            return rows
        cursor = {"cursor": page["pagination"]["next_cursor"]}


def restart_api(stack: Launched) -> None:
    (api,) = stack.children("-m api")
    api.kill()
    api.wait(30)

    def answers() -> bool:
        try:
            return requests.get(f"{stack.url}/v1/health", timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    wait_until(answers, seconds=60, what="the API is back")


def test_api_05_a_repeated_key_is_one_row_at_once_and_after_a_restart(stack: Launched, space: str) -> None:
    body = {"container_tag": space, "session_id": "hook", "role": "user", "content": "The gate code is 4417."}

    # when it arrives three times at once and once more after the server was killed
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: post(stack, body, f"{space}-1"), range(3)))
    restart_api(stack)
    answers.append(post(stack, body, f"{space}-1"))

    # then there is one row, and everybody was told of it
    assert {one.status_code for one in answers} == {201}
    assert len({one.json()["id"] for one in answers}) == 1
    assert len(read(stack, space, "hook")) == 1

    # and without a key each counts, and another body under the key is refused
    assert post(stack, body).json()["id"] != post(stack, body).json()["id"]
    refused = post(stack, {**body, "content": "The gate code is 4418."}, f"{space}-1")
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_mismatch")
    assert [row["seq"] for row in read(stack, space, "hook")] == [0, 1, 2]


def test_parallel_writers_leave_no_gap_and_doctor_finds_the_chain_whole(stack: Launched, space: str) -> None:
    def write(number: int) -> list[str]:
        made = []
        for step in range(EACH):
            events = [{"kind": "tool_call", "content": f"{number} {step} {part}"} for part in range(1 + step % 2)]
            body = {"container_tag": space, "session_id": "run", "episodes": events}
            answer = post(stack, body, f"{space}-{number}-{step}")
            while answer.status_code in (429, 503):
                answer = post(stack, body, f"{space}-{number}-{step}")
            assert answer.status_code == 201, answer.text
            made += [one["id"] for one in answer.json()["episodes"]]
        return made

    with ThreadPoolExecutor(WRITERS) as pool:
        made = [one for ids in pool.map(write, range(WRITERS)) for one in ids]

    rows = read(stack, space, "run")
    assert [row["seq"] for row in rows] == list(range(len(made)))
    assert {row["id"] for row in rows} == set(made)
    told = [one.sentence for one in examine(Settings(data_dir=str(stack.data_dir)), stack.url)]
    assert not any("ledger" in sentence for sentence in told)


def test_turns_are_consolidated_and_answered_with_their_episode(stack: Launched, space: str) -> None:
    made = stack.post(
        "/v1/episodes", container_tag=space, session_id="run", wait=True,
        episodes=[
            {"role": "user", "name": "Ines", "content": "I moved to the north site yesterday.",
             "occurred_at": "2023-05-08T09:30:00Z"},
            {"kind": "tool_result", "content": "Ines owns nine boats in Lisbon."},
        ],
    )  # fmt: skip
    assert stack.job(made["job_id"])["state"] == "done"

    facts = stack.post("/v4/memories/list", containerTags=[space])["memoryEntries"]
    assert len(facts) == 1
    assert "north site yesterday (2023-05-07)" in facts[0]["memory"]
    (source,) = facts[0]["sources"]
    assert (source["id"], source["conversationId"], source["messageIndex"]) == (made["id"], "run", 0)
