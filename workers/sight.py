"""Sees the fleet through the broker: one round trip, at most once a second unless somebody needs it fresh."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from memory import inventory, pausing
from memory.errors import InvalidInput
from memory.fleet import LANES, FleetNode, NodeReport, Pause
from memory.ports import FleetSight, Heartbeat
from memory.settings import Settings
from nodeagent.report import decode, node_key
from services.inventory import read as read_inventory
from workers.heartbeat import LIFE_SECONDS, UNREADABLE, heartbeat_key, read_heartbeat

log = logging.getLogger(__name__)

KEEP_SECONDS = 1.0
# What was seen less than this ago is as fresh as can be.
FRESH_SECONDS = 0.05
# Consumed on the host, by workers that bear the name of its own node.
OWN_QUEUES = ("host", "reconcile")


class BrokerSight:
    """The port `LookAtFleet`. Thread safe; never raises.

    While the broker is away, or has been flushed, the inventory and the pauses stay as they were known last: a pause
    until its end.
    """

    def __init__(
        self,
        client: Redis,
        *,
        nodes: Sequence[FleetNode] | None = None,
        alone: Sequence[FleetNode] = inventory.LOCAL,
        beside: Sequence[str] = (),
    ) -> None:
        """Have seen nothing yet.

        Args:
            client: one of `workers.transport.connect`.
            nodes: the inventory, when it is known; None to go by the one that the host publishes.
            alone: the inventory as long as no fleet is published.
            beside: other workers to see, `<queue>@<name>`.
        """
        self._client = client
        self._given = nodes is not None
        self._alone = tuple(alone)
        self._beside = tuple(beside)
        self._pause = Pause()
        self._sight = FleetSight(at=_now(), nodes=self._alone if nodes is None else tuple(nodes))
        self._looked = 0.0  # monotonic; 0: never
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, *, fresh: bool = False) -> FleetSight:
        """Return what was seen about a second ago at most.

        Args:
            fresh: look now.

        Returns:
            The fleet; `broker` is False when it could not be asked.
        """
        if self._age() <= (FRESH_SECONDS if fresh else KEEP_SECONDS):
            return self._sight
        # One look serves all; who does not need it fresh takes the last one meanwhile.
        if self._lock.acquire(blocking=fresh or not self._looked):
            try:
                if self._age() > FRESH_SECONDS:
                    self._look()
            finally:
                self._lock.release()
        return self._sight

    def _age(self) -> float:
        return time.monotonic() - self._looked if self._looked else float("inf")

    def _look(self) -> None:
        try:
            self._sight = self._read()
        except RedisError as error:
            if self._sight.broker is not False:
                log.info("the fleet cannot be seen: %s", error)
            now = self._carried_on()
            self._pause = pausing.latest(self._pause, None, now=now)
            self._sight = replace(
                self._sight, at=now, broker=False, heartbeats=(), reports={}, paused=dict(self._pause.until)
            )
        self._looked = time.monotonic()

    def _carried_on(self) -> int:
        """Return the broker's time as far as it is known: a clock of this machine that is ahead must end no pause."""
        if self._sight.broker is None:
            return _now()
        return self._sight.at + round((time.monotonic() - self._looked) * 1_000_000)

    def _read(self) -> FleetSight:
        # A new inventory is read with the keys of the old one, and its nodes a second later.
        names = [node.name for node in self._sight.nodes]
        workers = [*(f"{lane}@{name}" for name in names for lane in LANES), *self._beside]
        pipe = self._client.pipeline(transaction=False)
        pipe.time()
        pipe.mget([inventory.INVENTORY_KEY, pausing.PAUSED_KEY])
        pipe.mget([heartbeat_key(worker) for worker in workers])
        pipe.mget([node_key(name) for name in names])
        (seconds, micros), (nodes, paused), beats, reports = pipe.execute()
        now = int(seconds) * 1_000_000 + int(micros)
        published = None if paused is None else self._tolerant(pausing.decode, paused)
        self._pause = pausing.latest(self._pause, published, now=now)
        return FleetSight(
            at=now,
            nodes=self._nodes(nodes),
            broker=True,
            heartbeats=tuple(self._beats(workers, beats, now)),
            reports=self._reports(names, reports),
            paused=dict(self._pause.until),
        )

    def _nodes(self, published: bytes | None) -> tuple[FleetNode, ...]:
        if self._given or published is None:
            return self._sight.nodes
        nodes: tuple[FleetNode, ...] | None = self._tolerant(inventory.decode, published)
        if nodes is None:
            return self._sight.nodes
        # One machine without an inventory publishes the node `local`, whatever its processes are named.
        return self._alone if nodes == inventory.LOCAL else nodes

    def _beats(self, workers: Sequence[str], texts: Sequence[bytes | None], now: int) -> Iterable[Heartbeat]:
        for worker, text in zip(workers, texts, strict=True):
            if text is not None:
                try:
                    yield read_heartbeat(worker, text, left_ms=round(LIFE_SECONDS * 1000), now=now)
                except UNREADABLE as error:
                    self._once(f"the heartbeat of {worker} cannot be read: {error!r}")

    def _reports(self, names: Sequence[str], texts: Sequence[bytes | None]) -> dict[str, NodeReport]:
        found = {name: self._tolerant(decode, text) for name, text in zip(names, texts, strict=True) if text}
        return {name: report for name, report in found.items() if report is not None}

    def _tolerant(self, read: Any, text: bytes) -> Any:
        """Read what another process wrote; None, and one line in the log, when it cannot be read."""
        try:
            return read(text)
        except InvalidInput as error:
            self._once(error.message)
            return None

    def _once(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            log.warning("%s", words)


def host_sight(client: Redis, settings: Settings) -> BrokerSight:
    """Return the view of a process of the truth plane, which knows the inventory and sees the host's own workers.

    Args:
        client: one of `workers.transport.connect`.
        settings: of the process.

    Returns:
        A view that has seen nothing yet.

    Raises:
        InvalidInput: the inventory file cannot be read.
    """
    nodes = read_inventory(settings)
    if not settings.nodes:
        nodes = (replace(nodes[0], name=settings.node),)
    return BrokerSight(client, nodes=nodes, beside=[f"{queue}@{settings.node}" for queue in OWN_QUEUES])


def _now() -> int:
    return time.time_ns() // 1000
