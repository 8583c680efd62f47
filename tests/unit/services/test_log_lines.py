"""Each line of a process's log is one line, and says which request it belongs to."""

import io
import logging
import sys
import threading

import pytest

from services import log_lines, request_ids


@pytest.fixture
def written(monkeypatch):
    """The log of a process, as its standard error has it."""
    root, held = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    monkeypatch.setattr(sys, "stderr", held)
    log_lines.start("info")
    yield held
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_traceback_stays_on_one_line():
    try:
        raise ValueError("bad\nthing")
    except ValueError:
        record = logging.LogRecord("w", logging.ERROR, "f", 1, "failed", (), sys.exc_info())
    line = log_lines.OneLine("%(levelname)s %(message)s").format(record)
    assert "\n" not in line
    assert line.startswith("ERROR failed | Traceback")
    assert line.endswith("ValueError: bad | thing")


def test_lines_of_libraries_name_the_request_too(written):
    with request_ids.working_for("req_1"):
        logging.getLogger("urllib3").warning("retrying")
    logging.getLogger("memlane.api").info("resting")
    assert written.getvalue().splitlines() == [
        "WARNING urllib3: request=req_1 retrying",
        "INFO memlane.api: resting",
    ]


def test_threads_work_for_requests_of_their_own(written):
    inner = threading.Barrier(2)

    def work(name):
        with request_ids.working_for(name):
            inner.wait(5)
            logging.getLogger("w").info(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("req_a", "req_b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert sorted(written.getvalue().splitlines()) == [
        "INFO w: request=req_a req_a",
        "INFO w: request=req_b req_b",
    ]
    assert request_ids.current() is None
