"""The log of a process: one line an event, with the id of the request that it belongs to."""

from __future__ import annotations

import logging
import sys

from services import request_ids

FORMAT = "%(levelname)s %(name)s: %(request)s%(message)s"


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


class OfRequest(logging.Filter):
    """Gives each record the field `request`: `request=<id> `, or nothing when it belongs to none."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Set the field.

        Args:
            record: any, in the thread that logs it.

        Returns:
            True: it is logged.
        """
        known = request_ids.current()
        record.request = f"request={known} " if known else ""
        return True


def start(level: str) -> None:
    """Write the process's log to its standard error.

    Args:
        level: debug, info, warning or error.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine(FORMAT))
    # On the handler, so that lines of libraries have it too.
    handler.addFilter(OfRequest())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
