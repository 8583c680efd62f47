"""Memories: remember, update, forget, restore, list, history. Every write is asked of the one writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from memory.errors import InvalidInput, NotFound, StateConflict, WrongModel
from memory.records import (
    Actor,
    Clocks,
    Forgetting,
    Idempotency,
    Match,
    Memory,
    NewMemory,
    Page,
    Scope,
    SearchQuery,
    Sorting,
    Written,
)
from memory.segmentation import query_terms, segment
from memory.vectors import encode_vectors
from services import asking, guarding, owed
from services import search as searching
from services.host import Host
from store import listings, memories, spaces, tombstones
from store.hydration import load_memories

FORGOTTEN = "forgotten on request"
PRESENT = Clocks()


def _vectors(host: Host, texts: Sequence[str]) -> list[str]:
    """Embed texts before anything is asked: a memory is never kept with another text's vector, or none."""
    return [encode_vectors(vector[None]) for vector in host.models.embed(texts).vectors]


def _require_ahead(host: Host, forget_after: int | None) -> None:
    if forget_after is not None and forget_after <= host.clock():
        raise InvalidInput("`forgetAfter` must lie ahead; to forget it now, forget it by id.", field="forgetAfter")


def remember(
    scope: Scope, host: Host, actor: Actor, items: Sequence[NewMemory], *, idempotency: Idempotency | None = None
) -> Written:
    """Keep facts as they are written; what is known already is reinforced and returned with its id.

    What contradicts a confident memory, and was not written by a person, is kept for a person to decide.

    Raises:
        InvalidInput: one is to be forgotten in the past.
        SecretRefused: one holds a secret, and the setting `secrets` refuses them.
        ModelUnavailable: no node can embed them; nothing was kept.
        StateConflict: a person forgot one of them.
        Pending: kept, the ids follow.
    """
    for one in items:
        _require_ahead(host, one.forget_after)
    contents = [guarding.text(host, one.content, field="memories") for one in items]
    vectors = _vectors(host, contents)
    asked = [
        {
            "content": content, "is_static": one.is_static, "kind": one.kind,
            "metadata": guarding.metadata(host, one.metadata, field="memories"), "valid_from": one.valid_from,
            "vector": vector, "forget_after": one.forget_after,
        }
        for one, content, vector in zip(items, contents, vectors, strict=True)
    ]  # fmt: skip
    payload = asking.payload_of(scope, items=asked, made_by=owed.configured(host))
    done = asking.ask(scope, host, actor, "remember", payload, idempotency=idempotency)
    return Written(memories=_load(scope, host, done["ids"]), conflicts=tuple(done.get("conflicts", ())))


def update(
    scope: Scope,
    host: Host,
    actor: Actor,
    *,
    memory_id: str | None = None,
    content: str | None = None,
    new_content: str,
    metadata: Mapping[str, Any] | None = None,
    valid_from: int | None = None,
    correction: bool = False,
    forget_after: int | None = None,
    forget_reason: str | None = None,
    keep: bool = False,
    dates: Mapping[str, Any] | None = None,
) -> Memory:
    """Make a new version of a live memory, named by id or by its exact text.

    Args:
        scope: whose.
        host: the adapters.
        actor: who asks.
        memory_id: which; or
        content: its exact text.
        new_content: what it says from then on.
        metadata: in place of what it has; None: it stays.
        valid_from: when the change became true; None: now.
        correction: whether the old text was never true.
        forget_after: when it is forgotten by itself; None: as before.
        forget_reason: what is said of it then.
        keep: it is not forgotten by itself any more.
        dates: `documentDate` and `eventDate`, kept among the metadata; those it has stay where none is sent.

    Raises:
        InvalidInput: a reason for a forgetting that is not planned.
        NotFound, NotLive, StateConflict, AlreadyKnown: as `services.edits.update`.
        SecretRefused: it holds a secret, and the setting `secrets` refuses them.
        ModelUnavailable: no node can embed the new text; nothing changed.
    """
    known = content if memory_id is None else unforgotten(scope, host, memory_id).statement
    _require_ahead(host, forget_after)
    new_content = guarding.text(host, new_content, field="newContent")
    # A change of nothing but metadata needs no model.
    (vector,) = _vectors(host, [new_content]) if new_content != known else (None,)
    payload = asking.payload_of(
        scope, id=memory_id, content=content, new_content=new_content, vector=vector, valid_from=valid_from,
        metadata=None if metadata is None else guarding.metadata(host, metadata), correction=correction,
        forget_after=forget_after, forget_reason=forget_reason, keep=keep, dates=dict(dates or {}),
        made_by=owed.configured(host),
    )  # fmt: skip
    done = asking.ask(scope, host, actor, "update", payload)
    return _load(scope, host, [done["id"]])[0]


def forget(
    scope: Scope,
    host: Host,
    actor: Actor,
    *,
    memory_id: str | None = None,
    content: str | None = None,
    reason: str | None = None,
) -> Memory:
    """Forget one live memory, named by id or by its exact text; it can be restored.

    Raises:
        NotFound, NotLive, StateConflict: as `services.edits.forget`.
    """
    payload = asking.payload_of(
        scope, ids=[memory_id] if memory_id else [], content=content, reason=reason or FORGOTTEN, batch=None
    )
    return _load(scope, host, asking.ask(scope, host, actor, "forget", payload)["ids"])[0]


def forget_matching(
    scope: Scope,
    host: Host,
    actor: Actor,
    *,
    query: str | None = None,
    ids: Sequence[str] | None = None,
    dry_run: bool,
    threshold: float,
    max_forget: int,
    reason: str | None = None,
) -> Forgetting:
    """Preview or forget the memories that a phrase is about, or those named.

    A phrase matches a memory only when every content word of it occurs there (see `memory.retrieval`): more words
    narrow, a word that is nowhere matches nothing.

    Raises:
        InvalidInput: neither or both of query and ids, or a phrase without a content word.
    """
    if (query is None) == (ids is None):
        raise InvalidInput("Give either query or ids.", field="query")
    matched = _matching(scope, host, query, threshold) if query is not None else _named(scope, host, ids or ())
    matched = matched[:max_forget]
    if dry_run or not matched:
        return Forgetting(dry_run=dry_run, batch_id=None, matches=matched)
    batch = host.new_id("fgt")
    payload = asking.payload_of(scope, ids=[one.id for one in matched], reason=reason or FORGOTTEN, batch=batch)
    gone = set(asking.ask(scope, host, actor, "forget", payload)["ids"])
    return Forgetting(dry_run=False, batch_id=batch, matches=tuple(one for one in matched if one.id in gone))


def _matching(scope: Scope, host: Host, query: str, threshold: float) -> tuple[Match, ...]:
    wanted = set(query_terms(query))
    if not wanted:
        raise InvalidInput("The phrase has no word to look for; name what to forget.", field="query")
    try:
        found = searching.search(scope, host, SearchQuery(q=query, limit=100, surroundings=False))
    except WrongModel:
        return ()  # words met nothing, and a match has every word
    return tuple(
        Match(id=hit.id, text=hit.text, score=hit.similarity)
        for hit in found.hits
        if hit.similarity >= threshold and wanted <= set(segment(hit.text))
    )


def _named(scope: Scope, host: Host, ids: Sequence[str]) -> tuple[Match, ...]:
    with host.store.read(scope.tenant) as db:
        for one in ids:
            memories.ref(scope, db, one)
        loaded = load_memories(db, list(ids))
    return tuple(Match(id=one, text=loaded[one].text, score=1.0) for one in ids)


def restore(scope: Scope, host: Host, actor: Actor, memory_id: str) -> Memory:
    """Make a forgotten memory live again, as a new version.

    Raises:
        NotFound: there is no such memory.
        StateConflict: its chain has a live version.
    """
    found = get(scope, host, memory_id)
    payload = asking.payload_of(Scope(tenant=scope.tenant, spaces=(found.space,)), id=memory_id, batch=None)
    return _load(scope, host, asking.ask(scope, host, actor, "restore", payload)["ids"])[0]


def restore_batch(scope: Scope, host: Host, actor: Actor, batch_id: str) -> tuple[Memory, ...]:
    """Make live again what one forget-matching call forgot.

    Raises:
        NotFound: there is no such batch in the scope's spaces.
    """
    with host.store.read(scope.tenant) as db:
        found = tombstones.of_batch(scope, db, batch_id)
        if not found:
            raise NotFound(f"No batch {batch_id!r} in this space.", field="batch_id")
        # One call forgets in one space.
        there = replace(scope, spaces=(spaces.name_of(db, found[0].space_id),))
    payload = asking.payload_of(there, id=None, batch=batch_id)
    return _load(there, host, asking.ask(there, host, actor, "restore", payload)["ids"])


def get(scope: Scope, host: Host, memory_id: str, clocks: Clocks = PRESENT) -> Memory:
    """Return one version of a memory; with `as_of`, the version of its chain that held then.

    Raises:
        NotFound: there is none in the scope's spaces, or there was none at that time.
    """
    with host.store.read(scope.tenant) as db:
        return listings.get(scope, db, memory_id, clocks, now=host.clock())


def unforgotten(scope: Scope, host: Host, memory_id: str) -> Memory:
    """Return a memory that is to be changed.

    Raises:
        NotFound: there is none in the scope's spaces.
        StateConflict: it was forgotten, or its time to be forgotten has come.
    """
    found = get(scope, host, memory_id)
    if found.is_forgotten:
        raise StateConflict("This memory was forgotten; restore it first.", id=found.id)
    return found


def history(scope: Scope, host: Host, memory_id: str, clocks: Clocks = PRESENT) -> tuple[Memory, ...]:
    """Return every version of a memory's chain, oldest first, with windows and sources, as it was known.

    Raises:
        NotFound: there is none in the scope's spaces, or there was none at that time.
    """
    with host.store.read(scope.tenant) as db:
        return listings.history(scope, db, memory_id, clocks, now=host.clock())


def listing(
    scope: Scope,
    host: Host,
    clocks: Clocks = PRESENT,
    *,
    forgotten: bool = False,
    history: bool = False,
    **paging: Unpack[Sorting],
) -> Page[Memory]:
    """Return a page of the memories of the scope's spaces that held and were believed, as they were known."""
    with host.store.read(scope.tenant) as db:
        return listings.listing(scope, db, clocks, now=host.clock(), forgotten=forgotten, history=history, **paging)


def _load(scope: Scope, host: Host, ids: Sequence[str]) -> tuple[Memory, ...]:
    with host.store.read(scope.tenant) as db:
        loaded = load_memories(db, list(ids))
    missing = [one for one in ids if one not in loaded]
    if missing:
        raise NotFound(f"Memory {missing[0]} is gone.", id=missing[0])
    return tuple(loaded[one] for one in ids)
