import threading
import time

import pytest

from api.limits import Limits
from memory.errors import Busy
from services import jobs
from tests.shape import assert_refused

THREADS = 8


def hold(limits, count):
    """Take places that are given back when the returned event is set."""
    release, held = threading.Event(), threading.Barrier(count + 1)

    def one():
        with limits.writing():
            held.wait(5)
            release.wait(5)

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    held.wait(5)
    return release, threads


def test_half_of_the_threads_write_and_one_more_is_busy_when_its_place_does_not_come():
    limits = Limits(THREADS, stuck_seconds=0.05, patient_seconds=0.05)
    release, threads = hold(limits, THREADS // 2)

    with pytest.raises(Busy), limits.writing():
        pass

    release.set()
    for thread in threads:
        thread.join(5)
    with limits.writing():
        pass


def test_once_the_writers_are_stuck_others_are_refused_without_waiting():
    limits = Limits(2, stuck_seconds=0.3)
    release, threads = hold(limits, 1)
    with pytest.raises(Busy), limits.writing():
        pass

    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(Busy), limits.writing():
            pass
    took = time.monotonic() - began

    release.set()
    threads[0].join(5)
    assert took < 20 * 0.3 / 2
    with limits.writing():
        pass


def test_a_quarter_of_the_threads_waits_for_its_place_while_others_are_refused():
    limits, written = Limits(4, stuck_seconds=0.05, patient_seconds=10.0), []
    release, threads = hold(limits, 2)

    def write():
        with limits.writing():
            written.append(1)

    patient = threading.Thread(target=write)
    patient.start()
    deadline = time.monotonic() + 5
    while not limits._seated:
        assert time.monotonic() < deadline
    with pytest.raises(Busy), limits.writing():
        pass

    assert written == []
    release.set()
    for thread in (*threads, patient):
        thread.join(5)
    assert written == [1]


def test_burst_of_quick_writes_is_not_refused():
    limits, done = Limits(THREADS), []

    def write():
        for _ in range(50):
            with limits.writing():
                done.append(1)

    threads = [threading.Thread(target=write) for _ in range(4 * THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert len(done) == 4 * THREADS * 50


def test_a_quarter_waits_and_one_more_does_not():
    limits = Limits(THREADS)

    with limits.waiting() as first, limits.waiting() as second, limits.waiting() as third:
        assert (first, second, third) == (True, True, False)
    with limits.waiting() as again:
        assert again


def test_place_is_given_back_when_the_write_fails():
    limits = Limits(2)
    for _ in range(3):
        with pytest.raises(ValueError, match="bad"), limits.writing():
            raise ValueError("bad")


def test_route_without_a_place_is_503_and_reads_go_on(app, client):
    limits = app.extensions["memlane.limits"] = Limits(THREADS, stuck_seconds=0.05, patient_seconds=0.05)
    release, threads = hold(limits, THREADS // 2)

    refused = client.post("/v3/documents", json={"content": "a"})
    read = client.get("/v3/documents")

    release.set()
    for thread in threads:
        thread.join(5)
    assert_refused(refused, 503, code="busy")
    assert refused.headers["Retry-After"]
    assert read.get_json()["pagination"]["totalItems"] == 0


def test_wait_answers_202_when_the_job_has_not_ended(client):
    answer = client.post("/v3/documents", json={"content": "a", "wait": True})

    assert answer.status_code == 202
    assert answer.get_json()["status"] == "queued"


def test_wait_without_a_place_answers_202_at_once(app, client, host):
    limits = app.extensions["memlane.limits"]
    with limits.waiting(), limits.waiting():
        answer = client.post("/v3/documents", json={"content": "a", "wait": True})

    assert answer.status_code == 202
    assert len(jobs.listing(scope_of(), host, limit=10).rows) == 1


def test_wait_answers_200_with_the_end_of_the_job(client, host):
    made = client.post("/v3/documents", json={"content": "a", "customId": "x"}).get_json()
    client.post(f"/v1/jobs/{made['jobId']}/cancel")

    answer = client.post("/v3/documents", json={"content": "a", "customId": "x", "wait": True})

    assert answer.status_code in (200, 202)
    assert answer.get_json()["id"] == made["id"]


def scope_of():
    from memory.records import Scope

    return Scope(tenant="default")
