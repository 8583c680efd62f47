"""Several documents handed in together: all of them kept, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memory.errors import InvalidInput, StateConflict
from memory.records import FOREVER, Accepted, Actor, Idempotency, NewDocument, Scope
from services import documents, ledger
from services.host import Host
from store import idempotency as kept
from store.connection import Writer
from store.savepoints import attempt

ACCEPTED = 202


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A document of a batch that was not taken."""

    code: str
    message: str


def add_all(
    scope: Scope,
    host: Host,
    actor: Actor,
    new: Sequence[tuple[Scope, NewDocument]],
    *,
    idempotency: Idempotency | None = None,
) -> list[Accepted | Refused]:
    """Keep several documents in one transaction, the oldest first, so that newer facts supersede older ones.

    Args:
        scope: of the request.
        host: the adapters.
        actor: who hands them in.
        new: each document with the scope it is written to.
        idempotency: makes a repeated call return the first one's outcome.

    Returns:
        What became of each, in the order sent.

    Raises:
        IdempotencyMismatch: the key was used with another body.
        Erased: what was made under the key has been erased.
        Busy: the store could not be written in time; nothing was kept.
    """
    order = sorted(range(len(new)), key=lambda number: _age(new[number][1]))
    with host.store.write(scope.tenant) as tx:
        known = kept.lookup(scope, tx, idempotency) if idempotency is not None else None
        if known is not None:
            return [_again(one) for one in known[1]["results"]]
        found = {number: _add(host, tx, *new[number]) for number in order}
        results = [found[number] for number in range(len(new))]
        if idempotency is not None:
            answer = {"results": [asdict(one) for one in results]}
            kept.remember(scope, tx, idempotency, status=ACCEPTED, response=answer, at=host.clock())
    return _sent(host, scope.tenant, results)


def _age(new: NewDocument) -> int:
    return FOREVER if new.document_date is None else new.document_date


def _add(host: Host, tx: Writer, scope: Scope, new: NewDocument) -> Accepted | Refused:
    with attempt(tx) as tried:
        return documents.keep(scope, host, tx, new)
    assert tried.error is not None  # what does not break has returned
    if isinstance(tried.error, StateConflict | InvalidInput):
        return Refused(code=tried.error.code, message=tried.error.message)
    raise tried.error


def _again(answer: Mapping[str, Any]) -> Accepted | Refused:
    return Accepted(**{**answer, "created": False}) if "id" in answer else Refused(**answer)


def _sent(host: Host, tenant: str, results: list[Accepted | Refused]) -> list[Accepted | Refused]:
    """Send what was made ready, once for all of it; what is said of the queue holds for each."""
    made = [one for one in results if isinstance(one, Accepted) and one.created]
    warning = ledger.send_accepted(host, tenant, made[0]).warning if made else None
    return [replace(one, warning=warning) if isinstance(one, Accepted) else one for one in results]
