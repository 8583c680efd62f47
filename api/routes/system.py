"""The state of the whole: health, lanes, statistics, spaces."""

from __future__ import annotations

from flask import Blueprint

from api import scope
from api.answers import system as answers
from api.answers.erasures import Spaces
from api.body import query
from api.context import host, known_caller
from api.operations import operation
from api.reply import Reply
from api.schemas.jobs import Overview
from services import health, lanes, spaces, stats

routes = Blueprint("system", __name__)


@routes.get("/v1/health")
@operation(answers={200: answers.Health, 503: answers.Health}, is_open=True)
def get_health() -> Reply:
    """Tell whether everything works, 503 when nothing can be answered; without a key only the word.

    It is `degraded` while a part is missing, a node of the inventory that is down or not well included; one that is
    paused is not missing. A name of no node is in `warnings` and leaves `status` as it is.
    """
    state = health.health(host(), scope.whose_work() if known_caller() else "")
    shown = state if known_caller() else {"status": state["status"]}
    return shown, 503 if state["status"] == "down" else 200


@routes.get("/v1/lanes")
@operation(answers={200: answers.Lanes})
def get_lanes() -> Reply:
    """Return the queues, the nodes and what each is doing.

    The queues and nodes are shared. Only a caller of the tenant `default` without limits, which is whoever runs the
    machine, is told of all the work; others of that of their tenant, and a limited key of none.
    """
    return lanes.lanes(host(), scope.whose_work())


@routes.get("/v1/stats")
@operation(query=Overview, answers={200: answers.Stats})
def get_stats() -> Reply:
    """Count what is kept in the spaces named, or in all the key may use."""
    return stats.stats(scope.to_find(query(Overview)), host(), whole=not scope.is_limited())


@routes.get("/v1/spaces")
@operation(query=Overview, answers={200: Spaces})
def list_spaces() -> Reply:
    """Return the spaces the key may use, with counts."""
    return {"spaces": list(spaces.listing(scope.to_find(query(Overview)), host()))}
