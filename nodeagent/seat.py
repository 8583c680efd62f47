"""One agent works for a node: whoever holds the node's seat in the broker. A second one waits and does nothing else."""

from __future__ import annotations

import logging

from nodeagent.broker import Broker
from nodeagent.marks import Mark, own_mark
from nodeagent.processes import started_ticks, this_machine
from nodeagent.report import LIFE_SECONDS

log = logging.getLogger(__name__)


class Seat:
    """What this agent knows of others of its node."""

    def __init__(self, broker: Broker) -> None:
        """Have asked nothing yet.

        Args:
            broker: of the node.
        """
        self.works: bool | None = None  # None: not decided yet
        self.problem = ""  # for a person
        self._broker = broker
        self._mine = own_mark(0)
        self._free_since: float | None = None  # monotonic; while this agent waits

    def look(self, now: float) -> bool:
        """Keep the seat, take it when it is free, or wait for it; to be called with every report.

        An agent that works goes on when another one has taken its seat, for example after a flush, and says so.

        Args:
            now: monotonic seconds.

        Returns:
            Whether this agent works.

        Raises:
            BrokerDown: it cannot be reached.
        """
        holder, waiting = self._broker.seat()
        other = None if holder is None or holder == self._mine or _has_ended(holder) else holder
        if other is None and self._may_sit(holder, now):
            self._broker.take_seat(self._mine)
            self.works = True
        elif not self.works:
            self.works = False
            self._broker.wait_for_seat(self._mine)
        self._say(other, waiting if waiting not in (self._mine, holder) else None)
        return bool(self.works)

    def alone(self) -> None:
        """Work without having asked: the broker is away, and the node is not to wait for it."""
        self.works = True if self.works is None else self.works

    def leave(self) -> None:
        """Give the seat back, if it is this agent's.

        Raises:
            BrokerDown: it is free by itself a little later.
        """
        holder, waiting = self._broker.seat()
        self._broker.leave_seat(seat=holder == self._mine, waiting=waiting == self._mine)

    def _may_sit(self, holder: Mark | None, now: float) -> bool:
        """Whether a seat that nobody else holds may be taken.

        Who has waited for it waits a little longer when it is empty: after a flush its agent is still there.
        """
        if self.works is not False or holder is not None:
            return True
        self._free_since = now if self._free_since is None else self._free_since
        return now - self._free_since >= LIFE_SECONDS

    def _say(self, other: Mark | None, waiting: Mark | None) -> None:
        if other is not None:
            self._free_since = None
        if other is not None and self.works:
            words = f"another agent of this node works as well ({_who(other)}); stop one of them"
        elif other is not None:
            words = (
                f"another agent of this node works already ({_who(other)}); this one does nothing until it has ended"
            )
        elif waiting is not None and not _has_ended(waiting):
            words = (
                f"a second agent of this node was started ({_who(waiting)}) and waits; stop it, or correct its --node"
            )
        else:
            words = ""
        if words != self.problem:
            log.warning("%s", words or "no other agent of this node is heard of")
        self.problem = words


def _has_ended(mark: Mark) -> bool:
    """Whether it is certain that an agent has ended; of another machine's nothing is."""
    return bool(mark.machine) and mark.machine == this_machine() and started_ticks(mark.pid) != mark.started


def _who(mark: Mark) -> str:
    place = "this machine" if mark.machine == this_machine() else "another machine or container"
    return f"process {mark.pid} of {place}"
