"""One host for a broker: whoever holds its seat there. A second one would publish its inventory to the same nodes."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memory.errors import StoreError
from memory.settings import Settings

if TYPE_CHECKING:
    # The supervisor asks who has the seat and must not load what this needs.
    from memory.ports import FleetPort

log = logging.getLogger(__name__)

# Broker key of the seat, whose value names the machine and the data folder. Queues are keys too, and one is `host`.
HOST_KEY = "seat:host"
# Several looks of `node.watch` may be missed.
LIFE_SECONDS = 15.0


def own_name(settings: Settings) -> str:
    """Return what a host is called in its broker; chosen when it is asked for first, and kept in the data folder.

    Processes of one host may run in containers, each with a machine's name of its own; the folder is what they share.

    Args:
        settings: `data_dir`.

    Returns:
        `<machine>:<data folder>#<random>`, of where the folder was first used.

    Raises:
        StoreError: it cannot be kept.
    """
    place = Path(settings.data_dir).absolute() / "host.id"
    try:
        if not place.exists():
            _choose(place)
        return place.read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{place} cannot be used: {error.strerror}.") from error


def _choose(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, fresh = tempfile.mkstemp(prefix=".host-", dir=place.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"{socket.gethostname()}:{place.parent}#{secrets.token_hex(4)}")
    try:
        # Whole or not at all, and never in place of the one that another process chose meanwhile.
        os.link(fresh, place)
    except FileExistsError:
        log.debug("%s was chosen by another process", place)
    finally:
        os.unlink(fresh)


def taken_by(settings: Settings, holder: str | None) -> str | None:
    """Say who has the seat, when it is somebody else.

    Args:
        settings: of this host.
        holder: of the seat; None when it is free.

    Returns:
        One sentence for a person; None when this host may work.
    """
    if holder is None or holder == own_name(settings):
        return None
    return (
        f"Another memlane host works with this broker ({holder}), and its nodes can serve one only. Stop it, or give "
        f"this one a REDIS_URL of its own; a host that was killed counts as gone after {LIFE_SECONDS:.0f} s."
    )


def keep(settings: Settings, fleet: FleetPort) -> bool:
    """Take or keep the seat; to be called at every look. That another one has it is logged once.

    Args:
        settings: of this host.
        fleet: the broker.

    Returns:
        Whether this host is the one that speaks to the nodes.

    Raises:
        BrokerDown: it cannot be reached.
    """
    problem = taken_by(settings, fleet.hold(HOST_KEY, own_name(settings), LIFE_SECONDS))
    if problem:
        _say(problem)
    return problem is None


@lru_cache(maxsize=16)
def _say(words: str) -> None:
    log.error("%s", words)
