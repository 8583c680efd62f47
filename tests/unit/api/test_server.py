"""The server under more than it can do, over real sockets: it says so, keeps its threads, and holds nobody up."""

import select
import socket
import threading
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from api.app import create_app
from api.known_keys import KnownKeys
from api.turns import Turns
from services import keys
from tests.serving import Caller, assert_overloaded, serving, wait_until


@pytest.fixture
def slow(host):
    """An app with a route that is held until it is let go, and the number of those that are in it."""
    app = create_app(host)
    go, inside = threading.Event(), threading.Semaphore(0)

    def hold():
        inside.release()
        go.wait(20)
        return {"held": True}

    app.add_url_rule("/hold", view_func=hold)
    app.add_url_rule("/quick", view_func=lambda: {"quick": True})
    yield app, inside, go
    go.set()


def settings_of(host, **changed):
    return replace(host.settings, port=0, threads=1, streams=1, **changed)


def held(port, who=""):
    key = f"Authorization: Bearer {who}\r\n" if who else ""
    return Caller(port, f"GET /hold HTTP/1.1\r\nHost: localhost\r\n{key}\r\n")


def test_one_more_than_may_wait_is_refused_at_once_and_the_others_are_answered(host, slow):
    app, inside, go = slow
    with serving(app, settings_of(host, queue_requests=2, queue_seconds=60.0)) as port:
        running = [held(port) for _ in range(2)]
        for _ in running:
            assert inside.acquire(timeout=10)
        dispatched = [held(port) for _ in range(2)]
        time.sleep(0.2)  # until the loop has read them; that they wait is asserted by what comes
        began = time.monotonic()
        assert_overloaded(Caller(port).answer())
        assert time.monotonic() - began < 5
        go.set()
        assert [one.answer()[0] for one in (*running, *dispatched)] == [200] * 4


def test_who_has_waited_too_long_is_refused_although_every_thread_is_held(host, slow):
    app, inside, go = slow
    with serving(app, settings_of(host, queue_seconds=0.3)) as port:
        running = [held(port) for _ in range(2)]
        for _ in running:
            assert inside.acquire(timeout=10)
        for waiting in [Caller(port) for _ in range(10)]:
            assert_overloaded(waiting.answer())
        go.set()
        assert [one.answer()[0] for one in running] == [200, 200]
        assert Caller(port).answer()[0] == 200


def test_request_that_is_sent_too_slowly_is_408_and_holds_no_thread(host, slow):
    app, _, _ = slow
    with serving(app, settings_of(host, receive_seconds=0.3)) as port:
        trickling = Caller(port, "POST /v3/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
        for _ in range(5):
            time.sleep(0.1)
            try:
                trickling.socket.sendall(b"x")
            except OSError:
                break
        status, fields, body = trickling.answer()
        assert (status, body["code"], fields["connection"]) == (408, "too_slow", "close")
        assert Caller(port).answer()[0] == 200


def test_body_that_trickles_is_408_long_before_its_time_is_over(host, slow, monkeypatch):
    monkeypatch.setattr("api.server.HEAD_SECONDS", 0.3)
    app, _, _ = slow
    with serving(app, settings_of(host, receive_seconds=60)) as port:
        head = "POST /v3/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000\r\n\r\n"
        trickling, steady = Caller(port, head), Caller(port, head)
        began = time.monotonic()
        for _ in range(30):
            time.sleep(0.05)
            steady.socket.sendall(b"x" * 100)
            with suppress(OSError):
                trickling.socket.sendall(b"x")
        status, _, body = trickling.answer()
        assert (status, body["code"]) == (408, "too_slow")
        assert time.monotonic() - began < 30
        assert steady.answer()[0] == 415


def test_large_request_may_take_longer_at_the_same_pace(host, slow):
    app, _, _ = slow
    settings = settings_of(host, receive_seconds=0.3, max_body_bytes=1000)
    with serving(app, settings) as port:
        large = Caller(port, "POST /v3/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3500\r\n\r\n")
        for _ in range(7):
            time.sleep(0.1)
            large.socket.sendall(b"x" * 500)
        status, _, body = large.answer()
        assert (status, body["code"]) == (415, "unsupported_media")


def test_request_id_of_the_caller_comes_back_with_what_never_reached_the_app(host, slow):
    app, _, _ = slow
    with serving(app, settings_of(host)) as port:
        status, fields, _ = Caller(
            port, "POST /quick HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine-7\r\nTransfer-Encoding: gzip\r\n\r\n"
        ).answer()
        assert (status, fields["x-request-id"]) == (501, "mine-7")


def test_idle_connections_make_room_for_a_new_one(host, slow):
    app, _, _ = slow
    with serving(app, settings_of(host, connections=12)) as port:
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(30)]
        assert Caller(port).answer()[0] == 200
        for one in idle:
            one.close()


POST = "POST /v3/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = POST + "Transfer-Encoding: chunked\r\n"


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (CHUNKED + "Content-Length: 4\r\n\r\n0\r\n\r\nGET /quick HTTP/1.1\r\n\r\n", 400, "invalid"),
        (POST + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "invalid"),
        (CHUNKED + "\r\nffffffffffffffff\r\nx", 413, "too_large"),
        (CHUNKED + "\r\n" + "f" * 2000, 400, "invalid"),
        (CHUNKED + "\r\n-5\r\nx", 400, "invalid"),
        (POST + 'Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}', 415, "unsupported_media"),
    ],
)  # fmt: skip
def test_body_that_cannot_be_told_from_what_follows_is_refused_at_once_and_closed(host, slow, sent, status, code):
    app, _, _ = slow
    with serving(app, settings_of(host)) as port:
        caller = Caller(port, sent)
        began = time.monotonic()
        answered, fields, body = caller.answer()
        assert (answered, body["code"], fields["connection"]) == (status, code, "close")
        assert time.monotonic() - began < 5
        assert caller.socket.recv(1) == b""


@pytest.mark.parametrize("body", ['1b\r\n{"content": "A crane moves"\r\n1\r\n}\r\n0\r\n\r\n'])
def test_body_in_chunks_is_taken(host, slow, body):
    app, _, _ = slow
    with serving(app, settings_of(host)) as port:
        status, _, answer = Caller(port, CHUNKED + "Content-Encoding: identity\r\n\r\n" + body).answer()
        assert (status, answer.get("code")) == (202, None)


HALF = "GET /quick HTTP/1.1\r\nHost: local"


def test_half_heads_make_room_for_a_new_connection_the_oldest_first(host, slow):
    app, _, _ = slow
    with serving(app, settings_of(host, connections=12)) as port:
        halves = []
        for _ in range(30):
            halves.append(Caller(port, HALF))
            time.sleep(0.02)  # until the loop has read it
        began = time.monotonic()
        assert Caller(port).answer()[0] == 200
        assert time.monotonic() - began < 5
        status, fields, body = halves[0].answer()
        assert (status, body["code"], fields["connection"]) == (408, "too_slow", "close")
        halves[-1].socket.sendall(b"host\r\n\r\n")
        assert halves[-1].answer()[0] == 200


def test_unfinished_body_and_running_request_do_not_make_room(host, slow):
    app, inside, go = slow
    with serving(app, settings_of(host, connections=12)) as port:
        head = "POST /quick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
        sending, running = Caller(port, head), held(port)
        assert inside.acquire(timeout=10)
        for _ in range(30):
            Caller(port, HALF)
            time.sleep(0.02)  # until the loop has read it
        sending.socket.sendall(b"body")
        assert sending.answer()[0] == 405
        go.set()
        assert running.answer()[0] == 200


def test_head_that_nothing_more_comes_of_is_408_although_every_thread_is_held(host, slow):
    app, inside, _ = slow
    with serving(app, settings_of(host, receive_seconds=0.3)) as port:
        for one in [held(port) for _ in range(2)]:
            assert inside.acquire(timeout=10), one
        began = time.monotonic()
        status, _, body = Caller(port, HALF).answer()
        assert (status, body["code"]) == (408, "too_slow")
        assert 0.3 <= time.monotonic() - began < 5


def test_silent_bodies_give_way_when_nobody_else_can_connect(host, slow):
    app, _, _ = slow
    with serving(app, settings_of(host, connections=12, receive_seconds=0.5)) as port:
        head = "POST /quick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
        silent = []
        for _ in range(12):
            silent.append(Caller(port, head))
            time.sleep(0.02)  # until the loop has read it
        assert Caller(port).answer()[0] == 200
        ended, _, _ = select.select([one.socket for one in silent], [], [], 5)
        assert ended
        assert {one.answer()[0] for one in silent if one.socket in ended} == {408}


def test_caller_that_has_said_all_it_will_say_is_answered(host, slow):
    app, _, _ = slow
    with serving(app, settings_of(host)) as port:
        one = Caller(port)
        one.socket.shutdown(socket.SHUT_WR)
        assert one.answer()[0] == 200


def test_caller_that_leaves_a_stream_gives_its_thread_back(host, client):
    job = client.post("/v3/documents", json={"content": "a"}).get_json()["jobId"]
    app = create_app(host)
    places = app.extensions["memlane.streams"]
    with serving(app, replace(host.settings, port=0, threads=1, streams=1)) as port:
        listening = Caller(port, f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
        assert b"text/event-stream" in listening._until(b"\r\n\r\n")
        wait_until(lambda: places.count == 1)
        listening.close()
        wait_until(lambda: places.count == 0)


class Waiting:
    def __init__(self, who, number):
        self.who, self.number = who, number

    def caller(self):
        return self.who


def test_callers_take_turns_and_each_keeps_its_order():
    turns = Turns()
    for number in range(100):
        turns.append(Waiting("flood", number))
    for number in range(2):
        turns.append(Waiting("other", number))
    order = [turns.popleft() for _ in range(len(turns))]

    assert [(one.who, one.number) for one in order[:4]] == [("flood", 0), ("other", 0), ("flood", 1), ("other", 1)]
    assert [one.number for one in order if one.who == "flood"] == list(range(100))
    assert len(turns) == 0


def test_one_too_many_is_the_last_of_the_caller_with_the_most():
    turns = Turns()
    for number in range(5):
        turns.append(Waiting("flood", number))
    turns.append(Waiting("other", 0))
    gone = turns.crowding()
    assert (gone.who, gone.number, len(turns)) == ("flood", 4, 5)
    assert "other" in {turns.popleft().who for _ in range(2)}


def test_keys_that_were_valid_are_callers_of_their_own_and_guesses_are_one():
    known = KnownKeys(most=2)
    for key in ("Bearer a", "Bearer b"):
        known.add(key)
    names = [known.name(key) for key in ("Bearer a", "Bearer b", "Bearer guess", "Bearer other guess", "")]
    assert len(set(names[:2])) == 2
    assert names[2:] == ["", "", ""]
    assert "a" not in names[0].split()
    known.add("Bearer c")
    assert known.name("Bearer a") == ""
    assert known.name("Bearer c") != ""


def test_flood_of_strangers_refuses_strangers_and_no_key(host, slow):
    app, inside, go = slow
    secret = keys.create(host, label="k").secret
    with serving(app, settings_of(host, queue_requests=5, queue_seconds=60.0)) as port:
        text = "GET /v1/stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n"
        assert Caller(port, text.format(secret)).answer()[0] == 200
        for one in [held(port) for _ in range(2)]:
            assert inside.acquire(timeout=10), one
        flood = [Caller(port, text.format(f"guess-{number}")) for number in range(20)]
        refused = [one.answer()[0] for one in flood[5:]]
        mine = Caller(port, text.format(secret))
        time.sleep(0.2)  # until the loop has read it; that it waits is asserted by what comes
        go.set()
        assert set(refused) == {503}
        assert mine.answer()[0] == 200
        assert sorted(one.answer()[0] for one in flood[:5]) in ([401] * 4 + [503], [401] * 5)


def test_overdue_are_taken_out_and_the_others_stay():
    now = [0.0]
    turns = Turns(lambda: now[0])
    turns.append(Waiting("a", 0))
    now[0] = 5.0
    turns.append(Waiting("a", 1))
    turns.append(Waiting("b", 2))
    now[0] = 10.0
    assert [one.number for one in turns.overdue(10.0)] == [0]
    assert [turns.popleft().number for _ in range(2)] == [1, 2]
    assert (len(turns), turns.overdue(0.0)) == (0, [])
