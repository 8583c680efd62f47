"""Which internet addresses may be contacted on a stranger's word.

A name or a spelling proves nothing; only the address that a connection goes to is judged. `ipaddress` alone is not
enough: its `is_global` follows the registry of the Python it came with, and calls multicast, 6to4, NAT64, the
discard-only and documentation ranges of newer registries and the deprecated IPv4-compatible forms global (Python
3.11.7). So an address has to pass `is_global` and the list below, and one that carries another address inside is judged
by what it carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from memory.errors import InvalidInput, UrlRefused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Never, not even when a setting allows a range around it: no page of anybody lies there.
NEVER: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(text), why)
    for text, why in (
        ("0.0.0.0/8", "this host"),
        ("169.254.0.0/16", "link-local, where clouds keep their metadata"),
        ("168.63.129.16/32", "the metadata service of a cloud"),
        ("100.100.100.200/32", "the metadata service of a cloud"),
        ("192.0.0.192/32", "the metadata service of a cloud"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved, with the broadcast address"),
        ("::/128", "this host"),
        ("fe80::/10", "link-local"),
        ("fd00:ec2::254/128", "the metadata service of a cloud"),
        ("fd20:ce::254/128", "the metadata service of a cloud"),
        ("ff00::/8", "multicast"),
    )
)
# Not public, whatever `is_global` says; a setting may allow some of it.
PRIVATE: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(text), why)
    for text, why in (
        ("127.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "a private network"),
        ("172.16.0.0/12", "a private network"),
        ("192.168.0.0/16", "a private network"),
        ("100.64.0.0/10", "shared by the customers of a carrier"),
        ("192.0.0.0/24", "for protocols"),
        ("192.0.2.0/24", "for documentation"),
        ("198.51.100.0/24", "for documentation"),
        ("203.0.113.0/24", "for documentation"),
        ("192.31.196.0/24", "a sink for queries"),
        ("192.52.193.0/24", "for tunnels"),
        ("192.175.48.0/24", "a sink for queries"),
        ("192.88.99.0/24", "a relay of 6to4"),
        ("198.18.0.0/15", "for benchmarks"),
        ("::1/128", "this machine"),
        ("::/96", "a deprecated form of IPv4"),
        ("::ffff:0:0:0/96", "a translated form of IPv4"),
        ("64:ff9b:1::/48", "NAT64 of a private network"),
        ("2001::/23", "for protocols, Teredo among them"),
        ("2001:db8::/32", "for documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "a sink for queries"),
        ("3fff::/20", "for documentation"),
        ("fc00::/7", "a private network"),
        ("fec0::/10", "a private network"),
    )
)
# All of IPv6 that anybody was ever given; what lies outside is special, also what nobody has thought of yet.
GIVEN_OUT = IPv6Network("2000::/3")
# The one prefix by which a translator reaches public IPv4. Source: RFC 6052, section 2.1.
NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_BITS = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a fetch may contact besides the public internet, and what it may not even then."""

    allowed: tuple[Network, ...] = ()  # private networks whose pages are fetched
    own: frozenset[tuple[Address, int | None]] = frozenset()  # of Memlane itself; without a port the whole machine


PUBLIC_ONLY = Reach()


def read(text: str, *, field: str | None = None) -> tuple[Network, ...]:
    """Read a list of networks.

    Args:
        text: CIDR notation with commas between, e.g. `192.168.1.0/24, fd12::/64`; a bare address is a network of one.
        field: what an error names.

    Raises:
        InvalidInput: one of them cannot be read, or lies in what is never contacted.
    """
    found = []
    for word in text.replace(",", " ").split():
        try:
            one = ip_network(word)
        except ValueError as error:
            message = f"{word!r} is no network; write it like 192.168.1.0/24 ({error})."
            raise InvalidInput(message, field=field) from error
        why = _within(one.network_address, NEVER)
        if why and _within(one.broadcast_address, NEVER) == why:
            raise InvalidInput(f"{word} cannot be allowed: it is {why}.", field=field)
        found.append(one)
    return tuple(found)


def check(address: Address, port: int, reach: Reach) -> Address:
    """Return the address to connect to, if it may be contacted.

    Args:
        address: as resolved or written.
        port: of the connection.
        reach: what is allowed besides the public internet.

    Returns:
        The same; for an IPv4 address in IPv6's clothes the IPv4 address.

    Raises:
        UrlRefused: it may not be contacted.
    """
    carried = _carried(address)
    judged = carried or address
    why = _why_not(judged, port, reach)
    if why:
        raise UrlRefused(f"This URL is not allowed: its address {address} is {why}.", address=str(address), why=why)
    return judged if carried and address not in NAT64 else address


def parse(text: str) -> Address:
    """Read an address as a resolver gives it.

    Raises:
        UrlRefused: it names a zone, which is a place on this machine's own links, or cannot be read.
    """
    if "%" in text:
        why = "link-local"
        raise UrlRefused(f"This URL is not allowed: its address {text} is {why}.", address=text, why=why)
    try:
        return ip_address(text)
    except ValueError as error:
        raise UrlRefused(f"This URL is not allowed: {text!r} is no address.", address=text) from error


def _carried(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that is reached by an IPv6 one."""
    if isinstance(address, IPv4Address):
        return None
    if address in NAT64:
        return IPv4Address(int(address) & _IPV4_BITS)
    return address.ipv4_mapped


def _why_not(address: Address, port: int, reach: Reach) -> str | None:
    never = _within(address, NEVER)
    if never:
        return never
    if reach.own & {(address, port), (address, None)}:
        return "one of Memlane's own services"
    if any(address in network for network in reach.allowed):
        return None
    return _within(address, PRIVATE) or (None if _is_public(address) else "not public")


def _is_public(address: Address) -> bool:
    return address.is_global and (isinstance(address, IPv4Address) or address in GIVEN_OUT)


def _within(address: Address, ranges: Sequence[tuple[Network, str]]) -> str | None:
    return next((why for network, why in ranges if address in network), None)
