"""Notices a worker that lives and takes no work, and restarts it.

Its process, its heartbeat and its connection are there; only a task that comes back shows that it still consumes. One
that is frozen has no heartbeat either, but its process still lives here. A restart is a signal: whoever supervises the
worker starts it again.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from nodeagent.broker import WorkerFacts
from nodeagent.marks import Mark, is_here

log = logging.getLogger(__name__)

CANARY_SECONDS = 30.0
# Three canaries in a row: one may be lost between the broker's pop and the worker.
STALL_SECONDS = 90.0
# A worker whose slots are all taken cannot run a canary. Longer than two of the longest model calls (120 s each), so
# that only a worker whose tasks never end is meant.
FULL_SECONDS = 300.0
# A worker that was told to end may finish what it runs.
KILL_SECONDS = 20.0

Verdict = Literal["well", "stalled"]


@dataclass(slots=True)
class Watched:
    """What is remembered of one worker. Times are monotonic seconds."""

    seen: Mark | None = None  # the newest mark
    since: float | None = None  # when the worker last showed that it takes work, or began to be watched
    sent_at: float | None = None
    number: int = 0  # of the last canary sent
    kill_at: float | None = None  # it was told to end
    others: set[Mark] = field(default_factory=set)  # of processes that bore this worker's name before
    twice: str = ""  # what was last said of two of them at a time


def judge(watched: Watched, facts: WorkerFacts, now: float, *, lives: bool = False) -> Verdict:
    """Take note of what a worker showed, and say whether it still takes work.

    Args:
        watched: of this worker; changed.
        facts: what the broker says of it.
        now: monotonic seconds.
        lives: whether its process is seen on this machine.

    Returns:
        `stalled` for a worker that beats, or whose process lives here without a heartbeat, and whose canaries have not
        come back for too long.
    """
    if not facts.beats and not lives:
        # It ended or is on another machine, which others see as well.
        watched.since = None
        return "well"
    if watched.since is None or (facts.mark is not None and facts.mark != watched.seen):
        watched.since = now
    watched.seen = facts.mark or watched.seen
    return "stalled" if now - watched.since >= (FULL_SECONDS if facts.full else STALL_SECONDS) else "well"


def is_due(watched: Watched, facts: WorkerFacts, now: float) -> bool:
    """Return whether to send a worker a canary.

    Args:
        watched: of this worker.
        facts: what the broker says of it.
        now: monotonic seconds.

    Returns:
        False while the last one still waits in its queue: a second one would show nothing more.
    """
    recent = watched.sent_at is not None and now - watched.sent_at < CANARY_SECONDS
    return facts.beats and not facts.waiting and not recent


class Canaries:
    """The canaries of a node's workers."""

    def __init__(
        self,
        send: Callable[[str, int], None],
        *,
        factor: float = 1.0,
        here: Callable[[Mark], bool] = is_here,
        kill: Callable[[int, int], None] = os.kill,
    ) -> None:
        """Start with nothing known.

        Args:
            send: sends a worker its canary of a number.
            factor: divides every wait, for tests.
            here: whether the process of a mark runs on this machine.
            kill: sends a process a signal.
        """
        self._send = send
        self._factor = factor
        self._here = here
        self._kill = kill
        self._watched: dict[str, Watched] = {}

    def look(self, workers: tuple[WorkerFacts, ...], now: float) -> tuple[str, ...]:
        """Send what is due, restart what is stalled.

        Args:
            workers: of this node.
            now: monotonic seconds.

        Returns:
            What a person should know, a sentence for each stalled worker.

        Raises:
            BrokerDown: a canary could not be sent.
        """
        now *= self._factor
        problems = [
            words
            for facts in workers
            for watched in [self._watched.setdefault(facts.worker, Watched())]
            for words in (self._look(watched, facts, now), self._twice(watched, facts))
        ]
        return tuple(filter(None, problems))

    def interrupt(self) -> None:
        """Begin anew: while the broker was away, or the node lent out, no canary could come back."""
        for watched in self._watched.values():
            watched.since = watched.sent_at = None

    def known(self) -> Mapping[str, Mark]:
        """Return the newest mark of each worker that has left one."""
        return {worker: watched.seen for worker, watched in self._watched.items() if watched.seen is not None}

    def _look(self, watched: Watched, facts: WorkerFacts, now: float) -> str:
        self._remember(watched, facts.mark)
        mark = facts.mark or watched.seen
        lives = not facts.beats and mark is not None and self._here(mark)
        if judge(watched, facts, now, lives=lives) == "stalled":
            return self._restart(watched, facts, now)
        watched.kill_at = None
        if is_due(watched, facts, now):
            watched.number += 1
            self._send(facts.worker, watched.number)
            watched.sent_at = now
        return ""

    def _remember(self, watched: Watched, mark: Mark | None) -> None:
        """Keep the process that bore the name until now, when another one does."""
        before = watched.seen
        if mark is not None and before is not None and _process(mark) != _process(before):
            watched.others.add(_process(before))
            watched.others.discard(_process(mark))

    def _twice(self, watched: Watched, facts: WorkerFacts) -> str:
        """Say that two processes of this machine bear one worker's name: each hides what the other holds."""
        watched.others = {other for other in watched.others if self._here(other)}
        words = ""
        if watched.others and watched.seen is not None:
            pids = sorted({watched.seen.pid, *(other.pid for other in watched.others)})
            which = ", ".join(map(str, pids))
            words = f"{facts.worker} runs twice on this machine: processes {which}; stop one of them"
        if words and words != watched.twice:
            log.warning("%s", words)
        watched.twice = words
        return words

    def _restart(self, watched: Watched, facts: WorkerFacts, now: float) -> str:
        mark = watched.seen
        how = "beats but takes" if facts.beats else "lives without a heartbeat and takes"
        since = now if watched.since is None else watched.since
        words = f"{facts.worker} {how} no work since {now - since:.0f} s"
        if mark is None or not self._here(mark):
            return f"{words}; its process is not on this machine, restart it where it runs"
        if watched.kill_at is None:
            log.warning("%s; process %d is told to end", words, mark.pid)
            watched.kill_at = now + KILL_SECONDS
            self._signal(mark.pid, signal.SIGTERM)
        elif now >= watched.kill_at:
            log.warning("%s; process %d is killed", words, mark.pid)
            watched.kill_at = now + KILL_SECONDS
            self._signal(mark.pid, signal.SIGKILL)
        return f"{words}; process {mark.pid} is being restarted"

    def _signal(self, pid: int, number: int) -> None:
        try:
            self._kill(pid, number)
        except (ProcessLookupError, PermissionError) as error:
            log.warning("process %d cannot be ended: %s", pid, error)


def _process(mark: Mark) -> Mark:
    """Return a mark of the process alone, whatever canary it ran."""
    return replace(mark, number=0)
