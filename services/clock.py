"""The real clock; tests hand in another."""

from __future__ import annotations

import time

from memory.records import Micros


def system_clock() -> Micros:
    """Return microseconds since the epoch, UTC, by this host's clock."""
    return time.time_ns() // 1000
