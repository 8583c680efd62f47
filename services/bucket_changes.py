"""The buckets of a profile: which there are, one named or described anew, one taken away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.buckets import Bucket
from memory.errors import InvalidInput, NotFound
from memory.records import Actor, Scope
from memory.tenant_settings import MOST_BUCKETS as MOST_BUCKETS
from memory.vectors import encode_vectors
from services import asking, bucketing
from services.host import Host
from store import buckets
from store.connection import Reader, Writer
from store.requests import Request


def listing(scope: Scope, host: Host) -> list[tuple[str, Bucket]]:
    """Return the buckets of the scope's spaces, each with its space."""
    with host.store.read(scope.tenant) as db:
        return buckets.listing(scope, db)


def put(scope: Scope, host: Host, actor: Actor, key: str, description: str) -> list[tuple[str, Bucket]]:
    """Name a part of the profile of a space, or describe it anew; memories that are known are sorted into it at once.

    Args:
        scope: whose; one space.
        host: the adapters.
        actor: who asks.
        key: its name.
        description: what belongs into it.

    Returns:
        The buckets of the space.

    Raises:
        InvalidInput: the space has as many buckets as it may.
        ModelUnavailable: no node can embed the description; nothing changed.
        Pending: kept, it follows.
    """
    with host.store.read(scope.tenant) as db:
        _require_room(scope, db, key)
    vector = encode_vectors(host.models.embed([description]).vectors)
    payload = {"space": scope.space, "key": key, "description": description, "vector": vector}
    asking.ask(scope, host, actor, "bucket.put", payload)
    return listing(scope, host)


def remove(scope: Scope, host: Host, actor: Actor, key: str) -> list[tuple[str, Bucket]]:
    """Take a bucket away; its memories stay.

    Raises:
        NotFound: the space has no such bucket.
    """
    asking.ask(scope, host, actor, "bucket.remove", {"space": scope.space, "key": key})
    return listing(scope, host)


def _require_room(scope: Scope, db: Reader, key: str) -> None:
    known = [one.key for _, one in buckets.listing(scope, db)]
    if key not in known and len(known) >= MOST_BUCKETS:
        raise InvalidInput(f"A space has at most {MOST_BUCKETS} buckets.", field="key")


def keep(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Add a bucket or describe it anew, and sort the first of the memories into it.

    Raises:
        InvalidInput: others have been added since it was asked for, and there is room for no more.
    """
    payload = asked.payload
    scope = Scope(tenant=tenant, spaces=(str(payload["space"]),))
    _require_room(scope, tx, str(payload["key"]))
    at = host.clock()
    bucket_id = buckets.put(scope, tx, key=str(payload["key"]), description=str(payload["description"]), at=at)
    bucketing.fill_some(host, tx, {str(bucket_id): str(payload["vector"])}, at=at)
    return {"id": bucket_id}


def retire(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Take a bucket away.

    Raises:
        NotFound: the space has no such bucket.
    """
    scope = Scope(tenant=tenant, spaces=(str(asked.payload["space"]),))
    key = str(asked.payload["key"])
    if not buckets.retire(scope, tx, key=key, at=host.clock()):
        raise NotFound(f"The space has no bucket {key!r}.", field="key")
    return {}


HANDLERS = {"bucket.put": keep, "bucket.remove": retire}
