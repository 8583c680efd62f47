"""A node's worker finds itself in the inventory: in a file, or in what the host published through the broker."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import replace

from redis import Redis

from memory.errors import InvalidInput
from memory.fleet import FleetNode, Role
from memory.inventory import LOCAL
from memory.ports import FleetSight, LookAtFleet
from memory.settings import Settings
from services import inventory
from services.node_servers import able
from workers.sight import BrokerSight
from workers.ticker import Ticker

log = logging.getLogger(__name__)

ASK_SECONDS = 1.0


def see_own_node(
    settings: Settings, client: Redis, *, wait: Callable[[], Ticker] | None = None
) -> tuple[BrokerSight, FleetNode]:
    """Return the process's view of the fleet, and its own node in it.

    Without an inventory the node is the only one, when its settings say where its servers are; else this waits until
    the host has published one that names it.

    Args:
        settings: of the process.
        client: of the broker.
        wait: called when it has to wait; starts what lets the host know, to be stopped when that is over.

    Returns:
        The view and the node.

    Raises:
        InvalidInput: the inventory file cannot be read, or has no such node.
    """
    alone = (replace(LOCAL[0], name=settings.node),)
    given = inventory.read(settings) if settings.nodes else None
    look = BrokerSight(client, nodes=given, alone=alone)
    own = _named(settings.node, look(fresh=True))
    if given is not None and own is None:
        raise InvalidInput(f"The inventory {settings.nodes} has no node {settings.node!r}.", field="node")
    if own in alone and not _can_be_alone(settings):
        own = None
    if own is None:
        own = _wait(settings.node, look, alone, wait)
    return look, own


def others(look: LookAtFleet, role: Role, but: Collection[str]) -> frozenset[str]:
    """Return the other nodes whose interactive workers take work and can do what a role is for.

    Args:
        look: sees the fleet.
        role: of the model server that is needed.
        but: this node, and those that were tried.
    """
    for fresh in (False, True):
        sight = look(fresh=fresh)
        found = {beat.worker.partition("@")[2] for beat in able(sight, role)}.difference(but)
        # A node that has just come is not among those of a second ago; where there is no other, none can come.
        if found or len(sight.nodes) < 2:
            break
    return frozenset(found)


def _wait(name: str, look: BrokerSight, alone: tuple[FleetNode, ...], wait: Callable[[], Ticker] | None) -> FleetNode:
    nodes = look().nodes
    published = "" if nodes == alone else f" (the one there is names {', '.join(node.name for node in nodes)})"
    log.warning("no inventory with a node %s is published yet%s; waiting for the host", name, published)
    saying = wait() if wait is not None else None
    try:
        while (own := _named(name, look(fresh=True))) is None or own in alone:
            time.sleep(ASK_SECONDS)
    finally:
        if saying is not None:
            saying.stop()
    return own


def _named(name: str, sight: FleetSight) -> FleetNode | None:
    return next((node for node in sight.nodes if node.name == name), None)


def _can_be_alone(settings: Settings) -> bool:
    return settings.node == LOCAL[0].name or bool(settings.embed_url)
