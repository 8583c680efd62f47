"""Brings the terms of a store's rows up to the version of the segmentation, in turns between the writer's other work.

Query and row must be cut by one rule. Until a row is cut anew it is found by the terms that both versions have in
common, which are nearly all. So nothing waits for it: a request goes before each batch, and a completion before each
turn, of which the writer gets the next one when it looks at its tenants (`services.configured_model.look`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

from services.host import Host
from store import generations, shadows

log = logging.getLogger(__name__)

# One transaction holds the file's lock for about 0.1 s.
BATCH = 500
# Of a run of the writer; at 15 s of lease the next one comes within 5 s.
TURN_SECONDS = 2.0


def turn(host: Host, tenant: str, token: int) -> Iterator[int]:
    """Cut some of the rows anew that another version of the segmentation cut; after a stop in between others go on.

    Args:
        host: the truth plane's adapters.
        tenant: whose file.
        token: of the writer's lease; a tenant whose rows were all cut under it is left as it is.

    Yields:
        How many rows were cut, after each batch.
    """
    until, count = time.monotonic() + TURN_SECONDS, 0
    cut = [0]
    while cut and host.segmented.get(tenant) != token and (not count or time.monotonic() < until):
        cut = _batch(host, tenant, token, after=cut[-1])
        if cut:
            count += len(cut)
            yield len(cut)
        else:
            host.segmented[tenant] = token
    if count:
        left = "none" if host.segmented.get(tenant) == token else "more"
        log.info("tenant=%s rows segmented anew: %d, left: %s", tenant, count, left)


def _batch(host: Host, tenant: str, token: int, *, after: int = 0) -> list[int]:
    """Cut some rows anew; returns their ids. With the last ones readers are told, in the same transaction."""
    with host.store.read(tenant) as db:
        old = shadows.outdated(db, after=after, most=BATCH)
    if not old:
        return []
    with host.store.fenced(tenant, token) as tx:
        # A row that nothing refers to any more has no text but its terms.
        shadows.cut_anew(tx, generations.texts(tx, old))
        if not shadows.outdated(tx, after=old[-1], most=1):
            shadows.announce_to_all(tx, at=host.clock())
    return old
