"""Erasures: what is asked to be gone for good, and the receipts; and how long a space keeps what it knows.

Forgetting keeps a history and a way back. Erasing leaves nothing: `docs/operations.md` says what it reaches and what it
cannot. Only the key of a person may (403 `person_only`). One that is limited to spaces erases documents, memories and
its spaces only, one that is bound to a user or an agent documents and memories.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from api import render, scope
from api.answers import erasures as answers
from api.body import body, json_object, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.operations import operation
from api.reply import Reply
from api.schemas.erasures import Erase, FindErasure, ListErasures, SetSpace
from api.schemas.scope import InScope
from memory.errors import InvalidInput
from memory.records import Actor, Idempotency, Scope
from services import erasure, expiry
from services.erasure import Receipt, Target
from services.persons import require_person

routes = Blueprint("erasures", __name__)


@routes.post("/v1/erasures")
@operation(
    body=Erase,
    answers={200: (answers.Receipt, answers.Counted), 202: answers.Receipt},
    errors=(404,),
    idempotent=True,
    example={"kind": "subject", "id": "ana", "verify": True},
)
def erase() -> Reply:
    """Ask for an erasure, or with `dry_run` count what it would reach.

    A `subject` is whatever belongs to that user, in every space. A `memory` goes with all its versions, while its
    sources stay; what they said before does not teach it again. The others take everything with them that rests on them
    alone. Container tags that were deleted and can be restored are reached too. It is 200 when the erasure has ended
    and 202 before; it goes on until it has, whatever is restarted.
    """
    sent, key = body(Erase), idempotency("POST /v1/erasures")
    whose = scope.to_change(sent)
    _require_allowed(sent.kind)
    if (known := erasure.repeated(whose, host(), actor(), key)) is not None:
        return answer(whose, known, wait=sent.wait)
    target = erasure.find_target(whose, host(), sent.kind, sent.id, every=scope.is_every_space(sent))
    if sent.dry_run:
        return {"dry_run": True, "kind": sent.kind, "counts": erasure.count(whose, host(), target)}
    return answer(whose, _asked(whose, target, sent, key), wait=sent.wait)


def _asked(whose: Scope, target: Target, sent: Erase, key: Idempotency | None) -> Receipt:
    with limits().writing():
        return erasure.request(
            whose, host(), actor(), target, verify=sent.verify, confirm=sent.confirm, idempotency=key
        )


def erase_document(whose: Scope, ref: str, *, every: bool, verify: bool) -> Reply:
    """Ask for the erasure of a document and wait for it, as `DELETE /v3/documents/{id}?erase=true` does."""
    _require_allowed("document")
    target = erasure.find_target(whose, host(), "document", ref, every=every)
    with limits().writing():
        receipt = erasure.request(whose, host(), actor(), target, verify=verify)
    return answer(whose, receipt, wait=True)


def _require_allowed(kind: str) -> None:
    """Refuse whoever is not a person, and a limited key what goes over data that it may not see."""
    require_person(actor())
    if kind in ("subject", "tenant", "space"):
        scope.require_owner("erase more than a document or a memory")
    if kind in ("subject", "tenant"):
        scope.require_unlimited("erase what goes over every space")
    if kind == "space":
        scope.require_whole_space("erase a space")


def answer(whose: Scope, receipt: Receipt, *, wait: bool) -> Reply:
    """Return a receipt: 200 when its erasure has ended, else 202.

    Args:
        whose: data it is about.
        receipt: as it was just made.
        wait: whether the caller wants to wait; when too many wait already, nobody is made to.
    """
    if wait:
        with limits().waiting() as held:
            seconds = host().settings.wait_seconds if held else 0.0
            receipt = erasure.wait(whose, host(), receipt.id, seconds=seconds)
    return shown(receipt), 202 if receipt.is_open else 200


@routes.get("/v1/erasures")
@operation(query=ListErasures, answers={200: answers.Receipts})
def list_erasures() -> Reply:
    """Return the newest receipts; to a limited key those of what it asked for itself."""
    sent = query(ListErasures)
    found = erasure.listing(scope.to_find(InScope()), host(), limit=sent.limit, asked_by=_whose())
    return {"erasures": list(map(shown, found))}


@routes.get("/v1/erasures/<erasure_id>")
@operation(query=FindErasure, answers={200: answers.Receipt})
def get_erasure(erasure_id: str) -> Reply:
    """Return one receipt; to a limited key only of what it asked for itself."""
    query(FindErasure)
    return shown(erasure.get(scope.to_find(InScope()), host(), erasure_id, asked_by=_whose()))


def _whose() -> Actor | None:
    """Return whose receipts a caller sees, which name no space: a limited key its own; None: everybody's."""
    return actor() if scope.is_limited() else None


@routes.patch("/v1/spaces/<name>")
@operation(body=SetSpace, answers={200: answers.Space}, example={"retention_days": 30})
def set_space(name: str) -> Reply:
    """Set how long a space keeps its memories; only a person can.

    They are forgotten so many days after they were recorded, softly, with the reason `expired`, within a minute; those
    too that a merge has brought in with an end of their own. A space that is being emptied by a merge is refused. The
    key must be bound to no user or agent.
    """
    sent = body(SetSpace)
    if not any(SetSpace.canonical(one) for one in json_object()):
        raise InvalidInput("`retention_days` is required; null keeps memories until they are forgotten.",
                           field="retention_days")  # fmt: skip
    whose = scope.to_change(InScope())
    scope.require_whole_space("set how long a space keeps its memories")
    with limits().writing():
        return dict(expiry.set_retention(whose, host(), actor(), name, sent.retention_days))


def shown(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as JSON."""
    return {
        "id": receipt.id, "kind": receipt.kind, "state": receipt.state, "counts": dict(receipt.counts),
        "verify": receipt.verify, "verification": receipt.verification, "note": receipt.note,
        "waits_for": receipt.waits_for,
        "actor": render.actor(receipt.actor), "requested_at": render.moment(receipt.requested_at),
        "erased_at": render.moment(receipt.erased_at), "finished_at": render.moment(receipt.finished_at),
    }  # fmt: skip
