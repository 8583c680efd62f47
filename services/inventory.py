"""Reads the inventory file that the settings name."""

from __future__ import annotations

from pathlib import Path

from memory import inventory
from memory.errors import InvalidInput
from memory.fleet import FleetNode
from memory.settings import Settings, environment_name


def read(settings: Settings) -> tuple[FleetNode, ...]:
    """Return the nodes of the fleet.

    Args:
        settings: `nodes` names the file.

    Returns:
        The nodes in the order of the file; the one node `local` when no file is named.

    Raises:
        InvalidInput: the file cannot be read or is not an inventory.
    """
    if not settings.nodes:
        return inventory.LOCAL
    try:
        text = Path(settings.nodes).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        message = f"The inventory {settings.nodes} cannot be read: {reason}."
        raise InvalidInput(message, field=environment_name("nodes")) from error
    return inventory.parse(text)
