"""The walks through time as JSON, in snake_case."""

from __future__ import annotations

from api.render import Json, actor, memory, moment, score, source
from memory.records.walks import Change, Evidence, Judgement, Making, Provenance, Version

# Of a change, what the second id is, by kind.
OTHER = {"superseded": "successor_id", "corrected": "successor_id", "restored": "previous_id"}


def change(row: Change) -> Json:
    """Return one change."""
    other = {OTHER.get(row.kind, "previous_id"): row.other_id} if row.other_id else {}
    return {
        "at": moment(row.at), "kind": row.kind, "id": row.id, "container_tag": row.space, "memory": row.memory,
        "root_id": row.root_id, "version": row.version, "reason": row.reason,
        "actor": actor(row.actor) if row.actor else None, **other,
    }  # fmt: skip


def provenance(row: Provenance) -> Json:
    """Return a memory with its sources, decisions and versions."""
    return {
        "id": row.memory.id, "memory": row.memory.text, "root_id": row.memory.root_id,
        "sources": [evidence(one) for one in row.evidence], "decisions": [judgement(one) for one in row.decisions],
        "versions": [version(one) for one in row.versions],
    }  # fmt: skip


def making(row: Making) -> Json:
    """Return what made something."""
    return {"model": row.model, "prompt_version": row.prompt_version, "job_id": row.job_id, "node": row.node}


def evidence(row: Evidence) -> Json:
    """Return one place where a memory was said."""
    return {
        **source(row.source), "role": row.role, "speaker": row.speaker, **making(row.making), "outcome": row.outcome,
        "outcome_reason": row.outcome_reason, "recorded_at": moment(row.recorded_at),
        "retired_at": moment(row.retired_at), "reason": row.reason,
    }  # fmt: skip


def judgement(row: Judgement) -> Json:
    """Return one decision."""
    return {
        "id": row.id, "judge": row.judge, "memory_id": row.memory_id, "other_id": row.other_id,
        "inputs": dict(row.inputs), "verdict": row.verdict,
        "probabilities": {name: score(value) for name, value in row.probabilities.items()}, "model": row.model,
        "prompt_version": row.prompt_version, "node": row.node, "milliseconds": row.milliseconds,
        "at": moment(row.at), "label": row.label, "relabelled": row.relabelled,
    }  # fmt: skip


def version(row: Version) -> Json:
    """Return one version with what made it and why; its sources are those of the walk."""
    shown = {name: value for name, value in memory(row.memory).items() if name != "sources"}
    return {**shown, **making(row.making), "reason": row.reason}
