"""Requests on a real stack: their id goes with the work they cause, streams follow it, and repeats do nothing."""

import json
import threading

import requests

from memlane.http import Client
from memory.settings import Settings
from ops.launched import wait_until

# The processes that say something of a document that goes well, by the names in front of their lines. A node says
# nothing then; that the reconcile worker names the request of its items shows that the node has passed it on.
THROUGH = {"api", "host", "reconcile"}


def named(stack, request_id):
    """Return the lines of the stack's log that name a request, by the process that wrote them."""
    found = {}
    for line in stack.log.read_text(errors="replace").splitlines():
        if f"request={request_id} " in line:
            found.setdefault(line.partition("|")[0].strip().partition("@")[0], []).append(line)
    return found


def told(text):
    events = [dict(line.split(": ", 1) for line in part.splitlines() if ": " in line) for part in text.split("\n\n")]
    return [(one["event"], json.loads(one["data"])) for one in events if "event" in one]


def add(stack, space, number, **sent):
    headers = {"X-Request-Id": f"mine-{space[:30]}-{number}", **sent.pop("headers", {})}
    body = {"content": f"# Crane {number}\n\nAna checks crane {number} on Mondays.", "containerTag": space, **sent}
    return requests.post(f"{stack.url}/v3/documents", json=body, headers=headers, timeout=60), headers["X-Request-Id"]


def test_lines_of_every_process_name_the_request_that_caused_them(stack, space):
    answers = [add(stack, space, number) for number in range(3)]
    for made, _ in answers:
        requests.get(f"{stack.url}/v1/jobs/{made.json()['jobId']}/events", timeout=60)
    for made, request_id in answers:
        lines = named(stack, request_id)
        assert set(lines) >= THROUGH, (request_id, lines)
        jobs = {word for of in lines.values() for line in of for word in line.split() if word.startswith("job=")}
        assert jobs == {f"job={made.json()['jobId']}"}


def test_stream_follows_a_job_to_its_end(stack, space):
    made, _ = add(stack, space, 1)
    job = made.json()["jobId"]
    answer = requests.get(f"{stack.url}/v1/jobs/{job}/events", timeout=60)

    events = told(answer.text)
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert events[-1] == ("end", {"state": "done"})
    assert events[-2][1] == requests.get(f"{stack.url}/v1/jobs/{job}", timeout=60).json()
    assert len(events) >= 2


def test_answer_comes_after_its_evidence(stack, space):
    add(stack, space, 7, wait=True)
    sent = {"q": "Who checks crane 7?", "container_tag": space}
    plain = requests.post(f"{stack.url}/v1/ask", json=sent, timeout=60).json()
    stream = requests.post(f"{stack.url}/v1/ask", json=sent, headers={"Accept": "text/event-stream"}, timeout=60)

    (first, evidence), (second, answer) = told(stream.text)
    assert (first, second) == ("evidence", "answer")
    assert evidence["citations"] == answer["citations"] == plain["citations"]
    assert answer["answer"] == plain["answer"]
    assert evidence["answer"] == ""


def test_repeats_of_one_upload_at_once_make_one_document(stack, space):
    answers = []

    def send():
        answers.append(add(stack, space, 1, headers={"Idempotency-Key": f"{space}-k"})[0])

    threads = [threading.Thread(target=send) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["id"] for answer in answers}) == 1
    listed = requests.post(f"{stack.url}/v3/documents/list", json={"containerTags": [space]}, timeout=60).json()
    assert listed["pagination"]["totalItems"] == 1


def test_client_follows_a_job_by_its_stream(stack, space):
    made, _ = add(stack, space, 3)
    with Client(stack.url) as client:
        seen = list(client.watch_job(made.json()["jobId"], space=space))
    assert seen[-1]["state"] == "done"
    assert len({json.dumps(one) for one in seen}) == len(seen)


def test_open_streams_leave_the_threads_to_others_and_end_with_their_job(stack, space):
    stack.post("/v1/nodes/pause", nodes=["local"], seconds=120)
    try:
        wait_until(lambda: stack.get("/v1/nodes")["nodes"][0]["state"] == "paused", seconds=30, what="it takes no work")
        made, _ = add(stack, space, 1)
        address = f"{stack.url}/v1/jobs/{made.json()['jobId']}/events"
        # Half of the places are one caller's.
        open_ones = [requests.get(address, stream=True, timeout=60) for _ in range(Settings().streams // 2)]
        refused = requests.get(address, timeout=60)
        reads = [requests.get(f"{stack.url}/v1/jobs?limit=1", timeout=10).status_code for _ in range(50)]
    finally:
        stack.post("/v1/nodes/resume", nodes=["local"])

    assert refused.status_code == 503
    assert refused.json()["code"] == "busy"
    assert refused.headers["Retry-After"]
    assert reads == [200] * 50
    for one in open_ones:
        events = told(one.text)
        assert [name for name, _ in events[:1]] == ["job"]
        assert events[0][1]["state"] in ("queued", "running")
        assert events[-1] == ("end", {"state": "done"})
