"""Counts of what is kept and of what is owed."""

from __future__ import annotations

from typing import Any

from memory.records import Scope
from services.host import Host
from store import counts


def stats(scope: Scope, host: Host) -> dict[str, Any]:
    """Return the counts of the scope's spaces.

    Returns:
        `documents`, `chunks`, `sessions`, `episodes`, `memories` (live, superseded, forgotten), `jobs` by state,
        `candidates` by outcome, `tokens` of all sources, `store_bytes` of the tenant's file.
    """
    with host.store.read(scope.tenant) as db:
        found = counts.of_spaces(scope, db, at=host.clock())
    return {**found, "store_bytes": host.store.path(scope.tenant).stat().st_size}
