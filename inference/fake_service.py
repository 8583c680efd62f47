"""How long a fake model server takes, and for whom it fails: both can be changed from outside while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from inference.fake_faults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceTime:
    """What a model call costs; it is slept through, so that two cores can stand in for six machines."""

    call: float = 0.0  # seconds of each call, whatever it carries
    text: float = 0.0  # seconds more for each text or passage
    slots: int = 0  # calls at a time, the others wait as at llama-server; 0: any number
    letter: float = 0.0  # seconds more for a question that is answered by a letter

    def seconds(self, texts: int, letters: int = 0) -> float:
        """Return how long a call with so many texts, and letters asked for, takes once it has a slot."""
        return self.call + self.text * texts + self.letter * letters


@dataclass(slots=True)
class Conduct:
    """How a fake model server behaves now; servers of one node share one. Thread safe."""

    service: ServiceTime = field(default_factory=ServiceTime)
    _faults: dict[str, Fault] = field(default_factory=dict)
    _busy: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def fail(self, words: str, fault: Fault | None) -> None:
        """Let every model call that carries certain words go wrong, until told otherwise.

        Args:
            words: part of a text; empty for every call.
            fault: what goes wrong; None heals.
        """
        with self._changed:
            self._faults = {known: one for known, one in self._faults.items() if known != words}
            if fault is not None:
                self._faults[words] = fault
            self._changed.notify_all()

    def take(self, service: ServiceTime) -> None:
        """Take another time from now on, also for calls that wait for a slot."""
        with self._changed:
            self.service = service
            self._changed.notify_all()

    def fault(self, texts: Sequence[str]) -> Fault | None:
        """Return what goes wrong with a call that carries these texts; None when nothing does."""
        with self._changed:
            for words, fault in self._faults.items():
                if not words or any(words in text for text in texts):
                    return fault
        return None

    def hold(self, fault: Fault) -> None:
        """Wait as long as a fault says, but not longer than it lasts."""
        lasting = fault in self._faults.values()
        with self._changed:
            self._changed.wait_for(lambda: lasting and fault not in self._faults.values(), timeout=fault.delay)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a slot and keep it during the block."""
        with self._changed:
            self._changed.wait_for(lambda: not self.service.slots or self._busy < self.service.slots)
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def serve(self, texts: int, letters: int = 0) -> None:
        """Take the time that a call takes, in a slot."""
        if self.service.slots or self.service.seconds(texts, letters):
            with self.turn():
                time.sleep(self.service.seconds(texts, letters))

    def obey(self, order: Mapping[str, Any]) -> None:
        """Do what a control request says.

        Args:
            order: `{"service": {...}}` with fields of `ServiceTime`, or `{"words": "", "fault": {...} or null}` with
                fields of `Fault`.

        Raises:
            ValueError: it says anything else.
        """
        if set(order) == {"service"}:
            self.take(ServiceTime(**_known(ServiceTime, order["service"])))
        elif set(order) == {"words", "fault"}:
            fault = order["fault"]
            self.fail(str(order["words"]), None if fault is None else Fault(**_known(Fault, fault)))
        else:
            raise ValueError(f"not an order: {sorted(order)}")


def _known(kind: Any, given: Any) -> dict[str, Any]:
    names = {one.name for one in fields(kind)}
    if not isinstance(given, dict) or not set(given) <= names:
        raise ValueError(f"the fields are {sorted(names)}")
    return given
