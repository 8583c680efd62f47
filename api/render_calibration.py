"""Decisions and calibration as JSON, in snake_case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.render import Json, actor, moment, score
from memory.calibration import LEAST_PROBABILITY, Trust
from memory.calibration_fit import Fit, Precision
from services.calibration import Calibration, Standing
from services.labelling import Decision, options


def decision(row: Decision) -> Json:
    """Return a decision with what may be said of it."""
    return {
        "id": row.id, "judge": row.judge, "container_tag": row.space, "inputs": dict(row.inputs),
        "verdict": row.verdict, "relabelled": row.relabelled,
        "probabilities": {option: score(share) for option, share in row.probabilities.items()},
        "options": list(options(row)), "label": row.label,
        "labelled_by": actor(row.labelled_by) if row.labelled_by else None, "labelled_at": moment(row.labelled_at),
        "memory_id": row.memory_id, "other_id": row.other_id, "model": row.model,
        "prompt_version": row.prompt_version, "calibration_id": row.calibration_id, "node": row.node,
        "milliseconds": row.milliseconds, "at": moment(row.at),
    }  # fmt: skip


def standing(row: Standing) -> Json:
    """Return what is known of one judge."""
    verdicts = {verdict: precision(one) for verdict, one in row.verdicts.items()}
    return {
        "judge": row.name.judge, "model": row.name.model, "prompt_version": row.name.prompt_version,
        "decisions": row.decisions, "labels": row.labels, "verdicts": verdicts,
        "active": calibration(row.active) if row.active else None,
        "fit": {**fitted(row.fit), "changes": changes(row.changes)},
    }  # fmt: skip


def precision(row: Precision) -> Json:
    """Return how often a verdict was right, with its interval."""
    share = score(row.right / row.labels) if row.labels else None
    return {
        "labels": row.labels,
        "right": row.right,
        "precision": share,
        "low": score(row.low),
        "high": score(row.high),
    }


def calibration(row: Calibration) -> Json:
    """Return one fit as it was kept."""
    found = {
        verdict: {**one, "precision": precision(Precision(**one["precision"]))} for verdict, one in row.verdicts.items()
    }
    return {
        "id": row.id, "judge": row.name.judge, "model": row.name.model, "prompt_version": row.name.prompt_version,
        "state": row.state, "labels": row.labels, **trust(row.trust), "verdicts": found,
        "previous_id": row.previous_id, "actor": actor(row.actor), "at": moment(row.at),
        "retired_at": moment(row.retired_at),
    }  # fmt: skip


def fitted(row: Fit) -> Json:
    """Return what a fit would be now."""
    found = {
        verdict: {
            "standing": one.standing, "threshold": one.threshold, "target": one.target,
            "precision": precision(one.precision),
        }
        for verdict, one in row.findings.items()
    }  # fmt: skip
    return {"labels": row.labels, **trust(row.trust), "verdicts": found}


def trust(row: Trust) -> Json:
    """Return a temperature and the thresholds; `else` is that of every verdict not named."""
    return {"temperature": row.temperature, "thresholds": {**row.thresholds, "else": LEAST_PROBABILITY}}


def changes(found: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    """Return how many decisions count otherwise, by verdict."""
    return [{"from": old, "to": new, "count": count} for (old, new), count in found.items()]
