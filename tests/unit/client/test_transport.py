import socket
import time

import pytest
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError

from memlane import Client, errors
from memlane import transport as transport_module
from memlane.transport import BACKOFF_SECONDS as SHIPPED_BACKOFF
from memlane.transport import RETRIES, Repeat, Transport, _policy

BUSY = (503, {"error": "Too much is under way.", "code": "busy", "details": {}}, {"Retry-After": "0"})


@pytest.fixture
def transport(server):
    opened = Transport(server.url, None)
    yield opened
    opened.close()


@pytest.fixture
def nobody():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


@pytest.mark.parametrize(
    ("status", "kind", "exit_code"),
    [
        (400, errors.Invalid, 2),
        (401, errors.Unauthenticated, 1),
        (403, errors.Forbidden, 1),
        (404, errors.NotFound, 4),
        (409, errors.StateConflict, 4),
        (413, errors.Invalid, 2),
        (418, errors.Refused, 1),
        (500, errors.ServerFailed, 1),
        (502, errors.ServerFailed, 1),
    ],
)
def test_a_status_becomes_an_error_with_the_servers_words(server, transport, status, kind, exit_code):
    shape = {"error": "No such thing.", "code": "word", "details": {"field": "id", "hint": "Look again."}}
    server.faults.append((status, shape, {"X-Request-Id": "req_9"}))

    with pytest.raises(kind) as caught:
        transport.call("GET", "/v1/health")

    assert type(caught.value) is kind
    assert caught.value.exit_code == exit_code
    assert caught.value.shape() == shape
    assert (caught.value.status, caught.value.hint, caught.value.request_id) == (status, "Look again.", "req_9")


def test_details_that_are_text_are_the_hint(server, transport):
    server.faults.append((400, {"error": "Bad.", "details": "Send JSON."}, {}))

    with pytest.raises(errors.Invalid) as caught:
        transport.call("GET", "/v1/health")

    assert (caught.value.code, caught.value.hint) == ("http_400", "Send JSON.")


@pytest.mark.parametrize(
    "answer",
    [
        (200, b"<html>hello</html>", {}),
        (404, b"<html>nothing here</html>", {}),
        (302, b"", {"Location": "/login"}),
        (404, {"error": "There is no such address.", "code": "no_route", "details": {}}, {}),
    ],
)
def test_another_server_is_recognised(server, transport, answer):
    server.faults.append(answer)

    with pytest.raises(errors.NotMemlane):
        transport.call("GET", "/v1/health")

    assert len(server.requests) == 1


@pytest.mark.parametrize("busy", [BUSY, (429, BUSY[1], {"Retry-After": "0"})])
@pytest.mark.parametrize("repeat", [Repeat.ALWAYS, Repeat.UNSENT])
def test_a_busy_server_is_asked_again(server, transport, busy, repeat):
    server.faults.extend([busy, busy])

    answer = transport.call("POST", "/v4/memories", body={"memories": [{"content": "x"}]}, repeat=repeat)

    assert answer["memories"][0]["memory"] == "x"
    assert len(server.requests) == 3


def test_a_server_that_stays_busy_is_given_up(server, transport):
    server.faults.extend([BUSY] * 9)

    with pytest.raises(errors.ServerBusy, match="Too much is under way"):
        transport.call("GET", "/v1/stats")

    assert len(server.requests) == 5


def test_retry_after_is_waited_for(server, transport):
    server.faults.append((503, BUSY[1], {"Retry-After": "1"}))
    start = time.monotonic()

    transport.call("GET", "/v1/stats")

    assert time.monotonic() - start >= 1


def test_a_lost_answer_is_asked_for_once_more_where_that_is_safe(server, transport):
    server.faults.append(None)

    assert transport.call("GET", "/v1/stats")["memories"] == 0
    assert len(server.requests) == 2


def test_a_lost_answer_is_not_asked_for_again_where_it_would_act_twice(server, transport):
    server.faults.append(None)

    with pytest.raises(errors.Unreachable):
        transport.call("POST", "/v1/jobs/job_1/cancel", body={}, repeat=Repeat.UNSENT)

    assert len(server.requests) == 1


def test_a_repeated_creation_carries_one_idempotency_key(server):
    server.faults.extend([BUSY, None])

    with Client() as client:
        client.add_document("text")
        client.add_document("text")

    keys = [one.headers["idempotency-key"] for one in server.sent("POST", "/v3/documents")]
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_a_server_that_is_not_there_is_unreachable(nobody):
    with Client(nobody) as client, pytest.raises(errors.Unreachable, match="Cannot reach"):
        client.stats()


def test_the_pauses_outlast_a_restart_and_end(monkeypatch):
    monkeypatch.setattr(transport_module, "BACKOFF_SECONDS", SHIPPED_BACKOFF)
    policy, pauses = _policy(Repeat.UNSENT), []

    for _ in range(RETRIES):
        policy = policy.increment("GET", "/", error=ConnectTimeoutError())
        pauses.append(policy.get_backoff_time())

    assert pauses == [0, 0.5, 1, 2]
    with pytest.raises(MaxRetryError):
        policy.increment("GET", "/", error=ConnectTimeoutError())


def test_a_silent_server_times_out():
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1) as client,
        pytest.raises(errors.Unreachable, match="in time"),
    ):
        client.health()


def test_health_is_asked_once_and_down_is_an_answer(server):
    server.health = "down"

    with Client() as client:
        assert client.health()["status"] == "down"

    assert len(server.requests) == 1


def test_the_key_is_sent_and_no_netrc_replaces_it(server, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login other password wrong")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("MEMLANE_API_KEY", " secret\n")

    with Client() as client:
        client.stats()

    assert server.requests[0].headers["authorization"] == "Bearer secret"


def test_a_proxy_is_not_asked_for_this_machine(server, monkeypatch, nobody):
    monkeypatch.setenv("HTTP_PROXY", nobody)

    with Client() as client:
        assert client.stats()["memories"] == 0


@pytest.mark.parametrize("url", ["nonsense", "ftp://x", "http://", "http://h:99999", "http://[", "http://h:0"])
def test_an_address_that_cannot_be_used_is_refused(url):
    with pytest.raises(errors.Misconfigured):
        Client(url)


@pytest.mark.parametrize("key", ["with\nbreak", "ключ"])
def test_a_key_that_no_header_can_carry_is_refused(server, key):
    with pytest.raises(errors.Misconfigured):
        Client(key=key)


@pytest.mark.parametrize("body", [{"text": "\ud800"}, {"threshold": float("nan")}])
def test_what_json_cannot_carry_is_refused_before_it_is_sent(server, transport, body):
    with pytest.raises(errors.Invalid):
        transport.call("POST", "/v4/search", body=body)

    assert not server.requests
