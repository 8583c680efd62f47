import logging
import warnings
from types import SimpleNamespace

from celery.exceptions import CPendingDeprecationWarning
from celery.signals import task_postrun, task_prerun

from services import request_ids
from workers import logs
from workers.logs import follow_requests, is_news


def test_what_celery_says_at_every_lost_connection_is_no_news():
    def captured(category):
        text = warnings.formatwarning("In Celery 5.1 ...", category, "consumer.py", 499)
        return logging.LogRecord("py.warnings", logging.WARNING, "f", 1, "%s", (text,), None)

    assert not is_news(captured(CPendingDeprecationWarning))
    assert is_news(captured(UserWarning))


class Task:
    """What Celery hands to the receivers of its signals."""

    def __init__(self, headers):
        self.request = SimpleNamespace(headers=headers)


def test_a_task_works_for_the_request_that_its_message_names():
    follow_requests()
    try:
        task_prerun.send(sender=None, task=Task({"request_id": "req_1"}))
        assert request_ids.current() == "req_1"
        task_postrun.send(sender=None, task=Task({"request_id": "req_1"}))
        assert request_ids.current() is None
        task_prerun.send(sender=None, task=Task(None))
        assert request_ids.current() is None
    finally:
        task_prerun.disconnect(logs._begin)
        task_postrun.disconnect(logs._end)
