"""Fits judges to their labels and goes back, on the writer's side.

Which fit is active changes in one commit. The decisions of before are relabelled after it, a batch a commit, so that a
person's request waits for one batch at most; the request of the next batch commits with the batch before, so whoever
becomes the writer goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memory.calibration import Trust, counted
from memory.calibration_fit import fit as fit_labels
from memory.errors import StateConflict
from services import reconsidering
from services.host import Host
from services.persons import require_person
from store import calibrations, labels, requests
from store.connection import Writer
from store.decisions import Decision
from store.requests import Request

# Judges whose answers are read under a calibration; the judge of kinds is only measured.
FITTED = frozenset(("pair", "bucket"))
# Decisions a commit: 13 ms, and 35 to 60 ms where each is about two memories; measured on two cores.
BATCH = 500
_STEPS = ("calibration_apply", "calibration_back")

Relabelled = tuple[Decision, str | None]  # a decision as it was, and the verdict that counts now; None: its own


def fit(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Make a new active fit of every judge that has labels, or of one, as `services.calibration.fit`.

    Raises:
        PersonOnly: it is not a person who asks.
        StateConflict: there are no labels, or the past is being relabelled.
    """
    require_person(asked.actor)
    _require_rest(tx)
    at, wanted = host.clock(), asked.payload.get("judge")
    names = [
        name for name, (_, count) in labels.judges(tx).items()
        if count and name.judge in FITTED and wanted in (None, name.judge)
    ]  # fmt: skip
    if not names:
        raise StateConflict("There are no labels to fit to; label decisions first.")
    ids = []
    for name in names:
        fitted = fit_labels(labels.labelled(tx, name))
        ids.append(calibrations.add(tx, host.new_id("cal"), name, fitted, actor=asked.actor, at=at).id)
    told = {"ids": ids, **_told(Counter(), 0)}
    return _next(host, tx, asked, "calibration_apply", told, fits=ids) if asked.payload.get("apply_to_past") else told


def apply(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Relabel a batch of the decisions that were made before fits, newest first."""
    first, *others = asked.payload["fits"]
    fitted = calibrations.find(tx, first)
    read = list(labels.of_judge(tx, fitted.name, most=BATCH, before=asked.payload.get("before")))
    new = [(one, relabelled(one, fitted.trust)) for one in read]
    changed = [(one, now) for one, now in new if now != one.relabelled]
    calibrations.relabel(tx, [(one.id, now) for one, now in changed], by=fitted.id)
    told = _reconsidered(host, tx, asked, changed)
    if len(read) == BATCH:
        return _next(host, tx, asked, asked.kind, told, fits=[first, *others], before=[read[-1].at, read[-1].id])
    return _next(host, tx, asked, asked.kind, told, fits=others) if others else told


def revert(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Go back from an active fit to the one before, as `services.calibration.revert`.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound: there is no such fit.
        StateConflict: it is not active any more, or the past is being relabelled.
    """
    require_person(asked.actor)
    _require_rest(tx)
    one = calibrations.find(tx, str(asked.payload["id"]))
    if one.state != "active":
        raise StateConflict("Only the active fit of a judge can be reverted; read which it is first.", id=one.id)
    before = calibrations.go_back(tx, one, actor=asked.actor, at=host.clock())
    told = {"id": one.id, "active": before.id if before else None, **_told(Counter(), 0)}
    return _next(host, tx, asked, "calibration_back", told, id=one.id)


def back(host: Host, tx: Writer, tenant: str, asked: Request) -> Mapping[str, Any]:
    """Take a batch of what a reverted fit has made of decisions back.

    First what was answered under it is read as the fit before reads it, then what it has relabelled is restored. Each
    leaves its list by that, so that a batch needs not know where the one before ended.
    """
    reverted = calibrations.find(tx, str(asked.payload["id"]))
    made = calibrations.made_under(tx, reverted.id, most=BATCH)
    if made:
        trust, calibration_id = calibrations.trust(tx, reverted.name)
        new = [(one, relabelled(one, trust)) for one in made]
        calibrations.put_under(tx, [(one.id, now) for one, now in new], calibration_id=calibration_id)
        changed = [(one, now) for one, now in new if now != one.relabelled]
    else:
        changed = calibrations.relabelled_by(tx, reverted.id, most=BATCH)
        calibrations.restore(tx, reverted.id, [one.id for one, _ in changed])
    told = _reconsidered(host, tx, asked, changed)
    return _next(host, tx, asked, asked.kind, told, id=reverted.id) if made or len(changed) == BATCH else told


def relabelled(one: Decision, trust: Trust) -> str | None:
    """Return the verdict that counts by a calibration; None where it is the judge's own."""
    counts = counted(one.verdict, one.probabilities, trust)
    return None if counts == one.verdict else counts


def _require_rest(tx: Writer) -> None:
    if requests.any_waiting(tx, _STEPS):
        raise StateConflict("Past decisions are being relabelled; try again in a moment.")


def _next(host: Host, tx: Writer, asked: Request, kind: str, told: Mapping[str, Any], **step: Any) -> Mapping[str, Any]:
    """Ask for the next batch; `next` of the result names it, and what the last one returns is told to who asked."""
    request_id = host.new_id("req")
    payload = {"told": told, **step}
    requests.add(
        tx, request_id=request_id, kind=kind, payload=payload, actor=asked.actor, caused_by=asked.caused_by,
        at=host.clock(),
    )  # fmt: skip
    return {"next": request_id}


def _reconsidered(host: Host, tx: Writer, asked: Request, changed: Sequence[Relabelled]) -> dict[str, Any]:
    """Put on the review list what follows from a batch; returns what is told of all batches so far."""
    told = asked.payload["told"]
    changes = Counter({(one["from"], one["to"]): int(one["count"]) for one in told["changes"]})
    changes.update((one.counted, now or one.verdict) for one, now in changed)
    ids = [one.id for one, _ in changed]
    asks = reconsidering.reconsider(host, tx, ids, actor=asked.actor, at=host.clock())
    return {**told, **_told(changes, told["for_review"] + asks)}


def _told(changes: Counter[tuple[str, str]], asks: int) -> dict[str, Any]:
    told = [{"from": old, "to": new, "count": count} for (old, new), count in sorted(changes.items())]
    return {"relabelled": sum(changes.values()), "changes": told, "for_review": asks}


HANDLERS = {
    "calibration_fit": fit,
    "calibration_apply": apply,
    "calibration_revert": revert,
    "calibration_back": back,
}
