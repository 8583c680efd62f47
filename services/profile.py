"""The profile of a scope: what holds about it in a few lines, what is new, its buckets, and a search beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.errors import ModelError, NotFound
from memory.profile import DYNAMIC_MICROS, Profile, gathered, lasting, recent
from memory.records import Clocks, Memory, Micros, Scope, SearchAnswer, SearchQuery
from services import search as searching
from services.host import Host
from store import buckets, profiles
from store.connection import Reader

PARTS = ("static", "dynamic", "buckets")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a profile is asked for."""

    clocks: Clocks = field(default_factory=Clocks)
    parts: Collection[str] = PARTS
    keys: Sequence[str] | None = None  # of buckets; None: all
    limit: int = 50  # lines of each part
    q: str | None = None  # search results beside the profile
    results: int = 10
    threshold: float = 0.0
    filters: Any = None  # a memory.filters.Filter, already parsed: of the profile's memories and of the search


def profile(scope: Scope, host: Host, wanted: Wanted) -> Profile:
    """Return the profile of a scope at a point of both clocks.

    Args:
        scope: whose; spaces that do not exist are empty.
        host: the adapters.
        wanted: which parts.

    Raises:
        NotFound: a bucket that is named does not exist.
    """
    now = host.clock()
    with host.store.read(scope.tenant) as db:
        as_of, _ = wanted.clocks.resolved(now)
        only = profiles.matching(scope, db, wanted.filters)
        since = as_of - DYNAMIC_MICROS
        new: tuple[Memory, ...] = ()
        if "dynamic" in wanted.parts:
            rows = profiles.recent(scope, db, wanted.clocks, since=since, now=now, limit=wanted.limit, only=only)
            new = recent(rows, since=since, until=as_of, limit=wanted.limit)
        old: tuple[Memory, ...] = ()
        if "static" in wanted.parts:
            rows = profiles.lasting(scope, db, wanted.clocks, now=now, limit=wanted.limit + len(new), only=only)
            old = lasting(rows, limit=wanted.limit, but=new)
        sorted_in = _buckets(scope, db, wanted, only, now=now) if "buckets" in wanted.parts else {}
    found, degraded = _search(scope, host, wanted)
    return Profile(static=old, dynamic=new, buckets=sorted_in, search=found, degraded=degraded)


def _buckets(
    scope: Scope, db: Reader, wanted: Wanted, only: str | None, *, now: Micros
) -> Mapping[str, tuple[Memory, ...]]:
    known = buckets.listing(scope, db)
    missing = [key for key in wanted.keys or () if key not in {one.key for _, one in known}]
    if missing:
        raise NotFound(f"The space has no bucket {missing[0]!r}.", field="buckets")
    chosen = [one for _, one in known if wanted.keys is None or one.key in wanted.keys]
    held: dict[str, list[Memory]] = {one.key: [] for one in chosen}
    for one in chosen:
        rows = profiles.of_bucket(scope, db, wanted.clocks, one.id, now=now, limit=wanted.limit, only=only)
        held[one.key] += rows
    return {key: gathered(rows, limit=wanted.limit) for key, rows in held.items()}


def _search(scope: Scope, host: Host, wanted: Wanted) -> tuple[SearchAnswer | None, tuple[str, ...]]:
    """Return what fits the question; a profile without it is still one, and says what is missing."""
    if wanted.q is None:
        return None, ()
    query = SearchQuery(
        q=wanted.q, limit=wanted.results, threshold=wanted.threshold, as_of=wanted.clocks.as_of,
        known_at=wanted.clocks.known_at, filters=wanted.filters,
    )  # fmt: skip
    try:
        found = searching.search(scope, host, query)
    except ModelError as error:
        return SearchAnswer(hits=(), total=0, milliseconds=0.0), (f"Nothing was searched: {error.message}",)
    return found, found.degraded
