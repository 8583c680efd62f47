"""One request and its answer over a real socket; what the other side sends is the test's."""

import gzip
import socket
import threading
import time
import zlib

import pytest

from memory.errors import FetchFailed
from services.fetching.exchange import exchange
from services.fetching.records import Deadline, Limits
from services.fetching.targets import read

PAGE = read("http://example.org:8080/a?b")
SMALL = Limits(body_bytes=10_000, header_bytes=4_000, seconds=30.0)
OK = b"HTTP/1.1 200 OK\r\n"


def answered(*parts, limits=SMALL, pause=0.0):
    """Return what an exchange makes of an answer, and what was sent for it."""
    ours, theirs = socket.socketpair()
    asked = bytearray()

    def serve():
        asked.extend(theirs.recv(65536))
        try:
            for part in parts:
                theirs.sendall(part)
                time.sleep(pause)
        except OSError:
            pass
        finally:
            theirs.close()

    server = threading.Thread(target=serve)
    server.start()
    try:
        return exchange(PAGE, ours, limits, Deadline(limits.seconds)), bytes(asked)
    finally:
        ours.close()
        server.join()


def failed(*parts, **options):
    with pytest.raises(FetchFailed) as failure:
        answered(*parts, **options)
    return failure.value


def test_a_request_says_where_it_goes_and_nothing_of_who_asks():
    answer, asked = answered(OK + b"Content-Length: 2\r\nContent-Type: text/plain\r\n\r\nhi")

    assert (answer.status, answer.body) == (200, b"hi")
    head = asked.decode().lower()
    assert head.startswith("get /a?b http/1.1\r\nhost: example.org:8080\r\n")
    assert not any(name in head for name in ("cookie", "authorization", "referer", "x-forwarded"))


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"Content-Length: 5\r\n\r\nabcde and fifty megabytes more",
        OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        OK + b"\r\nabcde",
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK + b"Content-Length: 5\r\n\r\nabcde",
        OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"abcde"),
        OK + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(b"abcde"),
        OK + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(b"abcde")[2:-4],
    ],
    ids=["length", "chunked", "until the end", "hints before", "gzip", "deflate", "deflate without its head"],
)
def test_a_body_is_read_in_every_form_it_may_have(answer):
    assert answered(answer)[0].body == b"abcde"


@pytest.mark.parametrize("pack", [lambda body: body, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("framed", [True, False])
def test_the_limit_is_exact_in_unpacked_bytes(pack, framed):
    def sent(size):
        body = pack(b"x" * size)
        head = OK + (b"Content-Encoding: gzip\r\n" if pack is gzip.compress else b"")
        return head + (b"Content-Length: %d\r\n\r\n" % len(body) if framed else b"\r\n") + body

    assert len(answered(sent(SMALL.body_bytes))[0].body) == SMALL.body_bytes
    assert "too large" in failed(sent(SMALL.body_bytes + 1)).message


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"Content-Length: 10000000000\r\n\r\n",
        OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(200_000_000), compresslevel=9),
        OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"") + bytes(100_000),
        OK + b"\r\n" + bytes(1_000_000),
    ],
    ids=["announced", "bomb", "padding behind a packed body", "endless"],
)
def test_what_is_too_large_is_told_and_not_tried_again(answer):
    failure = failed(answer)

    assert "too large" in failure.message
    assert failure.details["final"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (OK + b"Content-Length: 10\r\n\r\nabc", "no whole answer"),
        (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"abcde" * 100, mtime=0)[:-12], "not whole"),
        (OK + b"Content-Encoding: gzip\r\n\r\nplain text", "not packed as gzip"),
        (OK + b"Content-Encoding: br\r\n\r\nx", "'br'"),
        (OK + b"Content-Encoding: gzip, gzip\r\n\r\nx", "'gzip, gzip'"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "no whole answer"),
        (b"", "no whole answer"),
        (OK + b"X: " + b"y" * 1_000_000 + b"\r\n\r\n", "headers are too large"),
        (OK + b"X: y\r\n" * 5_000 + b"\r\n", "headers are too large"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 5_000, "headers are too large"),
        (OK + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde", "no whole answer"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "no whole answer"),
    ],
)
def test_what_is_no_page_is_told(answer, says):
    assert says in failed(answer).message


@pytest.mark.parametrize("head", [b"", OK, OK + b"\r\n"], ids=["no byte", "in the headers", "in the body"])
def test_the_time_is_that_of_the_whole_and_not_of_each_read(head):
    drips = [head] + [b"x"] * 400
    limits = Limits(body_bytes=10_000, seconds=0.4)

    began = time.monotonic()
    failure = failed(*drips, limits=limits, pause=0.05)

    assert "timed out" in failure.message
    assert time.monotonic() - began < 8.0  # all the drips take 20 s


def test_a_redirect_has_its_body_left_unread():
    answer, _ = answered(b"HTTP/1.1 302 Found\r\nLocation: /x\r\nSet-Cookie: a=b\r\n\r\n" + bytes(500_000))

    assert (answer.status, answer.headers["location"], answer.body) == (302, "/x", b"")
