"""Walks through time: the changes between two times, where a memory comes from, and undoing."""

from __future__ import annotations

from flask import Blueprint

from api import render, render_provenance, scope
from api.answers import provenance as answers
from api.answers.base import Pending
from api.answers.records import Memory
from api.body import body_if_any, query
from api.context import actor, host, limits
from api.operations import operation
from api.reply import Reply
from api.schemas.provenance import ChangesBetween, FindProvenance, UndoMemory
from services import provenance

routes = Blueprint("provenance", __name__)


@routes.get("/v1/changes")
@operation(query=ChangesBetween, answers={200: answers.Changes})
def list_changes() -> Reply:
    """Return what changed between two times, in the order in which it was recorded.

    What became known and what stopped being believed: `learned`, `superseded`, `corrected`, `forgotten`, `restored`,
    `retired`, `conflict_opened` and `conflict_resolved`.
    """
    sent = query(ChangesBetween)
    page = provenance.changes(scope.to_read(sent), host(), **sent.selection())
    return {
        "changes": [render_provenance.change(one) for one in page.rows],
        "pagination": render.pagination(page),
    }


@routes.get("/v1/memories/<memory_id>/provenance")
@operation(query=FindProvenance, answers={200: answers.Provenance})
def get_provenance(memory_id: str) -> Reply:
    """Return everything that a memory can be walked back to.

    A source has the quoted span and where it lies, and what found it; a decision is the answer of a judge about any
    version of the chain, or about what was compared with one; a version has what made it, and each retired window its
    reason.
    """
    walked = provenance.provenance(scope.to_find(query(FindProvenance)), host(), memory_id)
    return render_provenance.provenance(walked)


@routes.post("/v1/memories/<memory_id>/undo")
@operation(body=UndoMemory, body_optional=True, answers={200: Memory, 202: Pending})
def undo_memory(memory_id: str) -> Reply:
    """Undo the last retirement of a memory; only a person may.

    It is live again, as a new version of its chain, which is returned.

    * What was superseded or corrected takes its place back, and its successor is retired with the reason "undone by".
    * What was forgotten is restored.
    * What lost its source lives again on the word of the person who wants it back.

    An undo can be undone in the same way, by naming the version that it retired. 409 `conflict` when the memory was not
    retired or its chain has gone on since, 409 `already_known` when another live memory says the same.
    """
    sent = body_if_any(UndoMemory)
    with limits().writing():
        return render.memory(provenance.undo(scope.to_change(sent), host(), actor(), memory_id, reason=sent.reason))
