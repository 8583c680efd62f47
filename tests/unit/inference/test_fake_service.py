"""The fake model server as a slow machine: its time, its slots, and faults that are switched from outside."""

import threading
import time

import pytest
import requests

from inference.chat import choose
from inference.fake_faults import Fault
from inference.fake_service import Conduct, ServiceTime
from inference.fakes import FakeModelServer
from inference.wire import ModelServer
from memory.errors import ModelError


def test_a_call_takes_its_time_and_as_many_run_at_once_as_there_are_slots():
    conduct = Conduct(ServiceTime(call=0.05, text=0.005, slots=2))
    with FakeModelServer(conduct=conduct) as fake:
        began = time.monotonic()
        threads = [threading.Thread(target=ModelServer(fake.url).embed, args=(["a", "b"],)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = time.monotonic() - began
    # two turns of two calls, 60 ms each
    assert 0.12 <= taken < 0.5


def test_only_a_question_for_a_letter_takes_a_judges_time():
    with FakeModelServer(conduct=Conduct(ServiceTime(letter=0.5))) as fake:
        began = time.monotonic()
        ModelServer(fake.url).embed(["a"])
        embedded = time.monotonic()
        choose(ModelServer(fake.url), [{"role": "user", "content": "A or B?"}], ["A", "B"], timeout=5)
        judged = time.monotonic()
    assert judged - embedded >= 0.5 > embedded - began


def test_health_takes_no_time():
    with FakeModelServer(conduct=Conduct(ServiceTime(call=30.0))) as fake:
        ModelServer(fake.url).health(timeout=2.0)


def test_only_texts_with_certain_words_fail():
    with FakeModelServer() as fake:
        fake.fail_on("poison", Fault(status=500))
        server = ModelServer(fake.url)
        assert server.embed(["a good text"]).shape == (1, 384)
        with pytest.raises(ModelError):
            server.embed(["a good text", "one with poison"])
        fake.fail_on("poison", None)
        assert server.embed(["one with poison"]).shape == (1, 384)


def test_conduct_is_changed_over_http_and_a_hanging_call_goes_on_when_it_is_healed():
    with FakeModelServer(controlled=True) as fake:
        requests.post(f"{fake.url}/conduct", json={"words": "", "fault": {"delay": 60.0}}, timeout=5).raise_for_status()
        answers = []
        thread = threading.Thread(target=lambda: answers.append(ModelServer(fake.url).embed(["a"])))
        thread.start()
        while not fake.requests:
            time.sleep(0.005)
        requests.post(f"{fake.url}/conduct", json={"words": "", "fault": None}, timeout=5).raise_for_status()
        thread.join(5)
        assert len(answers) == 1


@pytest.mark.parametrize(
    "order", [{}, {"words": ""}, {"service": {"speed": 1}}, {"words": "", "fault": {"explode": True}}, {"service": 3}]
)
def test_an_order_that_is_not_understood_is_refused(order):
    with FakeModelServer(controlled=True) as fake:
        assert requests.post(f"{fake.url}/conduct", json=order, timeout=5).status_code == 400


def test_an_uncontrolled_fake_takes_no_orders():
    with FakeModelServer() as fake:
        order = {"words": "", "fault": {"status": 500}}
        assert requests.post(f"{fake.url}/conduct", json=order, timeout=5).status_code == 404
