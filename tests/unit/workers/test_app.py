import pytest
from celery.exceptions import ImproperlyConfigured
from kombu.exceptions import KombuError

from memory.ports import QUEUES
from memory.settings import Settings
from workers.app import make_app, make_sender, task


@pytest.fixture
def settings(tmp_path):
    return Settings(data_dir=str(tmp_path), node="n1")


def test_every_queue_has_an_exchange_and_a_key_of_its_own(settings):
    queues = make_app(settings).amqp.queues
    assert set(queues) == set(QUEUES)
    for name, queue in queues.items():
        assert (queue.exchange.name, queue.routing_key) == (name, name)


def test_only_questions_are_not_acknowledged(settings):
    assert [name for name, queue in make_app(settings).amqp.queues.items() if queue.no_ack] == ["interactive"]


def test_what_redis_needs_is_set(settings):
    conf = make_app(settings).conf
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
    assert conf.accept_content == ["json"]
    assert not conf.task_create_missing_queues
    assert conf.result_backend is None
    assert conf.broker_transport_options["socket_timeout"] > 1.0


def test_a_sender_gives_up_quickly(settings):
    assert make_sender(settings).conf.broker_transport_options["socket_timeout"] <= 1.0


def test_a_misspelt_queue_is_an_error(settings):
    with pytest.raises((KombuError, ImproperlyConfigured, KeyError)):
        make_sender(settings).send_task("embed.texts", queue="backgruond")


def test_a_task_has_its_explicit_name_and_stays_callable(settings):
    app = make_app(settings)

    @task(app, "embed.texts")
    def double(*, number: int) -> int:
        return 2 * number

    assert double(number=4) == 8
    assert "embed.texts" in app.tasks


def test_events_are_sent_only_while_somebody_looks():
    assert not make_app(Settings()).conf.worker_send_task_events
    assert make_app(Settings(task_events=1)).conf.worker_send_task_events
