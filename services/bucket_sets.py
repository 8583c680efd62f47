"""Sets of buckets: all that a space has of its own, those that every space of a tenant has, and suggestions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memory.bucket_ideas import IDEAS, MOST_SUGGESTED
from memory.buckets import belongs
from memory.errors import InvalidInput
from memory.records import Actor, Scope
from services import asking, bucket_changes, bucketing, owed
from services.host import Host
from store import buckets
from store.connection import Writer
from store.requests import Request

# A few milliseconds a thousand; what was told lately says what a profile is to have.
LOOKED_AT = 2_000


def replace_all(scope: Scope, host: Host, actor: Actor, wanted: Sequence[tuple[str, str]]) -> None:
    """Let the profile of a space have just these buckets of its own; those of the tenant's settings stay.

    Args:
        scope: whose; one space.
        host: the adapters.
        actor: who asks.
        wanted: key and description of each.

    Raises:
        InvalidInput: more than a space may have.
        ModelUnavailable: no node can embed a description; nothing changed.
        Pending: kept, it follows.
    """
    if len(wanted) > bucket_changes.MOST_BUCKETS:
        raise InvalidInput(f"A space has at most {bucket_changes.MOST_BUCKETS} buckets.", field="profileBuckets")
    vectors = bucketing.encode_each(host, [description for _, description in wanted])
    rows = [
        {"key": key, "description": description, "vector": vector}
        for (key, description), vector in zip(wanted, vectors, strict=True)
    ]
    asking.ask(scope, host, actor, "bucket.set", {"space": scope.space, "buckets": rows})


def share(scope: Scope, host: Host, actor: Actor, definitions: Mapping[str, str]) -> None:
    """Let every space of the tenant have these buckets, and no shared one beside them; the beat fills them.

    Args:
        scope: whose tenant.
        host: the adapters.
        actor: who asks.
        definitions: description by key.

    Raises:
        Pending: kept, it follows.
    """
    asking.ask(scope, host, actor, "bucket.share", {"definitions": dict(definitions), "job": ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A bucket that memories would be in."""

    key: str
    description: str
    memories: int  # of those looked at


def suggest(scope: Scope, host: Host) -> list[Suggestion]:
    """Return the buckets that most of the newest memories would be in, by the rule that fills buckets.

    Args:
        scope: whose memories; keys that one of its spaces has are left out.
        host: the adapters.

    Raises:
        ModelUnavailable: no node can embed the descriptions.
    """
    with host.store.read(scope.tenant) as db:
        known = {one.key for _, one in buckets.listing(scope, db)}
        # Vectors of two models do not compare.
        told = [] if owed.mismatch(db, host.settings) else buckets.newest(scope, db, most=LOOKED_AT)
    ideas = {key: text for key, text in IDEAS.items() if key not in known}
    if not told or not ideas:
        return []
    described = host.models.embed(list(ideas.values())).vectors
    alike = np.array([np.frombuffer(vector, dtype="<f4") for _, vector in told]) @ described.T
    found = [
        Suggestion(
            key=key, description=text,
            memories=sum(belongs(float(alike[row, column]), told[row][0], text) for row in range(len(told))),
        )
        for column, (key, text) in enumerate(ideas.items())
    ]  # fmt: skip
    wanted = sorted((one for one in found if one.memories), key=lambda one: -one.memories)
    return wanted[:MOST_SUGGESTED]


def keep_all(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Let a space have just the buckets asked for as its own, and sort the first of the memories into them."""
    scope, at = Scope(tenant=tenant, spaces=(str(asked.payload["space"]),)), host.clock()
    wanted = {str(one["key"]): one for one in asked.payload["buckets"]}
    for key in buckets.own_keys(scope, tx):
        if key not in wanted:
            buckets.retire(scope, tx, key=key, at=at)
    vectors = {
        str(buckets.put(scope, tx, key=key, description=str(one["description"]), at=at)): str(one["vector"])
        for key, one in wanted.items()
    }
    if vectors:
        bucketing.fill_some(host, tx, vectors, at=at)
    return {}


def keep_shared(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Let every space have the buckets of the tenant's settings."""
    return {"changed": buckets.share(tx, asked.payload["definitions"], at=host.clock())}


HANDLERS = {"bucket.set": keep_all, "bucket.share": keep_shared}
