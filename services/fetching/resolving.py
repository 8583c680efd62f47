"""A name to all of its addresses: each is judged, and one bad one spoils the name.

A name that answers with a public and a private address is an attack or a mistake; which of them a connection would take
is left to chance, so neither is taken.
"""

from __future__ import annotations

import logging
import queue
import socket
import threading
from collections.abc import Callable, Sequence

from memory import networks
from memory.errors import FetchFailed, UrlRefused
from memory.networks import Address, Reach
from services.fetching.records import Deadline
from services.fetching.targets import BLOCKED_PORTS, PUBLIC_PORTS, Target

log = logging.getLogger(__name__)

# Host name to its addresses in text; raises OSError when it has none. The only thing that tests put in its place.
Resolve = Callable[[str], Sequence[str]]

# A name with more is not a page's; each would have to be judged and could be tried.
MOST_ADDRESSES = 32
# RFC 6761: a resolver has to answer these with this machine, whoever is asked.
_LOCAL_NAMES = ("localhost", "localhost.localdomain")


def system_resolve(host: str) -> Sequence[str]:
    """Ask the system's resolver, which takes as long as it likes.

    Args:
        host: a name in ASCII.

    Raises:
        OSError: it has no address, or nobody could be asked.
    """
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def check_unresolved(target: Target, reach: Reach) -> None:
    """Refuse what can be told to be out of reach without asking anybody.

    Args:
        target: what a URL names.
        reach: what may be contacted.

    Raises:
        UrlRefused: no fetch would contact it.
    """
    if target.address is not None:
        _judged(target.address, target.port, reach)
    elif target.host in _LOCAL_NAMES or target.host.endswith(".localhost"):
        for loopback in ("127.0.0.1", "::1"):
            _judged(networks.parse(loopback), target.port, reach)
    elif target.port in BLOCKED_PORTS or (not reach.allowed and target.port not in PUBLIC_PORTS):
        raise _no_port(target.port)


def addresses(target: Target, reach: Reach, deadline: Deadline, resolve: Resolve) -> tuple[Address, ...]:
    """Return the addresses a connection may go to, all of them judged.

    Args:
        target: what a URL names.
        reach: what may be contacted.
        deadline: of the fetch.
        resolve: asks for the addresses of a name.

    Raises:
        UrlRefused: one of them may not be contacted.
        FetchFailed: the name has none, or they did not come in time.
    """
    check_unresolved(target, reach)
    if target.address is not None:
        return (_judged(target.address, target.port, reach),)
    found = within(deadline, target.host, resolve)
    if not found:
        raise FetchFailed(f"The page could not be fetched: {target.host} has no address.")
    if len(found) > MOST_ADDRESSES:
        raise UrlRefused(f"This URL is not allowed: {target.host} has more than {MOST_ADDRESSES} addresses.")
    return tuple(_judged_of_name(target, text, reach) for text in found)


def _judged_of_name(target: Target, text: str, reach: Reach) -> Address:
    """Judge what a name leads to; the address goes to the log alone, or strangers could ask for the names in here."""
    try:
        return _judged(networks.parse(text), target.port, reach)
    except UrlRefused as error:
        log.info("%s leads to %s, which is not contacted", target.host, text)
        why = error.details.get("why")
        if why is None:
            raise
        raise UrlRefused(f"This URL is not allowed: {target.host} leads to an address that is {why}.") from error


def _judged(address: Address, port: int, reach: Reach) -> Address:
    judged = networks.check(address, port, reach)
    inside = any(judged in network for network in reach.allowed)
    if port in BLOCKED_PORTS or (not inside and port not in PUBLIC_PORTS):
        raise _no_port(port)
    return judged


def _no_port(port: int) -> UrlRefused:
    public = ", ".join(map(str, sorted(PUBLIC_PORTS)))
    return UrlRefused(f"This URL is not allowed: no page is fetched from port {port}, only from {public}.")


def within(deadline: Deadline, host: str, resolve: Resolve) -> Sequence[str]:
    """Wait for the resolver no longer than the deadline; the C library's call cannot be given one, nor be ended.

    Args:
        deadline: what is waited for.
        host: a name in ASCII.
        resolve: asks for its addresses.

    Returns:
        Its addresses in text.

    Raises:
        FetchFailed: it has none, or they did not come in time.
    """
    answer: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(resolve(host))
        except Exception as error:  # is raised in the thread that waits
            answer.put(error)

    threading.Thread(target=ask, name=f"resolve {host}"[:60], daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left())
    except queue.Empty:
        raise deadline.passed() from None
    if isinstance(found, OSError | UnicodeError):
        raise FetchFailed(f"The page could not be fetched: {host} has no address that could be found.") from found
    if isinstance(found, Exception):
        raise found
    return found
