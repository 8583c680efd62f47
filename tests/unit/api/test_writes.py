"""Writers behind a lock, over real sockets: they wait without a thread, and nobody waits for them."""

import inspect
import json
import re
import select
import sqlite3
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

from api.app import create_app
from api.context import LIMITS
from api.limits import Limits
from api.turns import Lines
from api.writes import PLACELESS, teller
from store.connection import Store
from tests.serving import Caller, assert_overloaded, serving, wait_until

ADD = {"content": "A crane moves a pipe.", "containerTag": "yard"}


def adding(port, body=ADD, key=""):
    sent = json.dumps(body)
    text = f"POST /v3/documents HTTP/1.1\r\nHost: localhost:{port}\r\n{key}Content-Type: application/json\r\n"
    return Caller(port, f"{text}Content-Length: {len(sent)}\r\n\r\n{sent}")


def read_seconds(port):
    began = time.monotonic()
    reading = Caller(port, f"GET /v3/documents HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")
    assert reading.answer()[0] == 200
    return time.monotonic() - began


@contextmanager
def locked(host):
    """The store, held by a transaction of somebody else."""
    outside = sqlite3.connect(host.store.path("default"), isolation_level=None)
    outside.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        outside.execute("ROLLBACK")
        outside.close()


@pytest.fixture
def made(host, tmp_path):
    """Make an app with so many threads, whose store waits for a lock as a served one does, and serve it."""
    store = Store(tmp_path, clock=host.clock, writers=32, busy_seconds=15.0)

    @contextmanager
    def serve(threads, **changed):
        settings = replace(host.settings, port=0, threads=threads, streams=1, **changed)
        app = create_app(replace(host, store=store, settings=settings))
        with serving(app, settings) as port:
            yield port, app.extensions[LIMITS]

    yield serve
    store.close()


def test_burst_of_writes_waits_out_a_lock_and_reads_pass_it(host, made):
    with made(8) as (port, limits):
        with locked(host):
            writes = [adding(port) for _ in range(60)]
            reads = sorted(read_seconds(port) for _ in range(20))
            assert limits.free == 0
        # More than threads wait; behind the lock they would have held up every read.
        assert reads[10] < 0.2
        assert [one.answer()[0] for one in writes] == [202] * 60
        assert limits.free == 4


def test_writes_behind_a_lock_that_stays_are_refused_in_their_time_and_reads_pass_them(host, made):
    with made(2, queue_seconds=0.5) as (port, limits):
        with locked(host):
            first = adding(port)
            wait_until(lambda: limits.free == 0)
            others = [adding(port) for _ in range(10)]
            assert read_seconds(port) < 5
            for one in others:
                assert_overloaded(one.answer())
        assert first.answer()[0] == 202


def test_one_too_many_is_a_write_that_waits_for_its_place_and_no_read(host, made):
    with made(2, queue_requests=5, queue_seconds=60.0) as (port, limits):
        with locked(host):
            first = adding(port)
            wait_until(lambda: limits.free == 0)
            others = [adding(port) for _ in range(8)]
            refused, _, _ = select.select([one.socket for one in others], [], [], 5)
            for one in [one for one in others if one.socket in refused]:
                assert_overloaded(one.answer())
            assert [read_seconds(port) < 5 for _ in range(5)] == [True] * 5
        assert 1 <= len(refused) <= 3
        answers = [first.answer()[0], *(one.answer()[0] for one in others if one.socket not in refused)]
        # The first read came as one too many, and a write made room for it.
        assert answers.count(202) >= 5


def test_request_that_is_refused_before_it_writes_gives_its_place_back(host, made):
    with made(2) as (port, limits):
        for _ in range(5):
            assert adding(port, {"content": 7}).answer()[0] == 400
            assert adding(port, key="Authorization: Bearer mlk_wrong\r\n").answer()[0] == 401
            assert adding(port, key="X-Forwarded-For: 10.0.0.9\r\n").answer()[0] == 401
        assert adding(port).answer()[0] == 202
        assert limits.free == 1


def test_who_waits_for_a_job_holds_no_place_to_write(host, made):
    with made(4, wait_seconds=2.0) as (port, limits):
        waiting = adding(port, {**ADD, "wait": True})
        assert [adding(port).answer()[0] for _ in range(3)] == [202] * 3
        assert limits.free == 2
        assert waiting.answer()[0] == 202


def test_every_route_that_asks_for_a_place_is_known_to_write(app):
    tells = teller(app)
    found = {}
    for rule in app.url_map.iter_rules():
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            asks = "limits().writing()" in inspect.getsource(app.view_functions[rule.endpoint])
            asks = asks or rule.endpoint == "erasures.erase"  # by a function of its own
            assert tells(method, f"{re.sub('<[^>]+>', '1', rule.rule)}?a=b") == asks, rule
            found[rule.endpoint] = asks

    assert {*found, *(one.partition(".")[0] for one in found)} >= PLACELESS
    assert sum(found.values()) > 30
    assert tells("POST", "/v3/documents")
    assert tells("POST", "http://localhost/v3/documents")
    assert tells("DELETE", "/v3/documents/a%2Fb")
    assert not tells("POST", "/v4/search")
    assert not tells("POST", "/nowhere")
    assert not tells("PUT", "/v4/search")


class Waiting:
    def __init__(self, number, *, writing=False):
        self.number, self.writing = number, writing

    def caller(self):
        return "a"

    def writes(self):
        return self.writing


def test_reads_pass_writes_that_have_no_place_and_the_two_lines_take_turns_when_they_have():
    limits = Limits(2)
    lines = Lines(limits)
    for number in range(3):
        lines.append(Waiting(number, writing=True))
    for number in range(3):
        lines.append(Waiting(number))
    assert (len(lines), lines.waiting) == (4, 6)
    order = [lines.popleft() for _ in range(2)]
    assert [one.writing for one in order] == [False, True]
    assert (len(lines), lines.waiting) == (2, 4)
    assert [lines.popleft().writing for _ in range(2)] == [False, False]
    assert (len(lines), lines.waiting) == (0, 2)
    limits.rest()
    assert len(lines) == 1


def test_one_that_another_took_the_place_of_goes_all_the_same():
    limits = Limits(2)
    lines = Lines(limits)
    lines.append(Waiting(0, writing=True))
    assert len(lines) == 1
    limits.give()
    assert lines.popleft().number == 0
