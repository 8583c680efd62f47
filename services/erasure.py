"""Erasure: asked for by a person, carried out by the writer in bounded transactions until no row is left.

The request of the next batch commits with the batch before, so whoever becomes the writer goes on where it stopped.
What follows when the rows are gone is in `services.purging`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from memory.errors import InvalidInput, NotFound
from memory.fragments import MOST_FRAGMENTS, fragments
from memory.records import Actor, Idempotency, Scope
from services import import_steps, ingest, intake, ledger, owed, request_ids, versions
from services.asking import POLL_SECONDS
from services.host import Host
from services.persons import require_person
from store import deletions, episodes, erasing_rest, keys, requests, spaces
from store import erasure as receipts
from store import idempotency as kept
from store.candidates import Candidate
from store.connection import Reader, Writer
from store.erasing import Pass, erase_some
from store.erasing_targets import Target as Target
from store.erasing_targets import find_chain, find_document, preview
from store.erasure import ErasureKind
from store.erasure import Receipt as Receipt
from store.requests import Request
from store.savepoints import attempt

log = logging.getLogger(__name__)

MOST_LISTED = 200
SUPPRESSED = "a person erased it after it was said"


def find_target(
    scope: Scope, host: Host, kind: ErasureKind, named: str | None, *, every: bool = False
) -> Target:  # fmt: skip
    """Return what a caller means.

    Args:
        scope: whose data; documents, memories and spaces are looked for in its spaces, and in those of their names that
            were put away.
        host: the adapters.
        kind: what is to be erased.
        named: a user id, the id or customId of a document, the id of a memory, or the name of a space; of a tenant
            nothing.
        every: whether the scope stands for every name, those that no space has now too.

    Raises:
        InvalidInput: something is to be named and is not.
        NotFound: there is no such document, memory or space.
        Ambiguous: several spaces have a document of that customId.
    """
    if kind == "tenant":
        return Target(kind=kind, id=scope.tenant)
    if not named:
        raise InvalidInput(f"Name the {kind} that is to be erased.", field="id")
    if kind == "subject":
        return Target(kind=kind, id=named)
    with host.store.read(scope.tenant) as db:
        return _found(scope, db, kind, named, every=every)


def _found(scope: Scope, db: Reader, kind: ErasureKind, named: str, *, every: bool) -> Target:
    if kind == "memory":
        return Target(kind=kind, id=find_chain(scope, db, named, every=every))
    if kind == "document":
        return Target(kind=kind, id=find_document(scope, db, named, every=every))
    put_away = deletions.put_away_spaces(scope, db, every=every, name=named)
    space_id = spaces.find(scope, db).get(named) or next(iter(put_away), None)
    if space_id is None:
        raise NotFound(f"No space {named!r}.", field="id")
    return Target(kind=kind, id=named, space_id=space_id)


def count(scope: Scope, host: Host, target: Target) -> dict[str, int]:
    """Return how much an erasure would reach; nothing is written."""
    with host.store.read(scope.tenant) as db:
        return preview(db, target)


def repeated(scope: Scope, host: Host, actor: Actor, idempotency: Idempotency | None) -> Receipt | None:
    """Return the receipt of the same request of before; what it has erased may be gone by now, so this comes first.

    Args:
        scope: whose data.
        host: the adapters.
        actor: who asks.
        idempotency: names the request; None: each one counts.

    Raises:
        IdempotencyMismatch: the key was used with another body.
    """
    if idempotency is None:
        return None
    with host.store.read(scope.tenant) as db:
        known = kept.lookup(intake.asked_by(scope, actor), db, idempotency)
    return get(scope, host, str(known[1]["erasure"])) if known else None


def request(
    scope: Scope,
    host: Host,
    actor: Actor,
    target: Target,
    *,
    verify: bool = False,
    confirm: str | None = None,
    idempotency: Idempotency | None = None,
) -> Receipt:
    """Ask for an erasure; it cannot be undone.

    Args:
        scope: whose data.
        host: the adapters.
        actor: who asks; a person.
        target: of `find_target`.
        verify: compare the files with the erased texts afterwards.
        confirm: of a tenant: its name, spelt out.
        idempotency: names the request, after `repeated`; None: each one counts.

    Raises:
        PersonOnly: it is not a person who asks.
        InvalidInput: a whole tenant, and its name is not confirmed.
        IdempotencyMismatch: the key was used with another body.
        Busy: the store could not be written in time; nothing was kept.
    """
    require_person(actor)
    if target.kind == "tenant" and confirm != scope.tenant:
        raise InvalidInput("Send the tenant's name as `confirm` to erase everything it has.", field="confirm")
    receipts.ensure_key(host.store, scope.tenant)
    erasure_id = host.new_id("ers")
    revoked = _revoke_keys(scope, host, target)
    whose = intake.asked_by(scope, actor)
    with host.store.write(scope.tenant) as tx:
        if idempotency is not None:
            known = kept.lookup(whose, tx, idempotency)
            if known is not None:
                return get(scope, host, str(known[1]["erasure"]))
            answer = {"erasure": erasure_id}
            kept.remember(whose, tx, idempotency, status=intake.ACCEPTED, response=answer, at=host.clock())
        receipts.add(tx, erasure_id=erasure_id, kind=target.kind, verify=verify, actor=actor, at=host.clock())
        receipts.count(tx, erasure_id, {"keys_revoked": revoked})
        _ask(host, tx, erasure_id, target, actor)
    ledger.wake_writer(host, scope.tenant)
    return get(scope, host, erasure_id)


def _revoke_keys(scope: Scope, host: Host, target: Target) -> int:
    """End the keys that are bound to a subject: with them its data would come back."""
    if target.kind != "subject":
        return 0
    with host.store.control_write() as tx:
        return keys.revoke_bound(tx, tenant=scope.tenant, user=target.id, at=host.clock())


def _ask(host: Host, tx: Writer, erasure_id: str, target: Target, actor: Actor) -> None:
    payload = {"erasure": erasure_id, "kind": target.kind, "id": target.id, "space_id": target.space_id}
    requests.add(
        tx, request_id=host.new_id("req"), kind="erase", payload=payload, actor=actor,
        caused_by=request_ids.current(), at=host.clock(),
    )  # fmt: skip


def get(scope: Scope, host: Host, erasure_id: str, *, asked_by: Actor | None = None) -> Receipt:
    """Return a receipt.

    Args:
        scope: whose data.
        host: the adapters.
        erasure_id: which.
        asked_by: only if it is theirs; None: whoever asked.

    Raises:
        NotFound: there is none of that id, or it is another's.
    """
    with host.store.read(scope.tenant) as db:
        found = receipts.get(db, erasure_id)
    if asked_by not in (None, found.actor):
        raise NotFound(f"No erasure {erasure_id!r} of this key.", field="id")
    return found


def listing(
    scope: Scope, host: Host, *, limit: int = MOST_LISTED, asked_by: Actor | None = None
) -> tuple[Receipt, ...]:
    """Return the newest receipts first; of `asked_by` alone, or of whoever asked."""
    with host.store.read(scope.tenant) as db:
        return receipts.listing(db, limit=limit, asked_by=asked_by)


def wait(scope: Scope, host: Host, erasure_id: str, *, seconds: float) -> Receipt:
    """Wait until an erasure has ended, `seconds` at most; returns its receipt as it is then."""
    until = time.monotonic() + seconds
    while (receipt := get(scope, host, erasure_id)).is_open and time.monotonic() < until:
        time.sleep(POLL_SECONDS * 10)
    return receipt


def erase(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Erase a batch, and ask for the next or end the rows' part."""
    named = asked.payload
    erasure_id = str(named["erasure"])
    target = Target(kind=named["kind"], id=str(named["id"]), space_id=named["space_id"])
    with attempt(tx) as tried:
        _batch(host, tx, tenant, asked, target, erasure_id)
    if tried.error is not None:
        log.error("erasure %s of tenant %s failed", erasure_id, tenant, exc_info=tried.error)
        receipts.set_failed(tx, erasure_id, reason=ledger.words(tried.error), at=host.clock())
    return {"erasure": erasure_id}


def _batch(host: Host, tx: Writer, tenant: str, asked: Request, target: Target, erasure_id: str) -> None:
    at = host.clock()
    key = receipts.key_of(host.store, tenant)
    receipt = receipts.get(tx, erasure_id)

    def bury(kind: str, *parts: str | None) -> None:
        receipts.bury(tx, kind, receipts.digest(key, kind, *parts), erasure_id=erasure_id, at=at)

    one = Pass(tx=tx, target=target, at=at, bury=bury, note=_noting(host, receipt))
    if receipt.state == "waiting":
        receipts.set_erasing(tx, erasure_id)
    done = erase_some(one)
    if done:
        erasing_rest.sweep(one, request_id=asked.id)
        import_steps.give_up(host, tx)
        receipts.set_purging(tx, erasure_id, at=at)
    else:
        _ask(host, tx, erasure_id, target, asked.actor)
    receipts.count(tx, erasure_id, one.counts)
    owed.renew(host, tx, one.reworded, at=at)
    for job_id in sorted(one.open_jobs):
        ingest.ask_writer(host, tx, "job.settle", {"job": job_id})


def _noting(host: Host, receipt: Receipt) -> Callable[[str], None]:
    """Return what keeps pieces of the texts, in this process's memory only, until the files are compared with them."""
    if not receipt.verify:
        return lambda text: None
    # A later batch in another process knows only a part; the receipt then says that the comparison was not possible.
    if receipt.state == "waiting":
        host.erased_texts[receipt.id] = set()
    pieces = host.erased_texts.get(receipt.id)

    def note(text: str) -> None:
        if pieces is not None and len(pieces) < MOST_FRAGMENTS:
            pieces.update(fragments(text))

    return note


def is_erased(host: Host, tx: Writer, tenant: str, one: Candidate) -> bool:
    """Tell whether a candidate says what was erased as a memory after it was said; what has no date counts as older."""
    if one.written_id is not None:
        return False
    if not receipts.any_erased(tx, "statement"):
        return False
    owner = versions.place_of(tx, one).owner
    heard_at = episodes.by_id(tx, one.episode_id).recorded_at if one.episode_id else 0
    said_at = min(one.said_at or heard_at, heard_at or one.recorded_at)
    # What was erased in a space stays erased when the space is called otherwise or merged into another.
    names = spaces.names_within(tx, one.space_id)
    said = (one.equality_key, owner.user, owner.agent)
    erased_at = receipts.erased_within(host.store, tx, tenant, "statement", names, *said)
    return erased_at is not None and said_at <= erased_at


HANDLERS = {"erase": erase}
