"""Counts of what is kept and of what is owed."""

from __future__ import annotations

from typing import Any

from memory.records import Scope
from services.host import Host
from store import counts


def stats(scope: Scope, host: Host, *, whole: bool = True) -> dict[str, Any]:
    """Return the counts of what the scope may see in its spaces.

    Args:
        scope: whose spaces.
        host: the adapters.
        whole: whether the caller may see all of the tenant, and so learn the size of its file.

    Returns:
        `documents`, `chunks`, `sessions`, `episodes`, `memories` (live, superseded, forgotten), `jobs` by state,
        `candidates` by outcome, `tokens` of all sources, `store_bytes` of the tenant's file, or None.
    """
    with host.store.read(scope.tenant) as db:
        found = counts.of_spaces(scope, db, at=host.clock())
    return {**found, "store_bytes": host.store.path(scope.tenant).stat().st_size if whole else None}
