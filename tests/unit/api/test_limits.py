import threading

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
    limits = Limits(THREADS, patient_seconds=0.05)
    release, threads = hold(limits, THREADS // 2)

    with pytest.raises(Busy), limits.writing():
        pass

    release.set()
    for thread in threads:
        thread.join(5)
    with limits.writing():
        pass


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
    assert limits.free == THREADS // 2


def test_place_that_was_given_is_the_one_a_write_holds_and_is_free_after_it():
    limits, told = Limits(4), []
    limits.when_free(lambda: told.append(limits.free))
    limits.give()
    assert limits.free == 1
    with limits.writing():
        assert limits.free == 1
    limits.rest()
    assert told == [2]


def test_place_that_was_given_and_not_used_comes_back_with_the_end_or_with_a_wait():
    limits, told = Limits(4), []
    limits.when_free(lambda: told.append(limits.free))
    limits.give()
    limits.rest()
    limits.give()
    with limits.waiting():
        assert limits.free == 2
    assert told == [2, 2]


def test_place_that_another_thread_was_given_is_not_ours():
    limits = Limits(2, patient_seconds=0.05)
    other = threading.Thread(target=limits.give)
    other.start()
    other.join(5)
    with pytest.raises(Busy), limits.writing():
        pass


def test_a_quarter_waits_and_one_more_does_not():
    limits = Limits(THREADS)

    with limits.waiting() as first, limits.waiting() as second, limits.waiting() as third:
        assert (first, second, third) == (True, True, False)
    with limits.waiting() as again:
        assert again


def test_what_lasts_is_busy_when_a_quarter_of_the_threads_waits():
    limits = Limits(THREADS)

    with limits.lasting(), limits.waiting(), pytest.raises(Busy), limits.lasting():
        pass
    with limits.lasting():
        pass


def test_place_is_given_back_when_the_write_fails():
    limits = Limits(2)
    for _ in range(3):
        with pytest.raises(ValueError, match="bad"), limits.writing():
            raise ValueError("bad")


def test_route_without_a_place_is_503_and_reads_go_on(app, client):
    limits = app.extensions["memlane.limits"] = Limits(THREADS, patient_seconds=0.05)
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
