"""Keeps the node's model servers running: restarts with back-off, a cap on memory, a clean stop."""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memory.fleet import ModelReport, Role
from nodeagent.child import Child
from nodeagent.commands import ServerCommand
from nodeagent.probes import Silence

log = logging.getLogger(__name__)

# The first restart is quick, because most deaths are accidents; a server that cannot start must not eat the machine.
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0
# A server that ran this long is well again, and its next death counts as the first. Longer than loading a model takes.
STABLE_SECONDS = 60.0
# One that answered nothing for so long hangs. Longer than loading a model takes, as it counts from the start at the
# earliest; one that is loading says so anyhow, or refuses the connection, which is an answer.
HANG_SECONDS = 90.0
MEMORY_SECONDS = 2.0
# Model servers hold nothing that would be lost.
STOP_SECONDS = 5.0


@dataclass
class Slot:
    """A server and what runs for it at the moment."""

    server: ServerCommand
    child: Child | None = None
    started_at: float = 0.0
    start_at: float = 0.0  # monotonic; when to start it (again)
    kill_at: float | None = None  # monotonic; it was told to stop
    deaths: int = 0  # since it was last stable
    starts: int = 0
    memory_bytes: int | None = None
    trouble: str = ""  # why it was ended or has ended; said until it is stable again
    measured_at: float = field(default=float("-inf"))


class Servers:
    """Starts, watches and ends model servers. All of it happens on the caller's thread."""

    def __init__(
        self,
        servers: Sequence[ServerCommand],
        *,
        hang_seconds: float = HANG_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare; nothing is started.

        Args:
            servers: what to run.
            hang_seconds: how long one may answer nothing before it is killed and started again.
            clock: monotonic seconds.
        """
        self.slots = tuple(Slot(server) for server in servers)
        self._hang_seconds = hang_seconds
        self._clock = clock

    def look(self, cap_bytes: int | None, silences: Mapping[Role, Silence] | None = None) -> None:
        """Start what is due, notice what has ended, end what has grown too large or hangs; to be called often.

        Args:
            cap_bytes: of each server without a cap of its own; None for no cap.
            silences: of the servers that answer nothing at all, by role and by the clock.
        """
        for slot in self.slots:
            if slot.child is None:
                self._start_when_due(slot)
            elif (code := slot.child.exit_code()) is not None:
                self._ended(slot, code)
            elif slot.kill_at is not None:
                if self._clock() >= slot.kill_at:
                    slot.child.send(signal.SIGKILL)
            else:
                self._forgive(slot)
                self._watch_memory(slot, slot.child, slot.server.memory_bytes or cap_bytes)
                self._watch_silence(slot, slot.child, (silences or {}).get(slot.server.role))

    def describe(self, reports: Sequence[ModelReport]) -> tuple[ModelReport, ...]:
        """Add what is known here to what the probes found out.

        Args:
            reports: of the probes.

        Returns:
            A report for each probed or supervised server.
        """
        by_role: dict[Role, ModelReport] = {report.role: report for report in reports}
        for slot in self.slots:
            role = slot.server.role
            known = by_role.get(role)
            by_role[role] = _described(known or ModelReport(role=role, healthy=slot.child is not None), slot)
        return tuple(by_role.values())

    def problems(self) -> tuple[str, ...]:
        """Return what went wrong with servers that are not stable yet."""
        return tuple(f"{slot.server.role}: {slot.trouble}" for slot in self.slots if slot.trouble)

    def stop(self) -> None:
        """End every server; one that does not want to is killed."""
        running: Mapping[Role, Child] = {slot.server.role: slot.child for slot in self.slots if slot.child}
        for child in running.values():
            child.send(signal.SIGTERM)
        until = time.monotonic() + STOP_SECONDS
        while any(child.exit_code() is None for child in running.values()) and time.monotonic() < until:
            time.sleep(0.02)
        for role, child in running.items():
            if child.exit_code() is None:
                log.warning("%s does not stop and is killed", role)
                child.send(signal.SIGKILL)
        while any(child.exit_code() is None for child in running.values()):
            time.sleep(0.02)

    def _start_when_due(self, slot: Slot) -> None:
        now = self._clock()
        if now < slot.start_at:
            return
        slot.started_at, slot.kill_at = now, None
        try:
            slot.child = Child(slot.server)
        except OSError as error:
            self._wait(slot, f"cannot be started: {error}")
            return
        slot.starts += 1
        log.info("%s started as process %d", slot.server.role, slot.child.pid)

    def _ended(self, slot: Slot, code: int) -> None:
        asked = slot.kill_at is not None
        slot.child, slot.memory_bytes = None, None
        if self._clock() - slot.started_at >= STABLE_SECONDS:
            slot.deaths = 0
        self._wait(slot, slot.trouble if asked else _ending(code))

    def _wait(self, slot: Slot, trouble: str) -> None:
        wait = back_off(slot.deaths)
        slot.deaths += 1
        slot.trouble = trouble
        slot.start_at = self._clock() + wait
        log.warning("%s %s; starting it again in %.1f s", slot.server.role, trouble, wait)

    def _forgive(self, slot: Slot) -> None:
        if self._clock() - slot.started_at >= STABLE_SECONDS:
            slot.trouble = ""

    def _watch_memory(self, slot: Slot, child: Child, cap_bytes: int | None) -> None:
        now = self._clock()
        if now - slot.measured_at >= MEMORY_SECONDS:
            slot.measured_at = now
            slot.memory_bytes = child.memory_bytes()
            if cap_bytes is not None and slot.memory_bytes > cap_bytes:
                slot.trouble = f"took {_mib(slot.memory_bytes)} of memory, over its cap of {_mib(cap_bytes)}"
                slot.kill_at = now + STOP_SECONDS
                child.send(signal.SIGTERM)

    def _watch_silence(self, slot: Slot, child: Child, silence: Silence | None) -> None:
        if silence is None or slot.kill_at is not None:
            return
        # What was asked of the process before this one says nothing of it.
        if (seconds := silence.last - max(silence.first, slot.started_at)) >= self._hang_seconds:
            slot.trouble = f"answered nothing for {seconds:.0f} s and was killed"
            # It holds nothing that would be lost, and one that hangs does not heed SIGTERM either.
            slot.kill_at = self._clock()
            child.send(signal.SIGKILL)


def back_off(deaths: int) -> float:
    """Return how long to wait before a restart.

    Args:
        deaths: earlier ones, since the server was last stable.

    Returns:
        Seconds: 0.5, 1, 2, 4 ... at most 30.
    """
    return min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0 ** min(deaths, 16))


def _described(report: ModelReport, slot: Slot) -> ModelReport:
    reason = report.reason
    if not report.healthy and slot.trouble:
        reason = f"{slot.trouble}; {reason}" if reason else slot.trouble
    return replace(report, reason=reason, memory_bytes=slot.memory_bytes, restarts=max(0, slot.starts - 1))


def _ending(code: int) -> str:
    if code == 127:
        return "cannot be run (code 127)"
    return f"ended with code {code}" if code <= 128 else f"was ended by {_signal_name(code - 128)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _mib(count: int) -> str:
    return f"{count / 2**20:.0f} MiB"
