"""How long a caller waits for a model that does not answer: who can do without its answer waits less."""

import time

import pytest

from inference.fake_faults import Fault
from inference.fakes import FakeModelServer
from memory.errors import ModelUnavailable
from memory.fleet import FleetNode
from memory.ports import FleetSight
from memory.settings import Settings
from services.direct_models import DirectModels
from services.fakes import RecordingQueue
from services.interactive import RedisInteractive

NODE = FleetNode(name="local", embed_port=1, rerank_port=1)
QUESTION_SECONDS, SECONDS = 0.3, 1.2


class Nobody:
    """Replies that never come."""

    def now(self):
        return time.time_ns() // 1000

    def wait(self, reply, *, seconds):
        time.sleep(seconds)
        raise TimeoutError

    def push(self, reply, answer, *, keep_seconds):
        raise AssertionError("nobody answers here")


@pytest.fixture
def hung():
    with FakeModelServer(dimension=16) as server:
        server.fail_always(Fault(delay=5.0))
        yield server


@pytest.fixture
def models(hung):
    def look(*, fresh=False):
        return FleetSight(at=1, nodes=(NODE,))

    settings = Settings(embed_url=hung.url, embed_dimension=16, interactive_timeout=SECONDS)
    return RedisInteractive(
        queue=RecordingQueue(), replies=Nobody(), direct=DirectModels(settings, look), look=look, dimension=16,
        seconds=SECONDS, question_seconds=QUESTION_SECONDS,
    )  # fmt: skip


def seconds_until_given_up(call):
    began = time.monotonic()
    with pytest.raises(ModelUnavailable):
        call()
    return time.monotonic() - began


def test_a_search_does_not_wait_for_a_hung_server_as_long_as_a_write_does(models, hung):
    searched = seconds_until_given_up(models.start_embedding(["tea?"]))
    assert len(hung.requests) == 1  # asked directly when the queue had no answer
    written = seconds_until_given_up(lambda: models.embed(["tea"]))
    assert QUESTION_SECONDS * 0.9 <= searched < SECONDS * 0.9 <= written


def test_a_question_waits_no_longer_than_any_other_call(models, hung):
    models = RedisInteractive(
        queue=RecordingQueue(), replies=Nobody(), direct=models._direct, look=models._look, dimension=16,
        seconds=QUESTION_SECONDS, question_seconds=60.0,
    )  # fmt: skip
    assert seconds_until_given_up(models.start_embedding(["tea?"])) < SECONDS
