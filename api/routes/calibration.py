"""What judges answered, what people say of it, and how far judges are trusted by that."""

from __future__ import annotations

from flask import Blueprint

from api import render, render_calibration, scope
from api.body import body, body_if_any, query
from api.context import actor, host, limits
from api.reply import Reply
from api.schemas.calibration import (
    FindDecision,
    FitCalibration,
    LabelDecision,
    ListDecisions,
    RevertCalibration,
    ShowCalibration,
)
from api.schemas.scope import InScope
from memory.records import Scope
from services import calibration, labelling

routes = Blueprint("calibration", __name__)


@routes.get("/v1/decisions")
def list_decisions() -> Reply:
    """Return a page of decisions."""
    sent = query(ListDecisions)
    page = labelling.listing(
        scope.to_find(sent), host(), **sent.paging(), judge=sent.judge, verdict=sent.verdict, labelled=sent.labelled
    )
    rows = list(map(render_calibration.decision, page.rows))
    return {"decisions": rows, "pagination": render.pagination(page, number=sent.page)}


@routes.get("/v1/decisions/<decision_id>")
def get_decision(decision_id: str) -> Reply:
    """Return one decision."""
    found = labelling.get(scope.to_find(query(FindDecision)), host(), decision_id)
    return render_calibration.decision(found)


@routes.post("/v1/decisions/<decision_id>/label")
def label_decision(decision_id: str) -> Reply:
    """Say what an answer should have been; only a person can."""
    sent = body(LabelDecision)
    with limits().writing():
        done = labelling.label(scope.to_change(sent), host(), actor(), decision_id, option=sent.label, wrong=sent.wrong)
    return render_calibration.decision(done)


@routes.get("/v1/calibration")
def show_calibration() -> Reply:
    """Return every judge with its labels, its active fit, and what a new one would change."""
    sent = query(ShowCalibration)
    scope.require_unlimited("see how judges are trusted over every space")
    found = calibration.show(scope.to_find(sent), host())
    return {"judges": list(map(render_calibration.standing, found))}


@routes.post("/v1/calibration/fit")
def fit_calibration() -> Reply:
    """Fit judges to their labels; only a person can."""
    sent, whose = body_if_any(FitCalibration), _whole_tenant()
    with limits().writing():
        done = calibration.fit(whose, host(), actor(), judge=sent.judge, apply_to_past=sent.apply_to_past)
    fits = [render_calibration.calibration(calibration.get(whose, host(), one)) for one in done["ids"]]
    return {"fits": fits, **{name: value for name, value in done.items() if name != "ids"}}


@routes.post("/v1/calibration/<calibration_id>/revert")
def revert_calibration(calibration_id: str) -> Reply:
    """Go back to the fit before; only a person can."""
    body_if_any(RevertCalibration)
    with limits().writing():
        return dict(calibration.revert(_whole_tenant(), host(), actor(), calibration_id))


def _whole_tenant() -> Scope:
    """Return the scope of what changes how the judges of every space are read.

    Raises:
        Forbidden: the key may only read, or is limited to spaces, a user or an agent.
    """
    scope.require_unlimited("change how judges are trusted")
    return scope.to_change(InScope())
