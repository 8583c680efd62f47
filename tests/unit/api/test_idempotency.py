"""A walk over every POST: each that creates takes Idempotency-Key, and sent twice it does nothing more."""

import json
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO

import pytest

from api.app import create_app
from api.openapi.bare import bare_app
from api.operations import operation_of
from tests.shape import assert_refused

# By address: a body that creates, and another one.
CREATING = {
    "/v3/documents": ({"content": "Crane 4 lifts 55 kg."}, {"content": "Crane 5."}),
    "/v3/documents/batch": ({"documents": [{"content": "Crane 4."}]}, {"documents": [{"content": "Crane 5."}]}),
    "/v3/documents/file": ({"file": (b"Crane 4.", "crane.txt")}, {"file": (b"Crane 5.", "crane.txt")}),
    "/v3/memories": ({"content": "Crane 4 lifts 55 kg."}, {"content": "Crane 5."}),
    "/v3/memories/batch": ({"documents": ["Crane 4."]}, {"documents": ["Crane 5."]}),
    "/v3/container-tags/merge": (
        {"targetContainerTag": "b", "containerTags": ["a"]}, {"targetContainerTag": "a", "containerTags": ["b"]},
    ),
    "/v4/conversations": (
        {"conversationId": "c", "messages": [{"role": "user", "content": "I live in Oslo."}]},
        {"conversationId": "d", "messages": [{"role": "user", "content": "I live in Oslo."}]},
    ),
    "/v4/memories": ({"memories": [{"content": "Ana is tall."}]}, {"memories": [{"content": "Ana is small."}]}),
    "/v1/episodes": (
        {"session_id": "s", "role": "user", "content": "Hello."}, {"session_id": "s", "role": "user", "content": "Bye."}
    ),
    "/v1/context/scratchpad": ({"session_id": "s", "content": "Call Ada."}, {"session_id": "s", "content": "Or Bo."}),
    "/v1/erasures": ({"kind": "subject", "id": "ana"}, {"kind": "subject", "id": "bo"}),
    "/v1/admin/tenants": ({"id": "north-lab"}, {"id": "south-lab"}),
    "/v1/admin/tenants/<tenant>/keys": ({"label": "one"}, {"label": "two"}),
    "/v1/admin/tenants/<tenant>/members": (
        {"subject": "ada", "role": "reader"}, {"subject": "bo", "role": "reader"},
    ),
    "/v1/admin/tenants/<tenant>/keys/<key_id>/rotate": ({"overlap_seconds": 60}, {"overlap_seconds": 61}),
    "/v1/generations": ({}, None),
    "/v1/calibration/fit": ({"judge": "pair"}, {"judge": "bucket"}),
}  # fmt: skip
# What an import brings must not be here already, so it is repeated between two stores, in `test_transfer.py`.
ELSEWHERE = {"/v1/import"}
READS = "only reads"
STATE = "moves one thing that is there into a state; again it is there already, or is refused"
LATER = "takes away what fits; again there is nothing that fits"
# Every other POST, and why a repeat of it creates nothing.
NOT_CREATING = {
    "/v1/ask": READS, "/v1/compress": READS, "/v1/context": READS, "/v1/memory/search": READS,
    "/v3/documents/list": READS, "/v3/memories/list": READS, "/v3/search": READS, "/v4/memories/list": READS,
    "/v4/profile": READS, "/v4/profile/buckets": READS, "/v4/search": READS, "/v3/settings/suggest-buckets": READS,
    "/v1/calibration/<calibration_id>/revert": STATE, "/v1/conflicts/<conflict_id>/resolve": STATE,
    "/v1/decisions/<decision_id>/label": STATE, "/v1/deletions/<deletion_id>/restore": STATE,
    "/v1/generations/<whole:generation_id>/rollback": STATE, "/v1/generations/<whole:generation_id>/switch": STATE,
    "/v1/jobs/<job_id>/cancel": STATE, "/v1/jobs/<job_id>/retry": STATE,
    "/v1/memories/<memory_id>/restore": STATE, "/v1/memories/<memory_id>/undo": STATE, "/v1/memories/restore": STATE,
    "/v1/nodes/drain": STATE, "/v1/nodes/pause": STATE, "/v1/nodes/resume": STATE,
    "/v3/container-tags/<container_tag>/inferred/<memory_id>/review": STATE, "/v3/settings/reset": STATE,
    "/v3/memories/forget": STATE, "/v4/memories/forget-matching": LATER,
    **dict.fromkeys(
        ("/v3/connections/<connection>", "/v3/connections/<connection>/<action>", "/v3/connections/list",
         "/v3/connections/<connection>/configure"), "answers 501",
    ),
}  # fmt: skip
# Answered with a conflict here, because nothing is labelled and no vector is there; the repeat is answered the same.
REFUSED_HERE = {"/v1/generations", "/v1/calibration/fit"}
PATHS = {"<tenant>": "default"}
# Rows that are kept of a request as such.
OF_REQUESTS = ("idempotency", "control_idempotency", "key_use")


def post_rules():
    app = bare_app()
    for rule in app.url_map.iter_rules():
        if "POST" in (rule.methods or ()):
            yield rule.rule, operation_of(app.view_functions[rule.endpoint])


@pytest.fixture
def client(pipeline):
    # Members can be named only where somebody signs them in; nobody is asked to here.
    settings = replace(pipeline.host.settings, oidc_issuer="https://sign.example", oidc_audience="memlane")
    client = create_app(replace(pipeline.host, settings=settings)).test_client()
    for space in ("a", "b"):
        client.post("/v3/documents", json={"content": f"Of {space}.", "containerTag": space})
    pipeline.settle()
    return client


def test_every_post_takes_the_key_or_creates_nothing():
    told = {rule: bool(said and said.idempotent) for rule, said in post_rules()}
    assert {rule for rule, takes in told.items() if takes} == {*CREATING, *ELSEWHERE}
    assert {rule for rule, takes in told.items() if not takes} == set(NOT_CREATING)


def send(client, rule, body: Mapping, key):
    path = rule
    for part, value in PATHS.items():
        path = path.replace(part, value)
    if "<key_id>" in path:
        path = path.replace("<key_id>", client.get("/v1/admin/tenants/default/keys").get_json()["keys"][0]["id"])
    headers = {"Idempotency-Key": key}
    if "file" in body:
        held, name = body["file"]
        return client.post(path, data={"file": (BytesIO(held), name)}, headers=headers)
    return client.post(path, json=body, headers=headers)


def counts(host):
    """Count the rows of every table but those that are kept of a request as such."""
    found = {}
    for name, reading in (("tenant", host.store.read("default")), ("control", host.store.control_read())):
        with reading as db:
            tables = db.execute(
                "SELECT name FROM pragma_table_list"
                " WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite%'"
            ).fetchall()
            for (table,) in tables:
                if not any(table.startswith(one) for one in OF_REQUESTS):
                    found[f"{name}.{table}"] = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return found


def steady(answer):
    """Return an answer's JSON but for what is told only once, and for how far its job is by now."""
    told = answer.get_json()
    return {name: value for name, value in told.items() if name not in ("secret", "key", "warning", "status")}


@pytest.mark.parametrize("rule", sorted(CREATING))
def test_repeat_answers_the_same_and_adds_no_row(client, pipeline, rule):
    if "<key_id>" in rule:
        assert send(client, "/v1/admin/tenants/<tenant>/keys", {"label": "old"}, "made").status_code == 201
    body, _ = CREATING[rule]
    before = counts(pipeline.host)
    first = send(client, rule, body, "k-1")
    between = counts(pipeline.host)
    again = send(client, rule, body, "k-1")

    assert first.status_code < 300 or rule in REFUSED_HERE, first.get_data(as_text=True)
    assert again.status_code == first.status_code, again.get_data(as_text=True)
    assert steady(again) == steady(first)
    assert counts(pipeline.host) == between
    assert between != before or rule == "/v1/context/scratchpad"
    if rule == "/v1/context/scratchpad":
        assert len(again.get_json()["notes"]) == 1


@pytest.mark.parametrize("rule", sorted(rule for rule, (_, other) in CREATING.items() if other is not None))
def test_same_key_with_another_body_is_409_and_adds_no_row(client, pipeline, rule):
    if "<key_id>" in rule:
        assert send(client, "/v1/admin/tenants/<tenant>/keys", {"label": "old"}, "made").status_code == 201
    body, other = CREATING[rule]
    send(client, rule, body, "k-1")
    between = counts(pipeline.host)
    assert_refused(send(client, rule, other, "k-1"), 409, code="idempotency_mismatch")
    assert counts(pipeline.host) == between


@pytest.mark.parametrize("rule", sorted(CREATING))
def test_key_that_is_no_key_is_400(client, rule):
    if "<key_id>" in rule:
        assert send(client, "/v1/admin/tenants/<tenant>/keys", {"label": "old"}, "made").status_code == 201
    assert_refused(send(client, rule, CREATING[rule][0], "two words"), 400, field="Idempotency-Key")


def test_erasure_that_is_repeated_after_it_has_ended_answers_with_its_receipt(client, pipeline):
    made = client.post("/v3/documents", json={"content": "Crane 4.", "containerTag": "a"}).get_json()
    pipeline.settle()
    sent = {"kind": "document", "id": made["id"]}
    first = client.post("/v1/erasures", json=sent, headers={"Idempotency-Key": "k"}).get_json()
    pipeline.settle()
    client.post("/v3/documents", json={"content": "Later.", "containerTag": "new"})
    again = client.post("/v1/erasures", json=sent, headers={"Idempotency-Key": "k"})

    assert again.status_code in (200, 202), json.dumps(again.get_json())
    assert again.get_json()["id"] == first["id"]
    assert_refused(client.post("/v1/erasures", json=sent), 404)
