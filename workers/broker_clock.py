"""The broker's time without asking for it each time: machines compare moments by it, whatever their own clocks say."""

from __future__ import annotations

import time
from typing import Any

# A machine's ticking is off by a second a day at most, so a minute's is not to be seen.
ASK_SECONDS = 60.0


class BrokerClock:
    """The broker's time, asked once a minute and carried on by this machine's steady clock. Thread safe."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: tuple[float, float] | None = None  # the broker's seconds, and this machine's at that moment

    def seconds(self, client: Any) -> float:
        """Return the broker's time.

        Args:
            client: redis-py's, asked when the last answer is a minute old.

        Returns:
            Seconds since the epoch, UTC.

        Raises:
            RedisError: redis-py's; it had to be asked and could not be.
        """
        known, now = self._known, time.monotonic()
        if known is None or now - known[1] > ASK_SECONDS:
            known = self._known = (broker_seconds(client), now)
        return known[0] + now - known[1]


def broker_seconds(client: Any) -> float:
    """Return the broker's time.

    Args:
        client: redis-py's.

    Returns:
        Seconds since the epoch, UTC.
    """
    seconds, micros = client.time()
    return int(seconds) + int(micros) / 1e6
