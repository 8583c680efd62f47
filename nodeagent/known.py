"""What the agent was told: which node it is and which nodes are paused. It keeps the last it knew through a flush."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from urllib.parse import urlsplit

from memory import inventory, pausing
from memory.errors import InvalidInput
from memory.fleet import FleetNode, Pause
from memory.records import Micros
from nodeagent.broker import Facts

log = logging.getLogger(__name__)


class Known:
    """The inventory's line about this node and the pause, as last heard."""

    def __init__(self, name: str) -> None:
        """Start with nothing heard.

        Args:
            name: of the node.
        """
        self.node = FleetNode(name=name)
        self.problem = "no inventory was published yet"
        self.paused = False
        self._name = name
        self._inventory: bytes | None = None
        self._pause = Pause()

    def hear(self, facts: Facts) -> None:
        """Take note of what the broker says.

        Args:
            facts: as read.
        """
        if facts.inventory is not None and facts.inventory != self._inventory:
            self._inventory = facts.inventory
            self._hear_inventory(facts.inventory)
        self._hear_pause(facts.paused, facts.now)

    def _hear_inventory(self, text: bytes) -> None:
        try:
            nodes = {node.name: node for node in inventory.decode(text)}
        except InvalidInput as error:
            self.problem = str(error)
        else:
            found = nodes.get(self._name)
            self.node = found or FleetNode(name=self._name)
            self.problem = "" if found else f"{self._name} is not in the inventory, which names {', '.join(nodes)}"
        told = f"{self._name} is of card {self.node.card}, lane {self.node.lane}, at {self.node.host}"
        log.log(logging.WARNING if self.problem else logging.INFO, "inventory: %s", self.problem or told)

    def _hear_pause(self, text: bytes | None, now: Micros) -> None:
        try:
            published = None if text is None else pausing.decode(text)
        except InvalidInput as error:
            log.debug("%s", error)
            published = None
        self._pause = pausing.latest(self._pause, published, now=now)
        before, self.paused = self.paused, self._pause.until.get(self._name, 0) > now
        if before != self.paused:
            log.info("%s is %s", self._name, "paused" if self.paused else "no longer paused")


def ports_of(urls: Iterable[str]) -> frozenset[int]:
    """Return the ports of addresses.

    Args:
        urls: of model servers.

    Returns:
        Those that are named; an address that cannot be read has none, and its probe says so.
    """
    found = set()
    for url in urls:
        try:
            found.add(urlsplit(url).port)
        except ValueError as error:
            log.debug("%s: %s", url, error)
    return frozenset(port for port in found if port is not None)
