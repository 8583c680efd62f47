"""Walks through time: the changes between two times, where a memory comes from, and undoing."""

from __future__ import annotations

from flask import Blueprint

from api import render, render_provenance, scope
from api.body import body_if_any, query
from api.context import actor, host, limits
from api.reply import Reply
from api.schemas.provenance import ChangesBetween, FindProvenance, UndoMemory
from services import provenance

routes = Blueprint("provenance", __name__)


@routes.get("/v1/changes")
def list_changes() -> Reply:
    """Return what changed between two times, in the order in which it was recorded."""
    sent = query(ChangesBetween)
    page = provenance.changes(scope.to_read(sent), host(), **sent.selection())
    return {
        "changes": [render_provenance.change(one) for one in page.rows],
        "pagination": render.pagination(page),
    }


@routes.get("/v1/memories/<memory_id>/provenance")
def get_provenance(memory_id: str) -> Reply:
    """Return everything that a memory can be walked back to."""
    walked = provenance.provenance(scope.to_find(query(FindProvenance)), host(), memory_id)
    return render_provenance.provenance(walked)


@routes.post("/v1/memories/<memory_id>/undo")
def undo_memory(memory_id: str) -> Reply:
    """Undo the last retirement of a memory; only a person may."""
    sent = body_if_any(UndoMemory)
    with limits().writing():
        return render.memory(provenance.undo(scope.to_change(sent), host(), actor(), memory_id, reason=sent.reason))
