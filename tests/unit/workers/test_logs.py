import logging
import sys
import warnings

from celery.exceptions import CPendingDeprecationWarning

from workers.logs import OneLine, is_news


def test_a_traceback_stays_on_one_line():
    try:
        raise ValueError("bad\nthing")
    except ValueError:
        record = logging.LogRecord("w", logging.ERROR, "f", 1, "failed", (), sys.exc_info())
    line = OneLine("%(levelname)s %(message)s").format(record)
    assert "\n" not in line
    assert line.startswith("ERROR failed | Traceback")
    assert line.endswith("ValueError: bad | thing")


def test_what_celery_says_at_every_lost_connection_is_no_news():
    def captured(category):
        text = warnings.formatwarning("In Celery 5.1 ...", category, "consumer.py", 499)
        return logging.LogRecord("py.warnings", logging.WARNING, "f", 1, "%s", (text,), None)

    assert not is_news(captured(CPendingDeprecationWarning))
    assert is_news(captured(UserWarning))
