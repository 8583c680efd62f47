"""The review list: contradictions, doubtful candidates, what no judge could decide."""

from __future__ import annotations

from flask import Blueprint

from api import render, scope
from api.body import body, query
from api.context import actor, host, limits
from api.reply import Reply
from api.schemas.conflicts import FindConflict, ListConflicts, ResolveConflict
from services import review

routes = Blueprint("conflicts", __name__)


@routes.get("/v1/conflicts")
def list_conflicts() -> Reply:
    """Return a page of what waits for a person."""
    sent = query(ListConflicts)
    state = None if sent.state == "all" else sent.state
    page = review.listing(scope.to_find(sent), host(), **sent.paging(), kind=sent.kind, state=state)
    rows = list(map(render.conflict, page.rows))
    return {"conflicts": rows, "pagination": render.pagination(page, number=sent.page)}


@routes.get("/v1/conflicts/<conflict_id>")
def get_conflict(conflict_id: str) -> Reply:
    """Return one entry."""
    return render.conflict(review.get(scope.to_find(query(FindConflict)), host(), conflict_id))


@routes.post("/v1/conflicts/<conflict_id>/resolve")
def resolve_conflict(conflict_id: str) -> Reply:
    """Decide one entry; only a person can."""
    sent = body(ResolveConflict)
    with limits().writing():
        decided = review.resolve(
            scope.to_change(sent), host(), actor(), conflict_id, sent.resolution, text=sent.text, reason=sent.reason
        )
    return render.conflict(decided)
