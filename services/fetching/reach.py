"""What the fetches of this installation may contact: the public web, the networks a setting names, never itself.

A network that an operator allows for its pages often holds Memlane's own machines too: the card network of the nodes,
the broker, the API, which answers its own machine without a key. Those stay closed, also where they have public
addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

import psutil

from memory import networks
from memory.addresses import is_loopback
from memory.errors import FetchFailed
from memory.fleet import FleetNode
from memory.networks import Address, Reach
from memory.settings import Settings
from services.fetching.records import Deadline
from services.fetching.resolving import Resolve, system_resolve, within

# For a name of an own machine, beside the time of the fetch; one that is not known by then is not reached either.
_RESOLVE_SECONDS = 2.0


def allowed(settings: Settings) -> Reach:
    """Return what can be told of the reach without asking anybody: the private networks that are allowed."""
    return Reach(allowed=networks.read(settings.allow_private_urls))


def reach(settings: Settings, nodes: Sequence[FleetNode], *, resolve: Resolve = system_resolve) -> Reach:
    """Return what a fetch may contact now.

    Args:
        settings: of this process.
        nodes: the inventory.
        resolve: asks for the addresses of the names in either; one without an address cannot be contacted anyway.

    Returns:
        The reach.
    """
    places = [*_servers(settings), (settings.host, settings.port), (settings.host, settings.flower_port)]
    places += [(node.host, port) for node in nodes for port in (node.embed_port, node.rerank_port, node.llm_port)]
    here, lying = _of_this_machine(), {host: _addresses(host, resolve) for host in {host for host, _ in places}}
    ports = {port for host, port in places if is_loopback(host) or _is_any(host) or here & lying[host]}
    cards = {node.host for node in nodes if not is_loopback(node.host)}
    own: set[tuple[Address, int | None]] = {(address, port) for address in here for port in ports if port is not None}
    own |= {(address, port) for host, port in places if port is not None for address in lying[host]}
    own |= {(address, None) for host in cards for address in lying[host] - here}
    return Reach(allowed=networks.read(settings.allow_private_urls), own=frozenset(own))


def _servers(settings: Settings) -> Iterable[tuple[str, int | None]]:
    for url in (settings.redis_url, settings.embed_url, settings.rerank_url, settings.llm_url):
        parts = urlsplit(url)
        if parts.hostname:
            yield parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme, 6379)


def _of_this_machine() -> set[Address]:
    found = {place.address.partition("%")[0] for places in psutil.net_if_addrs().values() for place in places}
    return {address for text in found if (address := _literal(text)) is not None}


def _is_any(host: str) -> bool:
    address = _literal(host)
    return host == "" or (address is not None and address.is_unspecified)


def _addresses(host: str, resolve: Resolve) -> set[Address]:
    literal = _literal(host)
    if literal is not None:
        return {literal}
    try:
        found = within(Deadline(_RESOLVE_SECONDS), host, resolve) if host else ()
    except FetchFailed:
        return set()
    return {address for text in found if (address := _literal(text.partition("%")[0])) is not None}


def _literal(text: str) -> Address | None:
    try:
        return ip_address(text.strip("[]"))
    except ValueError:
        return None
