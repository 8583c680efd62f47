"""How much of the machine's load is the node's own doing: its model servers at work are not "busy with something else".

Counted as the kernel counts its load average, threads that run or want to, so that the two can be subtracted. Without
this a node that works at full speed would count as busy and give its own work away.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Iterator
from pathlib import Path

import psutil

log = logging.getLogger(__name__)

PROC = Path("/proc")
# As the kernel's 1-minute average.
MINUTE = 60.0
# Looking through every process's sockets costs some milliseconds.
SEARCH_SECONDS = 30.0
_LISTENING = psutil.CONN_LISTEN


class OwnLoad:
    """The 1-minute load average of the processes behind some ports."""

    def __init__(self, proc: Path = PROC) -> None:
        """Start with nothing known.

        Args:
            proc: where the kernel shows its figures.
        """
        self._proc = proc
        self._average = 0.0
        self._looked_at: float | None = None
        self._searched_at = -math.inf
        self._pids: frozenset[int] = frozenset()

    def look(self, ports: Collection[int], now: float) -> float:
        """Look once; to be called every few seconds.

        Args:
            ports: that the node's model servers listen on.
            now: monotonic seconds.

        Returns:
            Threads that ran or wanted to, averaged over the last minute; 0.0 for servers that this user may not see.
        """
        if now - self._searched_at >= SEARCH_SECONDS:
            self._searched_at = now
            self._pids = listeners(ports)
        wanting = sum(1 for pid in self._pids for state in _states(self._proc / str(pid) / "task") if state in "RD")
        passed = 0.0 if self._looked_at is None else now - self._looked_at
        self._looked_at = now
        kept = math.exp(-passed / MINUTE)
        self._average = self._average * kept + wanting * (1 - kept)
        return self._average


def listeners(ports: Collection[int]) -> frozenset[int]:
    """Return the processes that listen on any of some TCP ports.

    Args:
        ports: of this machine.

    Returns:
        Their ids; those of other users only when this process may see them.
    """
    if not ports:
        return frozenset()
    try:
        found = psutil.net_connections(kind="tcp")
    except (psutil.Error, OSError) as error:
        log.debug("sockets cannot be looked through: %s", error)
        return frozenset()
    # An address is (host, port), or empty.
    return frozenset(one.pid for one in found if one.pid and one.status == _LISTENING and set(one.laddr[1:]) & {*ports})


def _states(tasks: Path) -> Iterator[str]:
    for stat in tasks.glob("*/stat"):
        try:
            text = stat.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # the thread has ended meanwhile
        # The name in brackets may hold spaces and brackets itself; the state follows it.
        yield text[text.rindex(")") + 2]
