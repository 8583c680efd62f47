"""What every accepted write has in common: a repeated one is answered as the first time, and does nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from memory.records import Accepted, Actor, Idempotency, Scope
from services.host import Host
from store import idempotency as kept
from store.connection import Writer

ACCEPTED = 202


def asked_by(scope: Scope, actor: Actor) -> Scope:
    """Return by whom a request that goes over every space is told from another's under the same Idempotency-Key.

    The spaces that a key may use become more and fewer while it repeats a request; who it is stays.
    """
    return replace(scope, spaces=(f"{actor.kind} {actor.id}",))


def once(
    scope: Scope, host: Host, tx: Writer, idempotency: Idempotency | None, accept: Callable[[], Accepted]
) -> Accepted:
    """Accept a write, or return what the same request was answered before; the answer is kept in its transaction.

    Args:
        scope: whose request.
        host: the adapters.
        tx: the transaction that has the effect.
        idempotency: names the request; None: each one counts.
        accept: has the effect; raises to refuse it.

    Raises:
        IdempotencyMismatch: the key was used with another body.
        Erased: what was made under the key has been erased.
    """
    if idempotency is None:
        return accept()
    known = kept.lookup(scope, tx, idempotency)
    if known is not None:
        return Accepted(**known[1], created=False)
    accepted = accept()
    answer = {"id": accepted.id, "status": accepted.status, "job_id": accepted.job_id}
    kept.remember(scope, tx, idempotency, status=ACCEPTED, response=answer, at=host.clock())
    return accepted
