"""Container tags: how a space is called and described, putting one away, and giving it back.

To put a space away is to take its name off: one row changes, no read finds it any more, and giving the name back undoes
it whole. What is to be gone for good is erased (`services.erasure`), put away or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.errors import NotFound, StateConflict
from memory.records import Actor, Page, Scope
from services import bucket_sets
from services.host import Host
from services.merging import require_not_agent
from store import deletions, merges, spaces, tag_settings
from store.connection import Writer
from store.deletions import Deletion as Deletion
from store.tag_settings import TagSettings as TagSettings

NO_MODEL = "No language model is configured here: `entityContext` guides what is extracted as soon as one is."


def get(scope: Scope, host: Host) -> TagSettings:
    """Return the settings of the one space of a scope.

    Raises:
        NotFound: there is no such space.
    """
    with host.store.read(scope.tenant) as db:
        found = tag_settings.find(scope, db)
    if found is None:
        raise NotFound(f"No container tag {scope.space!r}.", field="containerTag")
    return found


def listing(
    scope: Scope, host: Host, *, limit: int, page: int | None = None, cursor: str | None = None
) -> Page[TagSettings]:
    """Return one page of the settings of the spaces of a scope, in the order they were made."""
    with host.store.read(scope.tenant) as db:
        return tag_settings.listing(scope, db, limit=limit, page=page, cursor=cursor)


def update(
    scope: Scope,
    host: Host,
    actor: Actor,
    values: Mapping[str, Any],
    buckets: Sequence[tuple[str, str]] | None = None,
) -> TagSettings:
    """Change the settings of a space, which is made when it is new.

    Args:
        scope: whose; one space.
        host: the adapters.
        actor: who sets them.
        values: by the names of `store.tag_settings.COLUMNS`; None takes one away.
        buckets: key and description of all that its profile is to have; None: they stay as they are.

    Raises:
        InvalidInput: more buckets than a space may have.
        ModelUnavailable: no node can embed a description; the buckets did not change.
        Pending: the buckets are kept and follow.
    """
    with host.store.write(scope.tenant) as tx:
        space_id = spaces.ensure(scope, tx, at=host.clock())
        tag_settings.change(tx, space_id, values, at=host.clock())
    if buckets is not None:
        bucket_sets.replace_all(scope, host, actor, buckets)
    return get(scope, host)


def warning(host: Host, settings: TagSettings) -> str | None:
    """Say which setting of a space has no effect now; None when every one acts."""
    return NO_MODEL if settings.entity_context is not None and not host.has_llm else None


def delete(scope: Scope, host: Host, actor: Actor, *, reason: str | None = None) -> Deletion:
    """Put a space away: nothing of it is found any more until it is restored. Work under way in it goes on.

    Raises:
        Forbidden: an agent asks.
        NotFound: there is no such space.
        StateConflict: it has part in a merge.
    """
    require_not_agent(actor, "delete a container tag")
    with host.store.write(scope.tenant) as tx:
        return put_away(scope, host, tx, actor, reason=reason)


def put_away(scope: Scope, host: Host, tx: Writer, actor: Actor, *, reason: str | None) -> Deletion:
    """Put the one space of a scope away, in a transaction.

    Raises:
        NotFound: there is no such space.
        StateConflict: it has part in a merge.
    """
    space_id = spaces.find(scope, tx).get(scope.space)
    if space_id is None:
        raise NotFound(f"No container tag {scope.space!r}.", field="containerTag")
    busy = merges.under_way(tx, [space_id])
    if busy is not None:
        raise StateConflict("It has part in a merge; wait until that has ended.", id=busy)
    return deletions.put_away(
        tx, deletion_id=host.new_id("del"), space_id=space_id, name=scope.space, reason=reason, actor=actor,
        at=host.clock(),
    )  # fmt: skip


def deleted(
    scope: Scope, host: Host, *, every: bool, limit: int, page: int | None = None, cursor: str | None = None
) -> Page[Deletion]:
    """Return one page of what was put away and can be restored, newest first.

    Args:
        scope: whose.
        host: the adapters.
        every: whether the scope stands for every name, those that no space has now too.
        limit: rows a page.
        page: 1-based page number, when no cursor is used.
        cursor: where the page before ended.
    """
    with host.store.read(scope.tenant) as db:
        return deletions.listing(scope, db, every=every, limit=limit, page=page, cursor=cursor)


def restore(
    scope: Scope, host: Host, actor: Actor, deletion_id: str, *, every: bool, name: str | None = None
) -> TagSettings:
    """Give a space that was put away a name again.

    Args:
        scope: whose; its spaces are the names that may be given.
        host: the adapters.
        actor: who restores it.
        deletion_id: which.
        every: whether the scope stands for every name.
        name: another name than it had.

    Raises:
        NotFound: there is no such deletion of a name in the scope.
        StateConflict: it was restored, or the name has been used again since.
    """
    require_not_agent(actor, "restore a container tag")
    with host.store.write(scope.tenant) as tx:
        found = deletions.find(tx, deletion_id)
        wanted = name or found.name
        if not every and not {found.name, wanted} <= set(scope.spaces):
            raise NotFound(f"No deletion {deletion_id!r}.", field="id")
        if found.restored_at is not None:
            raise StateConflict("It was restored already.", id=found.id)
        whose = replace(scope, spaces=(wanted,))
        if spaces.find(whose, tx):
            message = f"There is a container tag {wanted!r} by now; restore it under another one, then merge them."
            raise StateConflict(message, field="container_tag")
        deletions.restore(tx, found, name=wanted, actor=actor, at=host.clock())
    return get(whose, host)
