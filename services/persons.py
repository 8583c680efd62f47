"""What only a person may ask for: an agent or a service that asks is refused."""

from __future__ import annotations

from memory.errors import PersonOnly
from memory.records import Actor


def require_person(actor: Actor) -> None:
    """Refuse whoever is not a person.

    Args:
        actor: who asks.

    Raises:
        PersonOnly: an agent or a service.
    """
    if actor.kind != "person":
        raise PersonOnly
