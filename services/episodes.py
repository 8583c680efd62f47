"""The ledger's own door: append events of any kind to a session, and read sessions in the order they happened in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from memory.errors import Erased, NotFound
from memory.records import (
    Accepted,
    Actor,
    Appended,
    Clocks,
    Episode,
    Idempotency,
    Message,
    Page,
    Scope,
    Session,
    Sorting,
)
from services import consolidating, ledger, token_counts
from services.host import Host
from store import episodes, sessions, spaces
from store import idempotency as kept
from store import ledger as ledger_rows
from store.connection import Writer
from store.episodes import NewEpisode

CREATED = 201
# An id of ours; anything else is a name that the caller has chosen.
_ID = re.compile(r"ses_[0-9A-HJKMNP-TV-Z]{26}")


def is_session_id(ref: str | None) -> bool:
    """Tell whether a reference to a session is an id of ours and not a name of the caller's."""
    return ref is not None and _ID.fullmatch(ref) is not None


def append(
    scope: Scope,
    host: Host,
    actor: Actor,
    messages: Sequence[Message],
    *,
    metadata: Mapping[str, Any] | None = None,
    idempotency: Idempotency | None = None,
) -> Appended:
    """Append events to a session, every one that is sent, and queue the consolidation of its turns, in one transaction.

    Args:
        scope: whose; its session is an id of ours, or the caller's name for a session that is made when it is new; None
            makes one that is called by its id. With an id several spaces may be named, the session says which it is.
        host: the adapters.
        actor: who appends.
        messages: in the order they happened in, each with its kind.
        metadata: of the session, in the place of what it has; None leaves that.
        idempotency: names the request; None: each one counts.

    Raises:
        OneSpace: the scope names several spaces and no id of a session.
        NotFound: no session has this id in the scope's spaces.
        StateConflict: the session is somebody else's.
        Erased: the session was erased, or what was made under the key.
        IdempotencyMismatch: the key was used with another body.
        Busy: the store could not be written in time; nothing was kept.
    """
    scope = _one_space(scope, host)
    tokens = token_counts.of_each(host.count_tokens, [one.content for one in messages])
    with host.store.write(scope.tenant) as tx:
        known = kept.lookup(scope, tx, idempotency) if idempotency is not None else None
        if known is not None:
            return _as_before(tx, known[1])
        done = _append(scope, host, tx, messages, tokens, metadata)
        if idempotency is not None:
            kept.remember(scope, tx, idempotency, status=CREATED, response=_answer(done), at=host.clock())
    return _sent(host, scope.tenant, done)


def _one_space(scope: Scope, host: Host) -> Scope:
    """Narrow a scope to the space of the session it names by id, so that a repeat finds the same scope again."""
    if not is_session_id(scope.session):
        return scope
    with host.store.read(scope.tenant) as db:
        return replace(scope, spaces=(sessions.get(scope, db, str(scope.session)).space,))


def _append(
    scope: Scope, host: Host, tx: Writer, messages: Sequence[Message], tokens: Sequence[int],
    metadata: Mapping[str, Any] | None,
) -> Appended:  # fmt: skip
    at = host.clock()
    session = _session(scope, host, tx, at)
    if metadata is not None:
        sessions.describe(tx, session.id, metadata)
    new = [
        NewEpisode(id=host.new_id("ep"), message=one, tokens=count, salt=consolidating.new_salt(), kind=one.kind)
        for one, count in zip(messages, tokens, strict=True)
    ]
    start, job_id = consolidating.append(host, tx, session, new, at=at)
    return Appended(
        session=sessions.read(tx, session.id), status="queued" if job_id else "done", job_id=job_id,
        episodes=tuple(episodes.between(tx, session.id, start=start, end=start + len(new))),
    )  # fmt: skip


def _session(scope: Scope, host: Host, tx: Writer, at: int) -> sessions.Session:
    """Return the session to append to; a name that is new makes it."""
    if is_session_id(scope.session):
        # Looked up in this transaction too: it may have been erased since.
        return sessions.by_id(tx, sessions.get(scope, tx, str(scope.session)).id)
    new_id = host.new_id("ses")
    name = scope.session or new_id
    if consolidating.is_erased(scope, host, tx, name):
        raise Erased("This session was erased; a new one needs another name.", field="session_id")
    space_id = spaces.ensure(scope, tx, at=at)
    session = sessions.ensure(scope, tx, session_id=new_id, space_id=space_id, conversation_id=name, at=at)
    consolidating.require_owner(scope, session, field="session_id")
    return session


def _answer(done: Appended) -> dict[str, Any]:
    """Return what is kept for a repeat: places in the ledger and no words."""
    first = done.episodes[0].index
    return {
        "id": done.session.id, "from": first, "to": first + len(done.episodes), "job_id": done.job_id,
        "status": done.status,
    }  # fmt: skip


def _as_before(tx: Writer, answer: Mapping[str, Any]) -> Appended:
    """Return what an equal request was answered, read from the ledger again.

    Raises:
        Erased: the session has been erased since.
    """
    session_id, job_id = str(answer["id"]), answer["job_id"]
    try:
        sessions.by_id(tx, session_id)
    except NotFound as error:
        raise Erased("This session was erased.", field="session_id") from error
    return Appended(
        session=sessions.read(tx, session_id), job_id=job_id, created=False,
        episodes=tuple(episodes.between(tx, session_id, start=int(answer["from"]), end=int(answer["to"]))),
        status=ledger_rows.get_job(tx, job_id).state if job_id else str(answer["status"]),
    )  # fmt: skip


def _sent(host: Host, tenant: str, done: Appended) -> Appended:
    if done.job_id is None:
        return done
    accepted = Accepted(id=done.session.id, status=done.status, job_id=done.job_id)
    return replace(done, warning=ledger.send_accepted(host, tenant, accepted).warning)


def listing(scope: Scope, host: Host, **paging: Unpack[Sorting]) -> Page[Session]:
    """Return a page of the sessions that a scope may see.

    Args:
        scope: whose; with a session, only those called so.
        host: the adapters.
        **paging: which page, in which order.

    Raises:
        InvalidInput: the cursor is not one of ours.
    """
    with host.store.read(scope.tenant) as db:
        return sessions.listing(scope, db, **paging)


def get(scope: Scope, host: Host, ref: str) -> Session:
    """Return one session by its id or its name.

    Raises:
        NotFound: there is none in the scope's spaces.
        Ambiguous: several of its spaces have one of that name.
    """
    with host.store.read(scope.tenant) as db:
        return sessions.get(scope, db, ref)


def of_session(scope: Scope, host: Host, ref: str, clocks: Clocks, **selection: Any) -> tuple[Session, Page[Episode]]:
    """Return a session and a page of its episodes, in the order they were appended in.

    Args:
        scope: whose.
        host: the adapters.
        ref: id or name of the session.
        clocks: what had been said, and what had been recorded, by then.
        **selection: `limit`, `page`, `cursor`, `order`, `kinds`, `since` and `saying`, see `store.episodes.listing`.

    Raises:
        NotFound: there is no such session in the scope's spaces.
        Ambiguous: several of its spaces have one of that name.
        InvalidInput: the cursor is not one of ours.
    """
    with host.store.read(scope.tenant) as db:
        session = sessions.get(scope, db, ref)
        return session, episodes.listing(db, session.id, clocks, now=host.clock(), **selection)


def find(scope: Scope, host: Host, episode_id: str) -> Episode:
    """Return one episode.

    Raises:
        NotFound: there is none in the scope's spaces.
    """
    with host.store.read(scope.tenant) as db:
        return episodes.get(scope, db, episode_id)
