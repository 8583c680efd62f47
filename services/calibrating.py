"""Fits judges to their labels and goes back, on the writer's side: each in one commit with all that it relabels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from memory.calibration import Trust, counted
from memory.calibration_fit import fit as fit_labels
from memory.errors import PersonOnly, StateConflict
from memory.records import Actor
from services import reconsidering
from services.host import Host
from store import calibrations, decisions, labels
from store.calibrations import Calibration
from store.connection import Writer
from store.decisions import Decision
from store.requests import Request


def fit(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Make a new active fit of every judge that has labels, or of one, as `services.calibration.fit`.

    Raises:
        PersonOnly: it is not a person who asks.
        StateConflict: there are no labels.
    """
    _require_person(asked.actor)
    at, wanted = host.clock(), asked.payload.get("judge")
    names = [name for name, (_, count) in labels.judges(tx).items() if count and wanted in (None, name.judge)]
    if not names:
        raise StateConflict("There are no labels to fit to; label decisions first.")
    made, changes = [], Counter[tuple[str, str]]()
    changed: list[str] = []
    for name in names:
        fitted = fit_labels(labels.labelled(tx, name))
        one = calibrations.add(tx, host.new_id("cal"), name, fitted, actor=asked.actor, at=at)
        made.append(one.id)
        if asked.payload.get("apply_to_past"):
            changed += _apply(tx, one, changes)
    asks = reconsidering.reconsider(host, tx, changed, actor=asked.actor, at=at)
    return {"ids": made, **_told(changes, asks)}


def revert(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Go back from an active fit to the one before, as `services.calibration.revert`.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound: there is no such fit.
        StateConflict: it is not active any more.
    """
    _require_person(asked.actor)
    one, at = calibrations.find(tx, str(asked.payload["id"])), host.clock()
    if one.state != "active":
        raise StateConflict("Only the active fit of a judge can be reverted; read which it is first.", id=one.id)
    before = calibrations.go_back(tx, one, actor=asked.actor, at=at)
    changes = Counter[tuple[str, str]]()
    changed = [*_reread(tx, one, before, changes), *_restore(tx, one, changes)]
    asks = reconsidering.reconsider(host, tx, changed, actor=asked.actor, at=at)
    return {"id": one.id, "active": before.id if before else None, **_told(changes, asks)}


def relabelled(one: Decision, trust: Trust) -> str | None:
    """Return the verdict that counts by a calibration; None where it is the judge's own."""
    counts = counted(one.verdict, one.probabilities, trust)
    return None if counts == one.verdict else counts


def _apply(tx: Writer, fitted: Calibration, changes: Counter[tuple[str, str]]) -> list[str]:
    changed = []
    for one in labels.of_judge(tx, fitted.name):
        now = relabelled(one, fitted.trust)
        if now != one.relabelled:
            calibrations.relabel(tx, one.id, now, by=fitted.id)
            changes[one.counted, now or one.verdict] += 1
            changed.append(one.id)
    return changed


def _reread(
    tx: Writer, reverted: Calibration, before: Calibration | None, changes: Counter[tuple[str, str]]
) -> list[str]:
    """Read what was answered under the reverted fit as the one before reads it, so that nothing of it is left."""
    trust, calibration_id = calibrations.trust(tx, reverted.name)
    changed = []
    for decision_id in calibrations.made_under(tx, reverted.id):
        one = _known(tx, decision_id)
        now = relabelled(one, trust)
        calibrations.put_under(tx, one.id, now, calibration_id=calibration_id)
        if now != one.relabelled:
            changes[one.counted, now or one.verdict] += 1
            changed.append(one.id)
    return changed


def _restore(tx: Writer, reverted: Calibration, changes: Counter[tuple[str, str]]) -> list[str]:
    was = {one: _known(tx, one) for one in calibrations.relabelled_by(tx, reverted.id)}
    calibrations.restore(tx, reverted.id)
    for decision_id, one in was.items():
        changes[one.counted, _known(tx, decision_id).counted] += 1
    return list(was)


def _known(tx: Writer, decision_id: str) -> Decision:
    found = decisions.find(tx, decision_id)
    if found is None:
        raise AssertionError(f"decision {decision_id} is gone within its transaction")
    return found


def _told(changes: Counter[tuple[str, str]], asks: int) -> dict[str, Any]:
    told = [{"from": old, "to": new, "count": count} for (old, new), count in sorted(changes.items())]
    return {"relabelled": sum(changes.values()), "changes": told, "for_review": asks}


def _require_person(actor: Actor) -> None:
    if actor.kind != "person":
        raise PersonOnly


HANDLERS = {"calibration_fit": fit, "calibration_revert": revert}
