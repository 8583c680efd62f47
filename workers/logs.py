"""One log line per event, for every worker process."""

from __future__ import annotations

import logging
import warnings
from typing import Any

from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from celery.signals import task_postrun, task_prerun

from services import log_lines, request_ids

# Celery announces at each lost connection that a setting we set will change its default, and warns of root, which is
# for workers that unpickle what they are sent; ours accept JSON only.
NO_NEWS = (CPendingDeprecationWarning, SecurityWarning)


def start_logs(level: str) -> None:
    """Write the process's log to its standard error, one line a record.

    Args:
        level: debug, info, warning or error.
    """
    for category in NO_NEWS:
        warnings.filterwarnings("ignore", category=category)
    # Celery switches its own on again when it starts, and they come as log records from then on.
    logging.getLogger("py.warnings").addFilter(is_news)
    log_lines.start(level)
    for chatty in ("celery", "kombu", "urllib3"):
        # Celery says at INFO what it receives and finishes, task by task.
        logging.getLogger(chatty).setLevel(logging.WARNING)


def follow_requests() -> None:
    """Let each task, on its thread, work for the request that its message names, so that its log lines name it too."""
    task_prerun.connect(_begin, weak=False)
    task_postrun.connect(_end, weak=False)


def _begin(task: Any, **_: Any) -> None:
    named = (task.request.headers or {}).get("request_id")
    request_ids.begin(named if isinstance(named, str) else None)


def _end(**_: Any) -> None:
    # The thread goes on with the next task, whose message may name none.
    request_ids.begin(None)


def is_news(record: logging.LogRecord) -> bool:
    """Return whether a captured warning is to be logged.

    Args:
        record: of the logger `py.warnings`.
    """
    return not any(category.__name__ in record.getMessage() for category in NO_NEWS)
