"""Tells a node's failures from an item's, and takes a node that fails out of use until a probe succeeds.

A failed call alone says little: the input may be at fault. So the server is asked something that is known to work, the
canary. Only when that fails too is the node to blame.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from memory.errors import InputTooLong, MemlaneError, ModelRefused, ModelTimeout, ModelUnavailable
from memory.fleet import Role

log = logging.getLogger(__name__)

# Answers that are about the request and not about the server.
_OF_THE_REQUEST = frozenset({400, 409, 413, 414, 415, 422})


class Breaker:
    """Whether one model server of the node may be called. Thread safe."""

    def __init__(
        self,
        role: Role,
        canary: Callable[[], object],
        *,
        failures: int,
        first: float = 1.0,
        longest: float = 20.0,
    ) -> None:
        """Begin closed: the server may be called.

        Args:
            role: of the server.
            canary: asks the server something that works; raises when it does not.
            failures: failures in a row, canaries included, after which the server is not called any more.
            first: seconds before the first probe; doubled after each.
            longest: the longest pause between probes, seconds.
        """
        self.role = role
        self.reason: str | None = None  # why the server is not to be called; None when it may be
        self.changed: Callable[[], None] = lambda: None
        self._canary = canary
        self._failures = failures
        self._first = first
        self._longest = longest
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._probing = False
        self._stopped = threading.Event()

    def succeeded(self) -> None:
        """Note a good answer."""
        # Read without the lock, for this comes after every call.
        if self._in_a_row or self.reason is not None:
            self._close()

    def blames_node(self, error: MemlaneError) -> bool:
        """Find out whose fault a failed call was, by a canary where the error leaves it open.

        Args:
            error: what the call raised.

        Returns:
            True when the server fails; False when it is well, so that what was asked is at fault.
        """
        if of_the_request(error):
            return False
        if self.reason is not None:
            return True
        try:
            self._canary()
        except MemlaneError as second:
            self._count(error, second)
            return True
        self.succeeded()
        return False

    def stop(self) -> None:
        """End the probes, at the end of the process."""
        self._stopped.set()

    def _count(self, *errors: MemlaneError) -> None:
        with self._lock:
            self._in_a_row += len(errors)
            opens = self.reason is None and (self._in_a_row >= self._failures or any(map(refused, errors)))
            if opens:
                self.reason = errors[-1].message
            begins, self._probing = not self._probing, True
        if begins and not self._stopped.is_set():
            threading.Thread(target=self._probe, name=f"probe-{self.role}", daemon=True).start()
        if opens:
            log.warning("the %s server is not used any more: %s", self.role, errors[-1].message)
            self.changed()

    def _probe(self) -> None:
        """Ask the canary until it succeeds; also while the server is only doubted, to spare others the finding out."""
        wait = self._first
        while self._doubted() and not self._stopped.wait(wait):
            try:
                self._canary()
            except MemlaneError as error:
                self._count(error)
            except Exception as error:
                # Whatever a server answers, somebody must go on asking, or the node is out of use for ever.
                log.exception("the canary of the %s server", self.role)
                self._count(ModelRefused(f"The probe failed: {error!r}"))
            else:
                self.succeeded()
            wait = min(2 * wait, self._longest)

    def _doubted(self) -> bool:
        """Return whether to go on probing; whoever counts a failure after a "no" begins anew."""
        with self._lock:
            self._probing = self._in_a_row > 0 or self.reason is not None
            return self._probing

    def _close(self) -> None:
        with self._lock:
            self._in_a_row = 0
            was, self.reason = self.reason, None
        if was is not None:
            log.warning("the %s server is used again", self.role)
            self.changed()


class Health:
    """What a worker says of its node's servers."""

    def __init__(self, breakers: Mapping[Role, Breaker]) -> None:
        """Watch the breakers of the servers that the worker calls."""
        self._breakers = breakers

    @property
    def healthy(self) -> bool:
        """Whether the worker can do its work: without its reranker it still embeds."""
        return self._breakers["embed"].reason is None

    @property
    def failing(self) -> tuple[Role, ...]:
        """The servers that are not to be called."""
        return tuple(role for role, breaker in self._breakers.items() if breaker.reason is not None)

    @property
    def reason(self) -> str:
        """Why something fails, for a person; empty when all is well."""
        return " ".join(f"{role}: {self._breakers[role].reason}" for role in self.failing)

    def tell(self, changed: Callable[[], None]) -> None:
        """Have a function called whenever a server fails or is well again."""
        for breaker in self._breakers.values():
            breaker.changed = changed

    def stop(self) -> None:
        """End all probes."""
        for breaker in self._breakers.values():
            breaker.stop()


def refused(error: MemlaneError) -> bool:
    """Return whether no connection was to be had, which leaves no doubt about the server."""
    return isinstance(error, ModelUnavailable) and not isinstance(error, ModelTimeout) and "status" not in error.details


def of_the_request(error: MemlaneError) -> bool:
    """Return whether an error is about what was asked, whatever the server's state."""
    return isinstance(error, InputTooLong) or error.details.get("status") in _OF_THE_REQUEST
