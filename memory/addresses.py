"""What an address says of where it is."""

from __future__ import annotations

import ipaddress


def is_loopback(name: str) -> bool:
    """Tell whether a host name or address, with or without brackets, is this machine's own.

    Args:
        name: e.g. `localhost`, `127.0.0.2`, `[::1]`.

    Returns:
        False for every name that would have to be looked up.
    """
    bare = name.strip("[]").lower()
    if bare == "localhost":
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False


def reachable(host: str) -> str:
    """Return an address that this machine reaches a listening address by.

    Args:
        host: as listened on.

    Returns:
        The same, or loopback for "all addresses"; IPv6 in brackets, as an address in the web needs them.
    """
    known = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}
    return known.get(host, f"[{host}]" if ":" in host else host)
