"""Brings the terms of a store's rows up to the version of the segmentation, once for each lease of the writer.

Query and row must be cut by one rule. Until a row is cut anew it is found by the terms that both versions have in
common, which are nearly all.
"""

from __future__ import annotations

import logging

from services.host import Host
from store import generations, shadows

log = logging.getLogger(__name__)

# One transaction holds the file's lock for about 0.1 s.
BATCH = 500


def begin(host: Host, tenant: str, token: int) -> None:
    """Cut the rows anew that another version of the segmentation cut; after a stop in between the next call goes on.

    Args:
        host: the truth plane's adapters.
        tenant: whose file.
        token: of the writer's lease; a tenant that was begun under it is left as it is.
    """
    if host.begun.get(tenant) == token:
        return
    count = 0
    while more := _batch(host, tenant, token):
        count += more
    if count:
        log.info("tenant=%s rows segmented anew: %d", tenant, count)


def _batch(host: Host, tenant: str, token: int) -> int:
    """Cut some rows anew; returns how many. With the last ones readers are told, in the same transaction."""
    with host.store.read(tenant) as db:
        if not shadows.outdated(db, most=1):
            return 0
    with host.store.fenced(tenant, token) as tx:
        old = shadows.outdated(tx, most=BATCH)
        # A row that nothing refers to any more has no text but its terms.
        shadows.cut_anew(tx, generations.texts(tx, list(old)))
        if not shadows.outdated(tx, most=1):
            shadows.announce_to_all(tx, at=host.clock())
    return len(old)
