"""A node's worker decides for itself whether to take its lane's work: the same rules, from the same facts, as all."""

from __future__ import annotations

import logging
import os
from typing import cast

from memory.fleet import FleetLane
from memory.lanes import Helping, assignment
from memory.ports import Heartbeat, LookAtFleet
from memory.presence import presences
from memory.settings import Settings
from services.breaker import Health

log = logging.getLogger(__name__)

DECIDE_SECONDS = 1.0


class LaneChoice:
    """One worker's choice, to be decided anew once a second on a thread of its own."""

    def __init__(self, lane: str, settings: Settings, look: LookAtFleet, health: Health) -> None:
        """Begin with no choice.

        Args:
            lane: interactive or background.
            settings: of the process; its node, and the seconds of fallback and return.
            look: sees the fleet.
            health: of the node's models, as this worker finds it.
        """
        self._lane = cast("FleetLane", lane)
        self._settings = settings
        self._look = look
        self._health = health
        self._helping = Helping()
        self._assigned: bool | None = None  # None: nothing decided yet
        self._why = ""

    def decide(self) -> None:
        """Look at the fleet and decide; while the broker is away the choice stays as it was."""
        sight = self._look(fresh=True)
        if sight.broker is False and self._assigned is not None:
            return
        node, factor = self._settings.node, self._settings.time_factor
        own = self._own(sight.at)
        beats = [beat for beat in sight.heartbeats if beat.worker != own.worker]
        decided = assignment(
            sight.nodes,
            presences([*beats, own], sight.reports, sight.paused),
            self._helping,
            now=sight.at,
            fallback=self._settings.fallback_seconds / factor,
            back=self._settings.return_seconds / factor,
        )
        self._helping = decided.helping
        self._assigned = self._lane in decided.lanes.get(node, ())
        self._say(decided.why.get(node, f"The inventory has no node {node}."))

    def wanted(self) -> bool:
        """Return whether to take the lane's work; costs nothing."""
        return bool(self._assigned) and self._health.healthy

    def _own(self, at: int) -> Heartbeat:
        """Return this worker's heartbeat as of now: what the broker has of it may be 3 s old, or flushed."""
        return Heartbeat(
            worker=f"{self._lane}@{self._settings.node}", pid=os.getpid(), at=at, slots=1,
            consuming=bool(self._assigned), queue_wait=0.0, healthy=self._health.healthy,
        )  # fmt: skip

    def _say(self, why: str) -> None:
        if why != self._why:
            self._why = why
            log.info("%s@%s: %s %s", self._lane, self._settings.node, "on." if self._assigned else "off.", why)
