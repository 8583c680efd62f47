"""A thread that does one thing every few seconds until it is stopped."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Ticker:
    """Calls an action at once and then at an interval; a failing call is logged and tried again at the next."""

    def __init__(self, name: str, seconds: float, action: Callable[[], object]) -> None:
        """Start the thread.

        Args:
            name: for the log.
            seconds: from one call's end to the next call.
            action: what to do.
        """
        self._name = name
        self._seconds = seconds
        self._action = action
        self._wake = threading.Event()
        self._stopping = False
        self._failing = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def hurry(self) -> None:
        """Make the next call now."""
        self._wake.set()

    def stop(self) -> None:
        """End the thread after the call that is under way, waiting for it at most 2 s."""
        self._stopping = True
        self._wake.set()
        self._thread.join(2.0)

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            self._call()
            self._wake.wait(self._seconds)

    def _call(self) -> None:
        try:
            self._action()
            self._failing = False
        except Exception as error:
            # Said once per outage: a broker that is away for a minute is one event.
            log.log(logging.DEBUG if self._failing else logging.WARNING, "%s: %r", self._name, error)
            self._failing = True
