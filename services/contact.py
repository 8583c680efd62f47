"""Tells whether heartbeats can be trusted: after an outage of the broker all are missing, and nobody need be dead."""

from __future__ import annotations

import threading

from memory.ports import BrokerFacts
from memory.records import Micros

# A heartbeat comes every 3 s, so the newest of all is never older while they get through.
GAP_SECONDS = 4.0
# A worker counts as gone this long after its last heartbeat. Heartbeats are not divided by the time factor.
QUIET_SECONDS = 10.0


class Contact:
    """How long this process has read the broker's facts without a gap. Thread safe."""

    def __init__(self, period: float) -> None:
        """Have read nothing yet.

        Args:
            period: from one reading to the next, seconds.
        """
        self._gap = round(max(GAP_SECONDS, 1.5 * period) * 1_000_000)
        self._last: Micros | None = None
        self._since: Micros = 0
        self._lock = threading.Lock()

    def steady(self, facts: BrokerFacts | None) -> bool:
        """Take note of a reading.

        Args:
            facts: as read; None when the broker could not be reached.

        Returns:
            Whether whoever lives has had the time to say so: no reading has failed or was missing, and heartbeats have
            arrived, for as long as a heartbeat lives.
        """
        with self._lock:
            if facts is None:
                self._last = None
                return False
            # The broker may be full, or have hung between two readings: nobody's heartbeat gets through then.
            heard = max((beat.at for beat in facts.heartbeats), default=0)
            if self._last is None or facts.at - min(self._last, heard) > self._gap:
                self._since = facts.at
            self._last = facts.at
            return facts.at - self._since >= round(QUIET_SECONDS * 1_000_000)
