"""A key may ask so often, and is told how often; one that asks too often costs nothing and does nothing."""

from dataclasses import replace

import pytest

from api.app import create_app
from api.rates import Rate, Rates
from services import keys
from tests.shape import assert_refused

SLOW = Rate(name="key", per_second=2.0, burst=3)


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_burst_is_taken_and_then_the_steady_rate():
    clock = Clock()
    rates = Rates(clock)
    assert [rates.take("a", SLOW).refused for _ in range(4)] == [False, False, False, True]

    refused = rates.take("a", SLOW)
    assert refused.wait == pytest.approx(0.5)
    clock.now += 0.49
    assert rates.take("a", SLOW).refused
    clock.now += 0.02
    assert not rates.take("a", SLOW).refused
    assert rates.take("a", SLOW).refused


def test_refused_requests_take_nothing_so_that_waiting_as_told_helps():
    clock = Clock()
    rates = Rates(clock)
    for _ in range(100):
        left = rates.take("a", SLOW)
    clock.now += left.wait
    assert not rates.take("a", SLOW).refused


def test_rest_fills_no_more_than_the_burst():
    clock = Clock()
    rates = Rates(clock)
    rates.take("a", SLOW)
    clock.now += 3600
    assert [rates.take("a", SLOW).refused for _ in range(4)] == [False, False, False, True]


def test_one_caller_takes_nothing_from_another():
    rates = Rates(Clock())
    for _ in range(10):
        rates.take("a", SLOW)
    assert not rates.take("b", SLOW).refused


def test_buckets_are_bounded_and_those_in_use_stay():
    clock = Clock()
    rates = Rates(clock, most=10)
    for _ in range(3):
        rates.take("busy", SLOW)
    for number in range(9):
        rates.take(f"idle {number}", SLOW)
    clock.now += 0.5
    rates.take("busy", SLOW)  # what it has got back meanwhile
    for number in range(200):
        clock.now += 0.001
        rates.take(f"new {number}", SLOW)
        rates.take("busy", SLOW)
    assert len(rates._buckets) <= 11
    assert rates.take("busy", SLOW).refused


@pytest.fixture
def limited(host):
    """An app that other machines reach, where a key may send 3 requests at once."""
    settings = replace(host.settings, host="0.0.0.0", key_rate=0.5, key_burst=3, stranger_rate=0.5, stranger_burst=2)
    return create_app(replace(host, settings=settings)).test_client()


def bearer(host, **wanted):
    return {"Authorization": f"Bearer {keys.create(host, label='k', **wanted).secret}"}


def test_key_over_its_rate_is_429_and_another_goes_on(host, limited):
    one, two = bearer(host), bearer(host)
    answers = [limited.get("/v1/stats", headers=one) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    body = assert_refused(answers[3], 429, code="rate_limited")
    assert 0 < body["details"]["retry_after"] <= 2
    assert answers[3].headers["Retry-After"] == "2"
    assert answers[0].headers["RateLimit-Policy"] == '"key";q=3;w=6'
    assert answers[0].headers["RateLimit"] == '"key";r=2;t=2'
    assert answers[3].headers["RateLimit"] == '"key";r=0;t=6'
    assert limited.get("/v1/stats", headers=two).status_code == 200


def test_refused_write_does_nothing(host, limited):
    one = bearer(host)
    codes = [limited.post("/v3/documents", json={"content": f"n {n}"}, headers=one).status_code for n in range(5)]
    assert codes == [202, 202, 202, 429, 429]
    seen = limited.post("/v3/documents/list", json={}, headers=bearer(host)).get_json()
    assert seen["pagination"]["totalItems"] == 3


def test_guessing_keys_is_429_and_a_valid_key_of_the_same_address_is_not(host, limited):
    bad = {"Authorization": "Bearer mlk_guess"}
    assert [limited.get("/v1/stats", headers=bad).status_code for _ in range(4)] == [401, 401, 429, 429]
    assert limited.get("/v1/stats", headers=bearer(host)).status_code == 200
    assert limited.get("/v1/health", headers=bad).status_code == 200


def test_person_at_this_machine_has_a_rate_of_its_own(client, host):
    answer = client.get("/v1/stats")
    assert answer.headers["RateLimit-Policy"] == '"local";q=2000;w=2'
    off = create_app(replace(host, settings=replace(host.settings, local_rate=0.0))).test_client()
    assert "RateLimit" not in off.get("/v1/stats").headers
