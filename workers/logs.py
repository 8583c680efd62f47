"""One log line per event, for every worker process."""

from __future__ import annotations

import logging
import sys
import warnings

from celery.exceptions import CPendingDeprecationWarning, SecurityWarning

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
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for chatty in ("celery", "kombu", "urllib3"):
        # Celery says at INFO what it receives and finishes, task by task.
        logging.getLogger(chatty).setLevel(logging.WARNING)


def is_news(record: logging.LogRecord) -> bool:
    """Return whether a captured warning is to be logged.

    Args:
        record: of the logger `py.warnings`.
    """
    return not any(category.__name__ in record.getMessage() for category in NO_NEWS)


class OneLine(logging.Formatter):
    """Formats a record, its traceback included, on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line.

        Args:
            record: any.

        Returns:
            Text without line ends.
        """
        return " | ".join(line for line in super().format(record).splitlines() if line.strip())
