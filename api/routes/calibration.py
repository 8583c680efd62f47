"""What judges answered, what people say of it, and how far judges are trusted by that.

Only a person labels, fits and reverts (403 `person_only`). What goes over every space is refused to a key that is
limited to spaces, a user or an agent.
"""

from __future__ import annotations

from flask import Blueprint

from api import render, render_calibration, scope
from api.answers import calibration as answers
from api.answers.base import Pending
from api.body import body, body_if_any, query
from api.context import actor, host, limits
from api.idempotency import idempotency
from api.operations import operation
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
@operation(query=ListDecisions, answers={200: answers.Decisions})
def list_decisions() -> Reply:
    """Return a page of decisions, the newest first; those about erased memories are not listed."""
    sent = query(ListDecisions)
    page = labelling.listing(
        scope.to_find(sent), host(), **sent.paging(), judge=sent.judge, verdict=sent.verdict, labelled=sent.labelled
    )
    rows = list(map(render_calibration.decision, page.rows))
    return {"decisions": rows, "pagination": render.pagination(page, number=sent.page)}


@routes.get("/v1/decisions/<decision_id>")
@operation(query=FindDecision, answers={200: answers.Decision})
def get_decision(decision_id: str) -> Reply:
    """Return one decision."""
    found = labelling.get(scope.to_find(query(FindDecision)), host(), decision_id)
    return render_calibration.decision(found)


@routes.post("/v1/decisions/<decision_id>/label")
@operation(body=LabelDecision, answers={200: answers.Decision, 202: Pending}, example={"label": "update"})
def label_decision(decision_id: str) -> Reply:
    """Say what an answer should have been; only a person can.

    A later label takes the place of the one before. Resolving a conflict labels the decision behind it as well, where
    that is clear.
    """
    sent = body(LabelDecision)
    with limits().writing():
        done = labelling.label(scope.to_change(sent), host(), actor(), decision_id, option=sent.label, wrong=sent.wrong)
    return render_calibration.decision(done)


@routes.get("/v1/calibration")
@operation(query=ShowCalibration, answers={200: answers.Judges})
def show_calibration() -> Reply:
    """Return every judge with its labels, its active fit, and what a new one would change.

    `changes` counts among the newest 10,000 decisions. The judge `kind` is measured by what people correct, which are
    mostly its mistakes, and never fitted.
    """
    sent = query(ShowCalibration)
    scope.require_unlimited("see how judges are trusted over every space")
    found = calibration.show(scope.to_find(sent), host())
    return {"judges": list(map(render_calibration.standing, found))}


@routes.post("/v1/calibration/fit")
@operation(body=FitCalibration, body_optional=True, answers={200: answers.Fitted, 202: Pending}, idempotent=True)
def fit_calibration() -> Reply:
    """Fit judges to their labels; only a person can.

    Each judge that has labels is fitted, or only the one that is named. The new fit is active at once, the one before
    is retired. With `apply_to_past` the decisions of before are relabelled too, some hundreds a commit; until they are
    done a further fit or revert is 409, and an answer that would take too long is 202. Nothing that is known changes by
    that: what follows is on the review list, in entries that have `proposed`. 409 without any label.
    """
    sent, whose, key = body_if_any(FitCalibration), _whole_tenant(), idempotency("POST /v1/calibration/fit")
    with limits().writing():
        done = calibration.fit(whose, host(), actor(), **sent.wanted(), idempotency=key)
    fits = [render_calibration.calibration(calibration.get(whose, host(), one)) for one in done["ids"]]
    return {"fits": fits, **{name: value for name, value in done.items() if name != "ids"}}


@routes.post("/v1/calibration/<calibration_id>/revert")
@operation(body=RevertCalibration, body_optional=True, answers={200: answers.Reverted, 202: Pending})
def revert_calibration(calibration_id: str) -> Reply:
    """Go back to the fit before, with every verdict that it relabelled; only a person can.

    409 for a fit that is not active.
    """
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
