"""Spaces: which there are, and how much is in them."""

from __future__ import annotations

from typing import Any

from memory.records import Scope
from services.host import Host
from store import spaces


def names(host: Host, tenant: str) -> tuple[str, ...]:
    """Return the names of all spaces of a tenant, in order."""
    with host.store.read(tenant) as db:
        return spaces.names(db)


def listing(scope: Scope, host: Host) -> tuple[dict[str, Any], ...]:
    """Return name, documents, memories and retention of each space of the scope."""
    with host.store.read(scope.tenant) as db:
        return spaces.listing(scope, db)
