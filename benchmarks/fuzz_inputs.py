"""What the fuzz puts where something else is expected: values, methods, addresses, headers, raw bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

NASTY: Sequence[Any] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, 5e-324, "", " ", "a", "0",
    "true",
    "null", "\x00", "\ud800", "\ufeff", "\u202e\u200b", "é" * 300, "x" * 100_000, "名前", "🙂" * 50,
    "'; DROP TABLE memory; --",
    '" OR NOT ( NEAR', "AND", "*", "../../../etc/passwd", "%s%n{0}${7*7}", "<script>alert(1)</script>", "-1 day",
    "9999-12-31T23:59:59Z", "0000-00-00", "2026-02-30", "NaN", "http://127.0.0.1:1/x", "http://169.254.169.254/",
    "http://[::ffff:127.0.0.1]/", "file:///etc/passwd", [], {}, [[]], [None], {"": ""}, {"a": {"a": {"a": []}}},
    ["a"] * 300, {"AND": []}, {"AND": [{"key": "a", "value": 1}]}, {"OR": [{"NOT": {}}]},
)  # fmt: skip
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO", "get")
ADDRESSES = (
    "/", "//", "/v1", "/v1/", "/v1//jobs", "/v1/jobs/", "/v1/../v1/jobs", "/v1/jobs/%00", "/v1/jobs/%ff%fe",
    "/v3/documents/%2e%2e",
    "/v3/documents/a%2fb", "/v3/documents/" + "a" * 5000, "/%", "/%zz", "/v1/jobs?", "/v1/jobs?&&=&=",
    "/v1/jobs?limit", "/v1/jobs?limit=1&limit=2",
    "/v1/jobs?%00=1", "/v1/jobs?limit=%ff", "/v1/jobs?cursor=" + "A" * 900, "/v4/search;a=b", "/.git/config",
    "/static/x", "/v1/docs/..;/",
)  # fmt: skip
HEADERS: Sequence[Mapping[str, str]] = (
    {"Content-Type": "text/plain"}, {"Content-Type": "application/json; charset=utf-16"}, {"Content-Type": ""},
    {"Content-Type": "multipart/form-data"}, {"Content-Type": "multipart/form-data; boundary=" + "b" * 300},
    {"Content-Encoding": "gzip"}, {"Authorization": "Basic Zm9v"}, {"Authorization": "Bearer mlk_none"},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer a.b.c"}, {"Accept": "text/event-stream"}, {"Accept": "image/png"}, {"If-None-Match": "*"},
    {"If-None-Match": '"'}, {"Idempotency-Key": ""}, {"Idempotency-Key": "k" * 300}, {"Idempotency-Key": "same"},
    {"X-Request-Id": "x" * 65}, {"X-Request-Id": "mine"}, {"Range": "bytes=0-1"}, {"Host": "evil.example"},
    {"Origin": "null"},
    {"Origin": "http://evil.example"}, {"X-Forwarded-For": "10.0.0.1"}, {"Cookie": "a=" + "b" * 4000},
    {"Expect": "100-continue"},
)  # fmt: skip
RAW = (
    b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /v1/health HTTP/1.1\r\nHost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00",
    b"POST /v4/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n{}",
    b"POST /v4/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    b"POST /v4/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    b"POST /v4/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n{}",
    b"POST /v4/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{}",
    b"POST /v4/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
    b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 300_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n",
)  # fmt: skip
