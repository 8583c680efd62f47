"""Calibration: how far each judge is to be trusted by what people said of its answers, and changing that."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.calibration_fit import Fit, Labelled, Precision, is_right, precision
from memory.calibration_fit import fit as fit_labels
from memory.records import Actor, Idempotency, Scope
from services import asking, intake
from services.calibrating import FITTED, relabelled
from services.host import Host
from services.persons import require_person
from store import calibrations, labels
from store.calibrations import Calibration as Calibration
from store.connection import Reader
from store.labels import JudgeName

# What a new fit would change is counted among so many of a judge's newest decisions: about 0.1 s.
MOST_READ = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One judge, model and prompt version: what is known of its answers, and how far it is trusted."""

    name: JudgeName
    decisions: int
    labels: int
    verdicts: Mapping[str, Precision]  # of its own answers, before any calibration
    active: Calibration | None
    fit: Fit  # what the labels say now
    changes: Mapping[tuple[str, str], int]  # by (counts as, would count as): decisions that a new fit would relabel


def show(scope: Scope, host: Host) -> tuple[Standing, ...]:
    """Return every judge that has answered in the spaces of a scope.

    The counts are of those spaces. An active fit is of the whole tenant; what the labels say now is shown here of those
    that the scope may see.
    """
    with host.store.read(scope.tenant) as db:
        return tuple(
            _standing(db, scope, name, decisions=decisions, count=count)
            for name, (decisions, count) in labels.judges(db, scope).items()
        )


def _standing(db: Reader, scope: Scope, name: JudgeName, *, decisions: int, count: int) -> Standing:
    labelled = labels.labelled(db, name, scope)
    fitted = fit_labels(labelled)
    return Standing(
        name=name, decisions=decisions, labels=count, verdicts=_precisions(labelled),
        active=calibrations.active(db, name), fit=fitted,
        changes=_would_change(db, scope, name, fitted) if labelled and name.judge in FITTED else {},
    )  # fmt: skip


def _precisions(labelled: Sequence[Labelled]) -> dict[str, Precision]:
    said: dict[str, list[bool]] = {}
    for one in labelled:
        right = is_right(one.verdict, one.label)
        if right is not None:
            said.setdefault(one.verdict, []).append(right)
    return {verdict: precision(samples) for verdict, samples in sorted(said.items())}


def _would_change(db: Reader, scope: Scope, name: JudgeName, fitted: Fit) -> dict[tuple[str, str], int]:
    changes: Counter[tuple[str, str]] = Counter()
    for one in labels.of_judge(db, name, scope, most=MOST_READ):
        now = relabelled(one, fitted.trust) or one.verdict
        if now != one.counted:
            changes[one.counted, now] += 1
    return dict(sorted(changes.items()))


def fit(
    scope: Scope,
    host: Host,
    actor: Actor,
    *,
    judge: str | None = None,
    apply_to_past: bool = False,
    idempotency: Idempotency | None = None,
) -> Mapping[str, Any]:
    """Fit judges to the labels of the whole tenant; each new fit is active at once and the one before retired.

    Args:
        scope: whose.
        host: the adapters.
        actor: a person.
        judge: pair or bucket; None for every judge that has labels. The judge of kinds is only measured.
        apply_to_past: relabel the decisions of before too. What follows for what is known is put on the review list;
            nothing of it is changed.
        idempotency: makes a repeated call return the first one's outcome.

    Returns:
        `ids` of the fits; `relabelled`, how many decisions; `changes` by verdict; `for_review`, how many entries of the
        review list say something new.

    Raises:
        PersonOnly: it is not a person who asks.
        StateConflict: there are no labels, or past decisions are being relabelled.
        Pending: it is kept and will be carried out, but not in time for this answer.
    """
    require_person(actor)
    wanted = {"judge": judge, "apply_to_past": apply_to_past}
    return _to_the_end(scope, host, actor, "calibration_fit", wanted, idempotency=idempotency)


def revert(scope: Scope, host: Host, actor: Actor, calibration_id: str) -> Mapping[str, Any]:
    """Go back from a judge's active fit to the one before, with every verdict that it has relabelled.

    Returns:
        `id`; `active`, the fit that counts now or None; and as `fit` what was relabelled.

    Raises:
        PersonOnly: it is not a person who asks.
        NotFound: there is no such fit.
        StateConflict: it is not active any more, or past decisions are being relabelled.
        Pending: it is kept and will be carried out, but not in time for this answer.
    """
    require_person(actor)
    return _to_the_end(scope, host, actor, "calibration_revert", {"id": calibration_id})


def _to_the_end(
    scope: Scope,
    host: Host,
    actor: Actor,
    kind: str,
    payload: Mapping[str, Any],
    *,
    idempotency: Idempotency | None = None,
) -> Mapping[str, Any]:
    """Ask for something and follow its batches; they go on when nobody waits for them."""
    until = time.monotonic() + host.settings.wait_seconds
    done = asking.ask(intake.asked_by(scope, actor), host, actor, kind, payload, idempotency=idempotency)
    while "next" in done:
        left = min(host.settings.interactive_timeout, until - time.monotonic())
        done = asking.outcome(scope, host, str(done["next"]), seconds=left)
    return done


def get(scope: Scope, host: Host, calibration_id: str) -> Calibration:
    """Return one fit.

    Raises:
        NotFound: there is none.
    """
    with host.store.read(scope.tenant) as db:
        return calibrations.find(db, calibration_id)
