"""Export and import over HTTP: who may, what is refused, and that nothing of a refusal is left."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from api.app import create_app
from memory.records import Message
from services import importing, keys, staged_imports
from tests.pipeline import Pipeline
from tests.shape import assert_refused
from tests.transferring import LINES, body, lines, send, signed


@pytest.fixture
def client(pipeline):
    return create_app(pipeline.host).test_client()


@pytest.fixture
def target(other):
    return create_app(other.host).test_client()


@pytest.fixture
def filled(pipeline, client) -> bytes:
    """A store with two spaces, exported."""
    client.post("/v3/documents", json={"content": "# Cranes\n\nCrane 3 lifts nine tonnes.", "containerTag": "yard"})
    client.post(
        "/v1/episodes",
        json={
            "container_tag": "desk",
            "session_id": "run",
            "role": "user",
            "name": "Ines",
            "content": "I live in Porto.",
        },
    )
    pipeline.settle()
    answer = client.get("/v1/export", buffered=True)
    assert answer.status_code == 200
    return answer.data


def left_over(pipeline: Pipeline) -> list[Path]:
    return list((Path(pipeline.host.settings.data_dir) / "imports").glob("*"))


def test_a_tenant_goes_out_and_comes_back_and_is_searched(filled, client, other, target):
    sent = send(target, filled)
    assert sent.status_code == 200, sent.get_json()
    other.settle()

    done = target.get(f"/v1/imports/{sent.get_json()['id']}").get_json()
    assert (done["state"], done["searchable"], done["without_vector"]) == ("finished", "fully", 0)
    assert done["container_tags"] == ["desk", "yard"]
    assert done["done"] == done["lines"] == len(lines(filled))
    assert body(target.get("/v1/export", buffered=True).data) == body(filled)
    other.clock.advance(60)  # what was said where the clock is ahead is not true here yet
    asked = {"q": "Who is in Porto?", "containerTag": "desk"}
    found = client.post("/v4/search", json=asked).get_json()["results"]
    assert target.post("/v4/search", json=asked).get_json()["results"] == found
    (hit,) = found
    assert "Porto" in hit["memory"]
    assert left_over(other) == []
    # And the ledger goes on where it was.
    made = target.post(
        "/v1/episodes", json={"container_tag": "desk", "session_id": "run", "kind": "outcome", "content": "Moved."}
    )
    assert made.get_json()["episodes"][0]["seq"] == 1


def test_the_first_line_says_what_follows_and_the_last_one_proves_it(filled, client):
    answer = client.get("/v1/export", buffered=True, query_string={"container_tag": "desk"})
    told = lines(answer.data)
    assert (told[0]["line"], told[0]["format"], told[0]["spaces"], told[0]["whole"]) == ("header", 1, ["desk"], False)
    assert told[-1]["lines"] == len(told) - 2
    before = answer.data[: answer.data.rindex(b'{"line":"end"')]
    assert told[-1]["sha256"] == hashlib.sha256(before).hexdigest()
    assert answer.headers["Content-Type"].startswith(LINES)
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    assert {line.get("space", "desk") for line in told} == {"desk"}
    assert b"Crane" not in answer.data


def test_a_space_comes_back_under_another_name_into_the_same_kind_of_tenant(filled, client, other, target):
    one = client.get("/v1/export", buffered=True, query_string={"container_tag": "desk", "vectors": "true"}).data
    assert sum("vector" in line for line in lines(one)) == 1
    assert_refused(send(target, filled, query_string={"container_tag": "x"}), 400, field="container_tag")

    assert send(target, one, query_string={"container_tag": "office"}).status_code == 200
    other.settle()

    assert [one["name"] for one in target.get("/v1/spaces").get_json()["spaces"]] == ["office"]
    again = lines(target.get("/v1/export", buffered=True, query_string={"vectors": "true"}).data)
    changed = json.loads(json.dumps(lines(one)).replace('"desk"', '"office"'))
    assert [line for line in again if line["line"] not in ("header", "end")] == changed[1:-1]


def test_what_is_not_empty_or_here_already_is_a_plain_409(filled, client, other, target):
    assert_refused(send(client, filled), 409)
    one = client.get("/v1/export", buffered=True, query_string={"container_tag": "desk"}).data
    refused = send(client, one, query_string={"container_tag": "new"})
    assert_refused(refused, 409)
    assert "is here already" in refused.get_json()["error"]
    assert "new" not in {row["name"] for row in client.get("/v1/spaces").get_json()["spaces"]}
    target.post("/v3/documents", json={"content": "Mine.", "containerTag": "desk"})
    refused = send(target, one)
    assert_refused(refused, 409)
    assert refused.get_json()["details"] == {"container_tag": "desk"}
    assert left_over(other) == []


def test_a_space_that_is_there_and_empty_is_taken(filled, other, target):
    made = target.post("/v3/documents", json={"content": "Mine.", "containerTag": "desk"}).get_json()
    other.settle()
    erased = target.post("/v1/erasures", json={"kind": "document", "id": made["id"], "container_tag": "desk"})
    assert erased.status_code == 202
    other.settle()
    assert send(target, filled).status_code == 200
    other.settle()
    assert body(target.get("/v1/export", buffered=True).data) == body(filled)


def cut(raw: bytes) -> bytes:
    return raw[: len(raw) // 2]


def without(raw: bytes, kind: str) -> bytes:
    return b"".join(line + b"\n" for line in raw.split(b"\n")[:-1] if json.loads(line)["line"] != kind)


def changed(raw: bytes, kind: str, **fields: Any) -> bytes:
    told = lines(raw)
    next(line for line in told if line["line"] == kind).update(fields)
    return signed(told)


SETTING = {"line": "setting", "name": "chunk_size", "value": 800, "actor_kind": "person", "actor_id": "a", "at": 1}
DAMAGED = {
    "nothing": lambda raw: b"",
    "no export": lambda raw: b'{"a": 1}\n',
    "no JSON": lambda raw: b"hello\n",
    "a list": lambda raw: b"[]\n",
    "no header": lambda raw: b"\n".join(raw.split(b"\n")[1:]),
    "a newer format": lambda raw: changed(raw, "header", format=2),
    "cut in a line": cut,
    "cut between lines": lambda raw: b"".join(line + b"\n" for line in raw.split(b"\n")[:5]),
    "a changed word": lambda raw: raw.replace(b"nine tonnes", b"five tonnes"),
    "a line that is missing": lambda raw: raw.replace(raw.split(b"\n")[4] + b"\n", b""),
    "something behind it": lambda raw: raw + b"{}\n",
    "an unknown kind": lambda raw: changed(raw, "document", line="papyrus"),
    "an unknown field": lambda raw: changed(raw, "document", colour="red"),
    "a field of the file": lambda raw: changed(raw, "memory", space_id=1),
    "a text that is none": lambda raw: changed(raw, "memory", statement=7),
    "a number that is none": lambda raw: changed(raw, "episode", seq=True),
    "a space of nobody": lambda raw: changed(raw, "memory", space="nowhere"),
    "a forbidden name": lambda raw: changed(raw, "header", spaces=["a\u0001"]),
    "no base64": lambda raw: changed(raw, "episode", salt="%"),
    "what is of a tenant in an export of a space": lambda raw: signed(
        [lines(raw)[0] | {"whole": False}, SETTING, *lines(raw)[1:]]
    ),
    "a forged ledger": lambda raw: changed(raw, "episode", content="I live in Rome."),
    "a gap in a ledger": lambda raw: changed(raw, "episode", seq=1),
    "NUL": lambda raw: changed(raw, "memory", statement="a\x00b"),
    "a line of many pieces": lambda raw: changed(raw, "document", metadata={"a": [[]] * 400_000}),
    "a rule of its table": lambda raw: changed(raw, "memory", confidence=7.0),
    "a state that there is not": lambda raw: changed(raw, "job", state="lost"),
    "half a pair": lambda raw: changed(raw, "memory", statement="\ud83d"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_what_is_no_whole_export_is_refused_at_once_and_leaves_nothing(filled, other, target, case):
    refused = send(target, DAMAGED[case](filled))
    assert refused.status_code == 400, refused.get_json()
    assert {"field", "line"} <= refused.get_json()["details"].keys()
    assert target.get("/v1/spaces").get_json()["spaces"] == []
    assert other.rows("SELECT count(*) FROM import") == [(0,)]
    assert left_over(other) == []


def test_what_is_wrong_only_when_rows_are_made_of_it_fails_whole(filled, other, target, monkeypatch):
    # given a file that was changed after it was checked
    with monkeypatch.context() as patched:
        patched.setattr(importing.ledger, "wake_writer", lambda *_: None)
        sent = send(target, filled)
        assert sent.status_code == 202
    path = staged_imports.path_of(other.host, "default", sent.get_json()["id"])
    path.write_bytes(path.read_bytes().replace(b'"kind":"fact"', b'"kind":"lies"'))
    # when the writer makes rows of it
    importing.ledger.wake_writer(other.host, "default")
    other.settle()

    # then nothing of it is left
    failed = target.get(f"/v1/imports/{sent.get_json()['id']}").get_json()
    assert (failed["state"], failed["searchable"]) == ("failed", "no")
    assert "needs one of fact, preference, episode in `kind`" in failed["reason"]
    for table in ("space", "document", "session", "episode", "memory", "search_row", "validity", "vector", "job"):
        assert other.rows(f"SELECT count(*) FROM {table}") == [(0,)]
    assert left_over(other) == []
    # And the whole one still fits.
    assert send(target, filled).status_code == 200
    other.settle()
    assert body(target.get("/v1/export", buffered=True).data) == body(filled)


def test_a_repeat_with_its_key_is_the_same_import(filled, other, target):
    headers = {"Idempotency-Key": "k-1"}
    first = send(target, filled, headers=headers).get_json()
    other.settle()
    assert send(target, filled, headers=headers).get_json()["id"] == first["id"]
    assert_refused(send(target, filled + b"\n", headers=headers), 409, field="Idempotency-Key")
    assert_refused(send(target, filled), 409)


def headers_of(host: Any, **limits: Any) -> dict[str, str]:
    return {"Authorization": f"Bearer {keys.create(host, label='key', **limits).secret}"}


def test_limits_of_a_key_hold(pipeline, client, filled, other, target):
    host = pipeline.host
    client.post(
        "/v1/episodes",
        json={
            "container_tag": "desk",
            "session_id": "r",
            "user_id": "rute",
            "role": "user",
            "content": "I keep goats.",
        },
    )
    pipeline.settle()
    of_desk = headers_of(host, spaces=("desk",), read_only=True)
    told = lines(client.get("/v1/export", buffered=True, headers=of_desk).data)
    assert told[0]["spaces"] == ["desk"]
    assert told[0]["whole"] is False
    assert (
        client.get("/v1/export", buffered=True, query_string={"container_tag": "yard"}, headers=of_desk).status_code
        == 403
    )
    ines = client.get("/v1/export", buffered=True, headers=headers_of(host, user="ines")).data
    assert b"Porto" in ines
    assert b"goats" not in ines
    # Nor do the numbers tell of what is not.
    assert {line["row"] for line in lines(ines) if line["line"] == "row"} == {1, 2, 3}
    assert "next_row" not in lines(ines)[1]
    # What is told to one user can be made rows of, and goes on.
    assert send(target, ines).status_code == 200
    other.settle()
    assert other.rows("SELECT state, reason FROM import") == [("finished", None)]
    target.post("/v4/memories", json={"memories": [{"content": "Ann likes tea."}], "containerTag": "desk"})
    assert other.rows("SELECT count(*) FROM memory WHERE statement = 'Ann likes tea.'") == [(1,)]

    # An import takes a person, and a key that may write to all of it.
    person = {"actor_kind": "person"}
    host = other.host
    for limits, status in (
        ({}, 403), ({**person, "read_only": True}, 403), ({**person, "user": "ines"}, 403),
        ({**person, "spaces": ("desk",)}, 403), (person, 409),
    ):  # fmt: skip
        assert send(target, filled, headers=headers_of(host, **limits)).status_code == status, limits
    assert send(target, filled, headers={"Authorization": "Bearer no"}).status_code == 401


def test_another_tenant_neither_exports_nor_finds_it(pipeline, client, filled, other, target):
    theirs = headers_of(other.host, tenant="second", actor_kind="person")
    sent = send(target, filled).get_json()
    other.settle()
    assert target.get(f"/v1/imports/{sent['id']}", headers=theirs).status_code == 404
    assert len(lines(target.get("/v1/export", buffered=True, headers=theirs).data)) == 2


def test_it_is_sent_as_json_lines_and_is_not_too_large(other, target, filled, monkeypatch):
    assert send(target, filled, content_type="application/json").status_code == 415
    assert "application/x-ndjson" in send(target, filled, content_type="application/json").json["error"]
    object.__setattr__(other.host.settings, "max_import_bytes", len(filled) - 1)
    assert send(target, filled).status_code == 413
    assert left_over(other) == []


def test_what_was_under_way_is_begun_anew(pipeline, client, other, target):
    pipeline.held = lambda message: True
    client.post("/v3/documents", json={"content": "# Cranes\n\nCrane 3 lifts nine tonnes.", "containerTag": "yard"})
    pipeline.say(Message(role="user", name="Ines", content="I moved to Porto."))
    raw = client.get("/v1/export", buffered=True).data
    assert lines(raw)[0]["open_jobs"] == 2
    assert not [line for line in lines(raw) if line["line"] == "memory"]

    assert send(target, raw).status_code == 200
    other.settle()

    assert [row[0] for row in other.rows("SELECT state FROM job ORDER BY id")] == ["done", "done"]
    assert len(other.rows("SELECT id FROM memory")) == 2
    (hit,) = target.post("/v4/search", json={"q": "Porto", "containerTag": "home", "limit": 1}).get_json()["results"]
    assert "Porto" in hit["memory"]


def test_what_was_erased_here_does_not_come_back(pipeline, client):
    made = client.post("/v3/documents", json={"content": "# Cranes\n\nCrane 3 lifts nine tonnes."}).get_json()
    pipeline.settle()
    raw = client.get("/v1/export", buffered=True).data
    assert client.post("/v1/erasures", json={"kind": "document", "id": made["id"]}).status_code == 202
    pipeline.settle()
    refused = send(client, raw)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "erased")
