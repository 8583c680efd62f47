"""The state of the whole: health, lanes, statistics, spaces."""

from __future__ import annotations

from flask import Blueprint

from api import scope
from api.body import query
from api.context import host, known_caller
from api.reply import Reply
from api.schemas.jobs import Overview
from services import health, lanes, spaces, stats

routes = Blueprint("system", __name__)


@routes.get("/v1/health")
def get_health() -> Reply:
    """Tell whether everything works, 503 when nothing can be answered; without a key only the word."""
    state = health.health(host())
    shown = state if known_caller() else {"status": state["status"]}
    return shown, 503 if state["status"] == "down" else 200


@routes.get("/v1/lanes")
def get_lanes() -> Reply:
    """Return the queues, the nodes and what each is doing."""
    return lanes.lanes(host())


@routes.get("/v1/stats")
def get_stats() -> Reply:
    """Count what is kept in the spaces named, or in all the key may use."""
    return stats.stats(scope.to_find(query(Overview)), host())


@routes.get("/v1/spaces")
def list_spaces() -> Reply:
    """Return the spaces the key may use, with counts."""
    return {"spaces": list(spaces.listing(scope.to_find(query(Overview)), host()))}
