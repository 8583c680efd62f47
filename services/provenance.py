"""Walks through time: what changed between two times, where a memory comes from, and undoing a retirement."""

from __future__ import annotations

from dataclasses import replace

from memory.errors import InvalidInput
from memory.records import BEGINNING, Actor, Clocks, Memory, Micros, Page, Scope
from memory.records.walks import Change, Provenance
from services import asking, memories
from services.host import Host
from services.persons import require_person
from store import changes_between, listings, origins


def changes(
    scope: Scope,
    host: Host,
    *,
    since: Micros | None = None,
    until: Micros | None = None,
    limit: int,
    cursor: str | None = None,
) -> Page[Change]:
    """Return a page of what was learned, superseded, corrected, forgotten, restored, retired or put to a person.

    Args:
        scope: whose spaces.
        host: the adapters.
        since: the first time of the recorded clock, inclusive; None: from the beginning.
        until: the last, exclusive; None: until now.
        limit: changes a page.
        cursor: from the page before.

    Raises:
        InvalidInput: the times are the wrong way round, or the cursor is not one of this listing.
    """
    first = BEGINNING if since is None else since
    # What was recorded in this very microsecond is told too.
    last = host.clock() + 1 if until is None else until
    if first > last:
        raise InvalidInput("`from` lies after `to`.", field="from")
    with host.store.read(scope.tenant) as db:
        return changes_between.changes(scope, db, since=first, until=last, limit=limit, cursor=cursor)


def provenance(scope: Scope, host: Host, memory_id: str) -> Provenance:
    """Walk a memory back: its sources, what found it, the decisions on it, and every version of its chain.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    now, always = host.clock(), Clocks()
    with host.store.read(scope.tenant) as db:
        chain = listings.history(scope, db, memory_id, always, now=now)
        return Provenance(
            memory=listings.get(scope, db, memory_id, always, now=now),
            evidence=origins.evidence(db, memory_id),
            decisions=origins.decisions(scope, db, chain),
            versions=origins.versions(db, chain),
        )


def undo(scope: Scope, host: Host, actor: Actor, memory_id: str, *, reason: str | None = None) -> Memory:
    """Undo the last retirement of a memory; it lives again as a new version, which is returned.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound, StateConflict, AlreadyKnown: as `services.undoing.undo`.
    """
    require_person(actor)
    there = replace(scope, spaces=(memories.get(scope, host, memory_id).space,))
    done = asking.ask(there, host, actor, "undo", asking.payload_of(there, id=memory_id, reason=reason))
    return memories.get(scope, host, str(done["id"]))
