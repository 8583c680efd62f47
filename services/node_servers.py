"""Which model server of a node does what, and at which address."""

from __future__ import annotations

from memory.fleet import FleetNode, Role
from memory.inventory import LOCAL
from memory.ports import FleetSight, Heartbeat
from memory.settings import Settings

# An address to listen on is not always one to connect to.
_REACHABLE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def server_url(node: FleetNode, role: Role, settings: Settings) -> str:
    """Return the address of a node's server.

    The settings name the servers of a node without ports, and win for the local node.

    Args:
        node: of the inventory.
        role: what the server is for.
        settings: `embed_url`, `rerank_url` and `llm_url`.

    Returns:
        `http://host:port`; empty when the node has no such server.
    """
    set_here = {"embed": settings.embed_url, "rerank": settings.rerank_url, "llm": settings.llm_url}[role]
    if set_here and (node.name == LOCAL[0].name or not has_ports(node)):
        return set_here
    port = _port(node, role)
    return f"http://{_authority(node.host)}:{port}" if port is not None else ""


def has_ports(node: FleetNode) -> bool:
    """Return whether the inventory names any server of a node."""
    return any(port is not None for port in (node.embed_port, node.rerank_port, node.llm_port))


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
    return not has_ports(node) or _port(node, role) is not None


def _port(node: FleetNode, role: Role) -> int | None:
    return {"embed": node.embed_port, "rerank": node.rerank_port, "llm": node.llm_port}[role]


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


def _authority(host: str) -> str:
    host = _REACHABLE.get(host, host)
    return f"[{host}]" if ":" in host else host
