"""Which model server of a node does what, and at which address."""

from __future__ import annotations

from collections.abc import Mapping

from memory import server_addresses
from memory.fleet import FleetNode, Role
from memory.ports import FleetSight, Heartbeat
from memory.server_addresses import has_ports, port_of
from memory.settings import Settings


def server_url(node: FleetNode, role: Role, settings: Settings) -> str:
    """Return the address of a node's server.

    Args:
        node: of the inventory.
        role: what the server is for.
        settings: `embed_url`, `rerank_url` and `llm_url`.

    Returns:
        `http://host:port`; empty when the node has no such server.
    """
    own: Mapping[Role, str] = {"embed": settings.embed_url, "rerank": settings.rerank_url, "llm": settings.llm_url}
    return server_addresses.server_url(node, role, own)


def able(sight: FleetSight, role: Role) -> list[Heartbeat]:
    """Return the workers that take interactive work and can do what a role is for.

    Args:
        sight: the fleet.
        role: of the model server that is needed.
    """
    return [beat for beat in well(sight, role) if beat.consuming]


def well(sight: FleetSight, role: Role) -> list[Heartbeat]:
    """Return the interactive workers that can do what a role is for, whether or not they take more work.

    Args:
        sight: the fleet.
        role: of the model server that is needed.
    """
    having = {f"interactive@{node.name}" for node in sight.nodes if _has(node, role)}
    return [beat for beat in sight.heartbeats if beat.worker in having and beat.healthy and role not in beat.failing]


def _has(node: FleetNode, role: Role) -> bool:
    return not has_ports(node) or port_of(node, role) is not None


def slots_of(node: FleetNode, lane: str, settings: Settings) -> int:
    """Return how many model calls a node's worker makes at a time.

    Args:
        node: of the inventory; the settings have the slots of a node without ports.
        lane: interactive or background.
        settings: of the process.
    """
    if has_ports(node):
        return node.slots
    return settings.interactive_slots if lane == "interactive" else settings.background_slots
