"""What becomes of facts that meet, by every door there is: cases RECONCILE-03, 05, 07, 09 and 11.

Each runs twice, with the rules and with a scripted language model as judge; vectors are of the embedded model. The
doors are documents, conversations, memories written directly and the command line; there are no others yet.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis import Redis

from ops.launched import wait_until
from tests.telling import Telling, telling
from workers.address import socket_file

FIVE, SIX, LEFT = "Ana has worked at Norvik for 5 years", "Ana has worked at Norvik for 6 years", "Ana left Norvik"
POSTGRES, MYSQL = "Stack is FastAPI + PostgreSQL", "Stack is FastAPI + MySQL"
F1, F2 = "The gate of the depot is green", "The roof of the depot is flat"


@pytest.fixture(scope="module", params=["rules", "model"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Telling]:
    with telling(tmp_path_factory.mktemp(request.param) / "data", request.param) as one:
        yield one


def test_reconcile_03_another_number_is_never_dropped_as_the_same(told: Telling, space: str) -> None:
    # given a judge that takes other numbers for the same
    told.verdicts = lambda old, new: "duplicate" if new == SIX else "update"

    # when
    for text, day in ((FIVE, "2025-05-24"), (SIX, "2025-06-15"), (LEFT, "2025-07-10")):
        told.say(space, text, at=f"{day}T10:00:00Z", name="Ben")

    # then one is current, and each held in its time
    assert told.current(space) == [LEFT]
    assert told.current(space, asOf="2025-06-20") == [SIX]
    assert told.current(space, asOf="2025-06-01") == [FIVE]
    versions = told.versions(space)
    assert [one["version"] for one in versions] == [1, 2, 3]
    assert [one["validTo"] for one in versions[:2]] == [one["validFrom"] for one in versions[1:]]
    assert told.outcomes(space) == {"added": 1, "superseded": 2}


def test_reconcile_05_every_door_leads_to_the_same_memory(told: Telling, space: str) -> None:
    # given
    fact = "The depot opens at six"

    # when the same is told twice by each door
    for number in (1, 2):
        told.document(space, fact, customId=f"plan-{number}")
        told.write(space, fact)
        told.say(space, fact, conversation=f"talk-{number}")
        told.command("remember", fact, "--container-tag", space)
    told.settle(space)

    # then
    assert told.current(space) == [fact]
    assert told.outcomes(space) == {"added": 1, "reinforced": 7}


def test_reconcile_05_no_door_writes_past_the_writer(told: Telling, space: str) -> None:
    # given a writer that stands still
    (writer,) = told.stack.children("workers reconcile")
    writer.send_signal(signal.SIGSTOP)
    try:
        # when each door is told something
        told.document(space, "The depot has four gates", done=False)
        told.say(space, "The depot has two roofs", done=False)
        answer = told.stack.post("/v4/memories", memories=[{"content": "The depot is old"}], containerTag=space)
        told.command("remember", "The depot is red", "--container-tag", space)

        # then nothing is known yet
        assert answer["status"] == "pending"
        assert told.versions(space) == []
    finally:
        writer.send_signal(signal.SIGCONT)

    # and all of it is as soon as the writer goes on
    wait_until(lambda: len(told.versions(space)) == 4, seconds=60, what="the writer has caught up")


def patch(told: Telling, space: str, **body: Any) -> Any:
    return told.stack.http.patch(f"{told.stack.url}/v4/memories", json={"containerTag": space, **body}, timeout=60)


@pytest.mark.parametrize("door", ["id", "content", "written", "command", "said"])
def test_reconcile_07_a_corrected_fact_is_the_only_one_that_is_current(told: Telling, space: str, door: str) -> None:
    # given
    told.verdicts = lambda old, new: "update"
    first = told.write(space, POSTGRES)

    # when it is said anew
    match door:
        case "id":
            assert patch(told, space, id=first["id"], newContent=MYSQL).status_code == 200
        case "content":
            assert patch(told, space, content=POSTGRES, newContent=MYSQL).status_code == 200
        case "written":
            told.write(space, MYSQL)
        case "command":
            told.command("remember", MYSQL, "--container-tag", space)
        case "said":
            told.say(space, MYSQL)
    told.settle(space)

    # then
    (found,) = told.stack.search("stack database", containerTag=space)
    assert "MySQL" in found["memory"]
    old, new = told.versions(space)
    assert (old["id"], new["parentMemoryId"], new["version"]) == (first["id"], first["id"], 2)
    assert old["validTo"] == new["validFrom"]
    superseded = [
        one for one in told.stack.get("/v1/changes", container_tag=space)["changes"] if one["kind"] == "superseded"
    ]
    assert [(one["id"], one["successor_id"]) for one in superseded] == [(old["id"], new["id"])]


def test_what_contradicts_a_person_is_shown_as_disputed_until_a_person_decides(told: Telling, space: str) -> None:
    # given
    told.verdicts = lambda old, new: "update"
    first = told.write(space, POSTGRES)

    # when a document of no date says otherwise
    told.document(space, MYSQL)

    # then what the person wrote stays, and says that something stands against it
    (found,) = told.stack.search("stack database", containerTag=space)
    assert (found["id"], found["isDisputed"]) == (first["id"], True)
    (entry,) = told.stack.get("/v1/conflicts", container_tag=space)["conflicts"]
    assert (entry["kind"], entry["memory"]["id"], entry["candidate"]["statement"]) == (
        "contradiction",
        first["id"],
        MYSQL,
    )

    # and after the decision the new one is current, and nothing is disputed
    told.command("conflicts", "resolve", entry["id"], "take_candidate", "--reason", "it was changed in May")
    (found,) = told.stack.search("stack database", containerTag=space)
    assert ("MySQL" in found["memory"], found.get("isDisputed")) == (True, None)
    assert told.stack.get(f"/v1/memories/{found['id']}")["parent_id"] == first["id"]
    assert told.stack.get("/v1/conflicts", container_tag=space)["conflicts"] == []


def test_reconcile_07_the_answer_names_what_was_superseded(told: Telling, space: str) -> None:
    # given
    told.verdicts = lambda old, new: "update"
    first = told.write(space, POSTGRES)

    # when
    changed = patch(told, space, id=first["id"], newContent=MYSQL).json()
    written = told.write(space, "Stack is FastAPI + SQLite")
    told.settle(space)

    # then by either door; a language model answers after the memory has its id
    assert changed["parentMemoryId"] == first["id"]
    if told.model is None:
        assert written["parentMemoryId"] == changed["id"]
    assert told.stack.get(f"/v1/memories/{written['id']}")["parent_id"] == changed["id"]


def test_reconcile_09_of_edits_from_stale_reads_exactly_one_wins(told: Telling, space: str) -> None:
    # given two readers of version 1
    first = told.write(space, "The gate code is 4417")["id"]

    def edit(number: int, memory_id: str) -> tuple[int, dict[str, Any]]:
        while True:
            answer = patch(told, space, id=memory_id, newContent=f"The gate code is {number}")
            # Too many at once is told as 503, and nothing was kept: a client comes again.
            if answer.status_code != 503:
                return answer.status_code, answer.json()

    # when
    status, second = edit(5000, first)
    late, refusal = edit(5001, first)
    with ThreadPoolExecutor(20) as pool:
        outcomes = list(pool.map(lambda number: edit(6000 + number, second["id"])[0], range(20)))

    # then
    assert (status, late, refusal["details"]["current_id"]) == (200, 409, second["id"])
    assert sorted(outcomes) == [200] + 19 * [409]
    versions = told.versions(space)
    assert [one["version"] for one in versions] == [1, 2, 3]

    # and what is forgotten, unknown or empty is refused by its kind
    told.stack.post("/v4/memories/forget-matching", ids=[versions[-1]["id"]], containerTag=space)
    assert edit(1, versions[-1]["id"])[0] == 409
    assert edit(1, "mem_unknown")[0] == 404
    assert patch(told, space, id=first, newContent=" ").status_code == 400


def test_reconcile_11_what_a_person_forgot_stays_forgotten_until_a_user_says_it_again(
    told: Telling, space: str
) -> None:
    # given a document's two facts, one of which a person has forgotten
    sent = told.document(space, f"{F1}\n{F2}", customId="depot")
    (gone,) = [one for one in told.versions(space) if F1 in one["memory"]]
    told.stack.post("/v4/memories/forget-matching", ids=[gone["id"]], containerTag=space, reason="wrong")
    assert told.current(space) == [F2]

    # when it is handed in again, revised, deleted and handed in anew, said by an assistant, and said by a user earlier
    told.document(space, f"{F1}\n{F2}", customId="depot")
    told.document(space, f"{F1}\n{F2}\nThe depot is old", customId="depot")
    told.stack.http.delete(f"{told.stack.url}/v3/documents/{sent['id']}", timeout=30)
    told.document(space, f"{F1}\n{F2}", customId="depot-2")
    told.say(space, F1, conversation="helper", role="assistant")
    told.say(space, F1, conversation="older", at="2025-01-01T10:00:00Z")

    # and the broker loses what it had, and everything is started again
    client = Redis(unix_socket_path=str(socket_file(told.stack.data_dir)))
    client.flushall()
    client.close()
    told.stack.stop()
    told.stack.start()
    told.document(space, f"{F1}\n{F2}", customId="depot-3")

    # then it is still forgotten, and it is recorded why
    assert F1 not in told.current(space)
    assert told.outcomes(space)["suppressed"] >= 4

    # and when a user says it after that, it is known again, as the next version
    told.say(space, F1, conversation="newer")
    assert F1 in told.current(space)
    chain = told.stack.get(f"/v1/memories/{gone['id']}/history")["versions"]
    assert [(one["version"], one["is_forgotten"]) for one in chain] == [(1, True), (2, False)]
    walk = told.stack.get(f"/v1/memories/{chain[-1]['id']}/provenance")
    assert walk["sources"][-1]["outcome_reason"] == "said again after it was forgotten"
