"""Looks once, at a node worker's start, whether its model servers are what they are there for."""

from __future__ import annotations

import logging
from collections.abc import Callable

from memory.errors import ModelTimeout, ModelUnavailable
from workers.ticker import Ticker

log = logging.getLogger(__name__)

# Model servers start beside the workers; the embedded one takes about a second.
LOOK_SECONDS = 1.0


class ModelCheck:
    """Asks until the servers have answered once; what it found goes out with the heartbeat."""

    def __init__(self, check: Callable[[], str | None]) -> None:
        """Start asking.

        Args:
            check: says what is wrong, None for nothing; raises while a server is not there yet.
        """
        self._check = check
        self._known = False
        self._trouble: str | None = None
        self._ticker = Ticker("the model check", LOOK_SECONDS, self._look)

    def trouble(self) -> str | None:
        """Return what is wrong; None when nothing is, or nothing is known yet."""
        return self._trouble

    def stop(self) -> None:
        """Ask no more."""
        self._ticker.stop()

    def _look(self) -> None:
        if self._known:
            return
        try:
            self._trouble = self._check()
        except (ModelUnavailable, ModelTimeout):
            return
        self._known = True
        if self._trouble:
            log.error("%s", self._trouble)
