"""What a run of the stack was asked for, and whether this machine's transport can serve it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from memory.addresses import is_loopback
from memory.fleet import FleetNode
from memory.settings import Settings
from ops.part import ConfigurationWrong
from services import inventory

HOWTO = "see docs/howto/fleet.md"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What runs here beside the truth plane."""

    nodes: tuple[FleetNode, ...] = ()  # of the inventory; without one this machine is the only node and has its models
    workers: bool = False  # also the workers and the agent of each node of the inventory
    flower: bool = False


def choose(settings: Settings, *, workers: bool = False, flower: bool = False) -> Wanted:
    """Read the inventory and see that the fleet can be served from here.

    Args:
        settings: `nodes` and `redis_url` of this run.
        workers: whether each node's workers and agent run here.
        flower: whether Flower runs here.

    Returns:
        What was asked for.

    Raises:
        ConfigurationWrong: workers are wanted without an inventory, or nodes could not reach the broker.
        InvalidInput: the inventory cannot be read or is not valid; the message names table and field.
    """
    if workers and not settings.nodes:
        raise ConfigurationWrong("--with-workers runs the workers of an inventory; name it with --nodes.")
    nodes = inventory.read(settings) if settings.nodes else ()
    check_broker(settings, nodes)
    return Wanted(nodes=nodes, workers=workers, flower=flower)


def check_broker(settings: Settings, nodes: tuple[FleetNode, ...]) -> None:
    """See that other machines can reach the broker, and only those that know its password.

    Args:
        settings: `redis_url`; empty for the embedded broker.
        nodes: of the inventory.

    Raises:
        ConfigurationWrong: a node is another machine, and the broker is the embedded one or has no password.
    """
    away = [node.name for node in nodes if not is_loopback(node.host)]
    if not away:
        return
    who = away[0] if len(away) == 1 else f"{away[0]} and {len(away) - 1} more nodes"
    if not settings.redis_url:
        message = (
            f"{who} cannot reach the embedded broker, which serves this machine only. Set REDIS_URL to a Redis server "
            f"with a password; {HOWTO}."
        )
        raise ConfigurationWrong(message, nodes=away)
    if not urlsplit(settings.redis_url).password:
        message = f"The broker of {who} needs a password: set REDIS_PASSWORD, or REDIS_PASSWORD_FILE; {HOWTO}."
        raise ConfigurationWrong(message, nodes=away)
