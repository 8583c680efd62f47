import threading
import time

import pytest

from memory.errors import InputTooLong, ModelRefused, ModelTimeout, ModelUnavailable
from services.breaker import Breaker, Health

REFUSED = ModelUnavailable(url="http://127.0.0.1:1")
ERROR_500 = ModelRefused(status=500)


class Server:
    def __init__(self, error=None):
        self.error = error
        self.asked = 0

    def canary(self):
        self.asked += 1
        if self.error is not None:
            raise self.error


def breaker(server, **options):
    return Breaker("embed", server.canary, **{"failures": 3, "first": 0.005, "longest": 0.02, **options})


def until(true):
    end = time.monotonic() + 5.0
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_good_canary_puts_the_fault_on_the_item_however_often():
    one = breaker(Server())
    assert not any(one.blames_node(ERROR_500) for _ in range(10))
    assert one.reason is None


@pytest.mark.parametrize("error", [InputTooLong(), ModelRefused(status=400), ModelRefused(status=422)], ids=str)
def test_a_refusal_of_what_was_asked_needs_no_canary_and_never_opens(error):
    server = Server(REFUSED)
    one = breaker(server)
    assert not any(one.blames_node(error) for _ in range(5))
    assert (server.asked, one.reason) == (0, None)


def test_a_refused_connection_opens_at_once():
    one = breaker(Server(REFUSED), first=60.0)
    assert one.blames_node(REFUSED)
    assert one.reason
    one.stop()


def test_other_failures_open_after_three_in_a_row_canaries_included():
    one = breaker(Server(ERROR_500), first=60.0)
    assert one.blames_node(ModelTimeout())
    assert one.reason is None
    assert one.blames_node(ModelTimeout())
    assert one.reason
    one.stop()


def test_a_server_in_doubt_is_probed_without_waiting_for_more_work_to_fail():
    server = Server(ERROR_500)
    one = breaker(server)
    one.blames_node(ModelTimeout())
    until(lambda: one.reason)
    server.error = None
    until(lambda: one.reason is None)
    asked = server.asked
    time.sleep(0.05)  # several probes long
    assert server.asked == asked


def test_a_good_answer_between_failures_begins_the_count_anew():
    one = breaker(Server(ERROR_500), first=60.0)
    for _ in range(5):
        one.blames_node(ERROR_500)
        one.succeeded()
    assert one.reason is None


def test_probes_go_on_ever_more_slowly_until_one_succeeds_and_both_changes_are_told():
    server, told = Server(REFUSED), []
    one = breaker(server)
    one.changed = lambda: told.append(one.reason)
    one.blames_node(REFUSED)
    until(lambda: server.asked >= 5)
    server.error = None
    until(lambda: one.reason is None)
    assert [bool(reason) for reason in told] == [True, False]
    assert threading.active_count() < 10


class EndingLock:
    """Has something happen at the moment at which a probe, once armed, is about to take it."""

    def __init__(self, meanwhile):
        self.armed = False
        self._meanwhile = meanwhile
        self._lock = threading.Lock()

    def __enter__(self):
        if self.armed and threading.current_thread().name == "probe-embed":
            self.armed = False
            self._meanwhile()
        self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()


def test_a_failure_just_while_a_probe_ends_is_probed_too():
    # given a probe that has found the server well, which fails again before the probe has ended, and is well soon
    server = Server(REFUSED)
    one = breaker(server)
    happened = []

    def fail_again():
        server.error = REFUSED
        happened.append(one.blames_node(REFUSED))
        server.error = None

    one._lock = EndingLock(fail_again)
    one.changed = lambda: setattr(one._lock, "armed", one.reason is None and not happened)

    # when it is found failing, and well
    one.blames_node(REFUSED)
    server.error = None
    until(lambda: happened)

    # then it is found well a second time
    until(lambda: one.reason is None)


def test_a_good_canary_closes_what_another_call_has_opened_meanwhile():
    server = Server()
    one = breaker(server, first=60.0)

    def canary():
        if server.asked == 0:
            server.asked, server.error = 1, REFUSED
            one.blames_node(REFUSED)
            server.error = None
        elif server.error is not None:
            raise server.error

    one._canary = canary

    assert not one.blames_node(ERROR_500)
    assert one.reason is None
    one.stop()


def test_probes_go_on_after_an_answer_that_nobody_expected(caplog):
    server = Server(REFUSED)
    one = breaker(server)
    one.blames_node(REFUSED)
    server.error = KeyError("data")
    until(lambda: "the canary of the embed server" in caplog.text)

    server.error = None

    until(lambda: one.reason is None)


def test_a_worker_without_its_reranker_is_well_enough_to_embed():
    embed, rerank = breaker(Server()), breaker(Server(REFUSED), first=60.0)
    health = Health({"embed": embed, "rerank": rerank})
    rerank.blames_node(REFUSED)
    assert (health.healthy, health.failing) == (True, ("rerank",))
    assert health.reason.startswith("rerank: ")
    health.stop()
