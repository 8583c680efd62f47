import logging
import sys

from workers.logs import OneLine


def test_a_traceback_stays_on_one_line():
    try:
        raise ValueError("bad\nthing")
    except ValueError:
        record = logging.LogRecord("w", logging.ERROR, "f", 1, "failed", (), sys.exc_info())
    line = OneLine("%(levelname)s %(message)s").format(record)
    assert "\n" not in line
    assert line.startswith("ERROR failed | Traceback")
    assert line.endswith("ValueError: bad | thing")
