"""Where a node's model servers are, as its agent, its workers and the host have to agree on."""

from __future__ import annotations

from collections.abc import Mapping

from memory.addresses import reachable
from memory.fleet import FleetNode, Role
from memory.inventory import LOCAL


def server_urls(node: FleetNode, own: Mapping[Role, str]) -> Mapping[Role, str]:
    """Return the addresses of all of a node's servers.

    Args:
        node: of the inventory.
        own: addresses from a process's settings: of a node without ports, and of the local one.

    Returns:
        `http://host:port` by role; a role without a server is left out.
    """
    roles: tuple[Role, ...] = ("embed", "rerank", "llm")
    return {role: url for role in roles if (url := server_url(node, role, own))}


def server_url(node: FleetNode, role: Role, own: Mapping[Role, str]) -> str:
    """Return the address of one of a node's servers.

    The settings name the servers of a node without ports, and win for the local node.

    Args:
        node: of the inventory.
        role: what the server is for.
        own: addresses from the process's settings.

    Returns:
        `http://host:port`; empty when the node has no such server.
    """
    set_here = own.get(role, "")
    if set_here and (node.name == LOCAL[0].name or not has_ports(node)):
        return set_here
    port = port_of(node, role)
    return f"http://{reachable(node.host)}:{port}" if port is not None else ""


def has_ports(node: FleetNode) -> bool:
    """Return whether the inventory names any server of a node."""
    return any(port is not None for port in (node.embed_port, node.rerank_port, node.llm_port))


def port_of(node: FleetNode, role: Role) -> int | None:
    """Return the port that the inventory names for a node's server; None when it names none."""
    return {"embed": node.embed_port, "rerank": node.rerank_port, "llm": node.llm_port}[role]
