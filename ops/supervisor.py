"""Keeps parts running: starts all at once, restarts with back-off, stops them stage by stage."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ops.child import Adopted, Child, Running
from ops.keeper_link import KeeperLink
from ops.log_lines import LogLines
from ops.part import Part

log = logging.getLogger(__name__)

# The first restart is quick, because most deaths are accidents; a part that cannot start must not eat the machine.
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 15.0
# A part that ran this long is well again, and its next death counts as the first.
STABLE_SECONDS = 10.0
LOOK_SECONDS = 0.05
# A part ends with this code (EX_CONFIG) when starting it again cannot help.
EXIT_CONFIG = 78

SELF = "up"


class ConfigurationRefused(Exception):
    """A part refused its configuration; what it said last is told."""


@dataclass
class Slot:
    """A part and what runs for it at the moment."""

    part: Part
    running: Running | None = None
    started_at: float = 0.0
    deaths: int = 0  # since it was last stable
    start_at: float = field(default=0.0)  # monotonic; when to start it (again)


class Supervisor:
    """Starts, watches and ends the parts. All of it happens on the caller's thread."""

    def __init__(self, parts: Sequence[Part], *, logs: LogLines, keeper: KeeperLink) -> None:
        """Prepare; nothing is started.

        Args:
            parts: what to run.
            logs: takes their lines.
            keeper: ends them should this process be killed.
        """
        self.slots = tuple(Slot(part) for part in parts)
        self._logs = logs
        self._keeper = keeper

    def look(self) -> None:
        """Start what is due and notice what has ended; to be called every `LOOK_SECONDS`.

        Raises:
            ConfigurationRefused: a part will never start like this.
        """
        for slot in self.slots:
            if slot.running is None:
                if time.monotonic() >= slot.start_at:
                    self._start(slot)
            elif (code := slot.running.exit_code()) is not None:
                self._ended(slot, slot.running, code)

    def stop(self, hurry: Callable[[], bool] = lambda: False) -> None:
        """End everything, the lowest stage first.

        Args:
            hurry: whether to use SIGKILL without waiting.
        """
        for stage in sorted({slot.part.stage for slot in self.slots}):
            self._stop_stage([slot for slot in self.slots if slot.part.stage == stage and slot.running], hurry)

    def _start(self, slot: Slot) -> None:
        slot.started_at = time.monotonic()
        pid = slot.part.adopt()
        try:
            slot.running = Child(slot.part, self._writer(slot.part)) if pid is None else Adopted(pid)
        except OSError as error:
            self._logs.write(SELF, f"{slot.part.name} cannot be started: {error}")
            self._wait(slot)
            return
        if slot.running.group is not None:
            self._keeper.add(slot.running.group)
        if pid is not None:
            self._logs.write(SELF, f"{slot.part.name} (process {pid}) was running already and is kept")

    def _ended(self, slot: Slot, running: Running, code: int) -> None:
        self._forget(slot)
        if code == EXIT_CONFIG:
            said = running.last_lines[-1] if running.last_lines else "its own lines above say why."
            raise ConfigurationRefused(f"{slot.part.name} refused its configuration: {said}")
        if time.monotonic() - slot.started_at >= STABLE_SECONDS:
            slot.deaths = 0
        mended = slot.part.rescue(tuple(running.last_lines))
        if mended:
            self._logs.write(SELF, f"{slot.part.name}: {mended}")
        wait = self._wait(slot)
        self._logs.write(SELF, f"{slot.part.name} ended with {_reason(code)}; starting it again in {wait:.1f} s")

    def _wait(self, slot: Slot) -> float:
        wait = back_off(slot.deaths)
        slot.deaths += 1
        slot.start_at = time.monotonic() + wait
        return wait

    def _forget(self, slot: Slot) -> None:
        if slot.running is not None and slot.running.group is not None:
            self._keeper.remove(slot.running.group)
        slot.running = None

    def _stop_stage(self, slots: Sequence[Slot], hurry: Callable[[], bool]) -> None:
        _send(slots, signal.SIGTERM)
        until = time.monotonic() + max((slot.part.stop_seconds for slot in slots), default=0.0)
        while self._still(slots) and time.monotonic() < until and not hurry():
            time.sleep(0.02)
        for slot in self._still(slots):
            self._logs.write(SELF, f"{slot.part.name} does not stop and is killed")
        _send(self._still(slots), signal.SIGKILL)
        while self._still(slots):
            time.sleep(0.02)

    def _still(self, slots: Sequence[Slot]) -> list[Slot]:
        for slot in slots:
            if slot.running is not None and slot.running.exit_code() is not None:
                self._forget(slot)
        return [slot for slot in slots if slot.running is not None]

    def _writer(self, part: Part) -> Callable[[str], None]:
        def write(line: str) -> None:
            if not part.noise or part.noise not in line:
                self._logs.write(part.name, line)

        return write


def back_off(deaths: int) -> float:
    """Return how long to wait before a restart.

    Args:
        deaths: earlier ones, since the part was last stable.

    Returns:
        Seconds: 0.5, 1, 2, 4 ... at most 15.
    """
    return min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** min(deaths, 16))


def _send(slots: Iterable[Slot], number: int) -> None:
    for slot in slots:
        if slot.running is not None:
            slot.running.send(number)


def _reason(code: int) -> str:
    return f"code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
