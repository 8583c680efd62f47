"""Streams of events: what they tell, when they end, and that they take no more than their places."""

import json
from dataclasses import replace

import pytest

from api import events
from api.app import create_app
from memory.records import Actor, Scope
from services import jobs, keys
from store import ledger as ledger_rows
from tests.shape import assert_refused

SCOPE = Scope(tenant="default", spaces=("default",))
WATCHED = {"Accept": "text/event-stream"}


def told(text):
    """Return the events of a stream: name, data and id."""
    found = []
    for part in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.splitlines() if line and not line.startswith(":"))
        if "event" in fields:
            found.append((fields["event"], json.loads(fields["data"]), fields.get("id")))
    return found


@pytest.fixture
def job(client):
    return client.post("/v3/documents", json={"content": "a"}).get_json()["jobId"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Look often, and hold nothing up."""
    monkeypatch.setattr("services.progress.LOOK_SECONDS", 0.01)


def cancel(host, job):
    jobs.cancel(SCOPE, host, Actor(kind="person", id="local"), job)


def test_stream_of_an_ended_job_is_its_state_and_the_end(client, host, job):
    cancel(host, job)
    answer = client.get(f"/v1/jobs/{job}/events")

    assert answer.mimetype == "text/event-stream"
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert answer.headers["Cache-Control"] == "no-store"
    names, data, ids = zip(*told(answer.get_data(as_text=True)), strict=True)
    assert names == ("job", "end")
    assert data[0] == client.get(f"/v1/jobs/{job}").get_json()
    assert data[1] == {"state": "cancelled"}
    assert ids[0]


def test_changes_are_told_as_they_come_and_the_stream_ends_with_the_job(client, host, job):
    stream = iter(client.get(f"/v1/jobs/{job}/events", buffered=False).response)
    seen = [next(stream), next(stream)]
    with host.store.write("default") as tx:
        ledger_rows.finish_job(tx, job, state="done", reason=None, warning=None, at=host.clock())
    seen += list(stream)

    found = told("".join(part.decode() for part in seen))
    assert [(name, one["state"]) for name, one, _ in found] == [("job", "running"), ("job", "done"), ("end", "done")]


def test_who_comes_back_is_told_only_what_it_has_missed(client, host, job):
    stream = client.get(f"/v1/jobs/{job}/events", buffered=False)
    parts = iter(stream.response)
    next(parts)
    ((_, _, known),) = told(next(parts).decode())
    stream.close()
    cancel(host, job)

    back = client.get(f"/v1/jobs/{job}/events", headers={"Last-Event-ID": known})
    names = [name for name, _, _ in told(back.get_data(as_text=True))]
    assert names == ["job", "end"]
    last = told(back.get_data(as_text=True))[0][2]
    again = client.get(f"/v1/jobs/{job}/events", headers={"Last-Event-ID": last})
    assert (again.status_code, again.data) == (204, b"")


def test_stream_ends_after_its_time_although_the_job_goes_on(host, job):
    short = create_app(replace(host, settings=replace(host.settings, stream_seconds=0.05))).test_client()
    found = told(short.get(f"/v1/jobs/{job}/events").get_data(as_text=True))
    assert [name for name, _, _ in found] == ["job"]


def test_silence_is_broken_by_comments(host, job, monkeypatch):
    monkeypatch.setattr(events, "BEAT_SECONDS", 0.03)
    short = create_app(replace(host, settings=replace(host.settings, stream_seconds=0.2))).test_client()
    text = short.get(f"/v1/jobs/{job}/events").get_data(as_text=True)
    assert text.count(": still here\n\n") >= 2
    assert len(told(text)) == 1


def test_revoked_key_hears_no_more(host, job, monkeypatch):
    monkeypatch.setattr(events, "BEAT_SECONDS", 0.03)
    public = create_app(replace(host, settings=replace(host.settings, host="0.0.0.0"))).test_client()
    made = keys.create(host, label="k")
    sent = {"Authorization": f"Bearer {made.secret}"}
    stream = iter(public.get(f"/v1/jobs/{job}/events", headers=sent, buffered=False).response)
    seen = [next(stream), next(stream)]
    keys.revoke(host, made.key.id)
    seen += list(stream)
    name, data, _ = told("".join(part.decode() for part in seen))[-1]
    assert (name, data["code"]) == ("error", "unauthenticated")


def test_job_that_is_not_there_or_not_yours_is_404(client, host, job):
    public = create_app(replace(host, settings=replace(host.settings, host="0.0.0.0"))).test_client()
    theirs = {"Authorization": f"Bearer {keys.create(host, label='k', tenant='other').secret}"}
    unknown = assert_refused(client.get("/v1/jobs/job_none/events"), 404)
    hidden = assert_refused(public.get(f"/v1/jobs/{job}/events", headers=theirs), 404)
    assert hidden["code"] == unknown["code"]


def test_streams_have_their_places_and_give_them_back(host, job):
    app = create_app(replace(host, settings=replace(host.settings, streams=2)))
    places, client = app.extensions["memlane.streams"], app.test_client()
    open_ones = client.get(f"/v1/jobs/{job}/events", buffered=False)
    refused = client.get(f"/v1/jobs/{job}/events")

    assert_refused(refused, 503, code="busy")
    assert refused.headers["Retry-After"]
    assert places.count == 1
    open_ones.close()
    assert places.count == 0
    never_begun = client.head(f"/v1/jobs/{job}/events")
    never_begun.close()
    assert places.count == 0


def test_another_tenant_finds_a_place_beside_one_that_has_all_it_may_with_any_key(host, job):
    public = create_app(replace(host, settings=replace(host.settings, host="0.0.0.0", streams=2))).test_client()
    made = [keys.create(host, label="k", tenant=tenant) for tenant in ("default", "default", "other")]
    one, same, other = ({"Authorization": f"Bearer {key.secret}"} for key in made)
    theirs = public.post("/v3/documents", json={"content": "a"}, headers=other).get_json()["jobId"]
    held = [public.get(f"/v1/jobs/{job}/events", headers=one, buffered=False)]
    assert_refused(public.get(f"/v1/jobs/{job}/events", headers=same), 503, code="busy")
    held.append(public.get(f"/v1/jobs/{theirs}/events", headers=other, buffered=False))
    assert [answer.status_code for answer in held] == [200, 200]
    for answer in held:
        answer.close()


def test_one_key_leaves_a_place_of_its_tenant_to_the_others(host, job):
    public = create_app(replace(host, settings=replace(host.settings, host="0.0.0.0", streams=8))).test_client()
    greedy, other = ({"Authorization": f"Bearer {keys.create(host, label='k').secret}"} for _ in range(2))
    held = [public.get(f"/v1/jobs/{job}/events", headers=greedy, buffered=False) for _ in range(3)]
    refused = public.get(f"/v1/jobs/{job}/events", headers=greedy)
    assert "key" in assert_refused(refused, 503, code="busy")["error"]
    held.append(public.get(f"/v1/jobs/{job}/events", headers=other, buffered=False))
    assert "tenant" in assert_refused(public.get(f"/v1/jobs/{job}/events", headers=other), 503)["error"]
    held.pop(0).close()
    held.append(public.get(f"/v1/jobs/{job}/events", headers=greedy, buffered=False))
    assert [answer.status_code for answer in held] == [200] * 4
    for answer in held:
        answer.close()
    assert public.application.extensions["memlane.streams"].count == 0


def test_who_sits_at_this_machine_has_what_the_tenant_has(host, job):
    client = create_app(replace(host, settings=replace(host.settings, streams=8))).test_client()
    held = [client.get(f"/v1/jobs/{job}/events", buffered=False) for _ in range(4)]
    assert [answer.status_code for answer in held] == [200] * 4
    assert_refused(client.get(f"/v1/jobs/{job}/events"), 503, code="busy")
    for answer in held:
        answer.close()


def test_stream_ends_when_the_server_does(host, job):
    app = create_app(host)
    stream = iter(app.test_client().get(f"/v1/jobs/{job}/events", buffered=False).response)
    next(stream)
    app.extensions["memlane.streams"].end()
    assert list(stream) == []


def test_answer_without_evidence_is_one_event(client):
    answer = client.post("/v1/ask", json={"q": "crane"}, headers=WATCHED)
    ((name, data, _),) = told(answer.get_data(as_text=True))
    plain = client.post("/v1/ask", json={"q": "crane"}).get_json()
    assert (name, data) == ("answer", plain)


def test_wrong_question_is_refused_with_a_status(client):
    assert_refused(client.post("/v1/ask", json={"q": "x", "nonsense": 1}, headers=WATCHED), 400, field="nonsense")


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/json, text/event-stream;q=0.5", None])
def test_who_does_not_ask_for_events_gets_json(client, accept):
    headers = {} if accept is None else {"Accept": accept}
    assert client.post("/v1/ask", json={"q": "crane"}, headers=headers).mimetype == "application/json"


def test_failure_within_a_stream_is_an_event_and_shows_nothing(client, host, job, monkeypatch):
    def broken(*_args, **_kw):
        yield None
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr("services.progress.watch", broken)
    text = client.get(f"/v1/jobs/{job}/events").get_data(as_text=True)
    ((name, data, _),) = told(text)
    assert (name, data["code"]) == ("error", "internal")
    assert "secret" not in text
