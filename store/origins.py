"""Where a memory comes from: its sources with what found them, its chain with what made it, and the decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.records import Memory, Owner, Scope
from memory.records.walks import Evidence, Judgement, Making, Version
from store import spaces
from store.connection import Reader
from store.decisions import decision
from store.hydration import source_of

# A reinforcement was found by another candidate than the one that became the memory: each source has its own.
_EVIDENCE = """
    SELECT source.*, document.title, conversation_id, episode.seq AS message_index, episode.role,
           coalesce(document_date, occurred_at) AS said_at, candidate.speaker, candidate.model AS found_by,
           candidate.prompt_version AS found_with, candidate.node AS found_on, candidate.outcome,
           candidate.outcome_reason, memory.model, memory.prompt_version, memory.node, memory.speaker AS own_speaker
    FROM source JOIN memory ON memory.id = source.memory_id
    LEFT JOIN document ON document.id = source.document_id
    LEFT JOIN episode ON episode.id = source.episode_id
    LEFT JOIN session ON session.id = episode.session_id
    LEFT JOIN candidate ON candidate.seq = (
        SELECT one.seq FROM candidate AS one WHERE one.job_id = source.job_id AND one.start IS source.start
          AND one.end IS source.end AND one.document_id IS source.document_id AND one.episode_id IS source.episode_id
          AND one.memory_id IN (SELECT id FROM memory AS version WHERE version.root_id = memory.root_id)
        ORDER BY one.seq LIMIT 1)
    WHERE source.memory_id = ? ORDER BY source.id
"""
_DECISIONS = """
    SELECT decision.*, judged.user_id, judged.agent_id, judged.session_id, other.user_id AS other_user,
           other.agent_id AS other_agent, other.session_id AS other_session
    FROM decision LEFT JOIN memory AS judged ON judged.id = decision.memory_id
    LEFT JOIN memory AS other ON other.id = decision.other_id
    WHERE decision.id IN (
        SELECT id FROM decision WHERE memory_id IN ({marks}) UNION SELECT id FROM decision WHERE other_id IN ({marks})
        UNION SELECT decision.id FROM candidate JOIN decision ON candidate_seq = candidate.seq
        WHERE candidate.memory_id IN ({marks}))
    ORDER BY decision.at, decision.id
"""


def evidence(db: Reader, memory_id: str) -> tuple[Evidence, ...]:
    """Return every place where a version was said, also those that no longer say it, in the order of recording."""
    return tuple(_evidence(row) for row in db.execute(_EVIDENCE, (memory_id,)).fetchall())


def _evidence(row: Mapping[str, Any]) -> Evidence:
    found = row["found_by"] is not None
    return Evidence(
        source=source_of(row, row["memory_id"]), role=row["role"],
        speaker=row["speaker"] if found else row["own_speaker"],
        making=Making(
            model=row["found_by"] if found else "direct" if row["kind"] == "direct" else row["model"],
            prompt_version=row["found_with"] if found else row["prompt_version"], job_id=row["job_id"],
            node=row["found_on"] if found else row["node"],
        ),
        outcome=row["outcome"], outcome_reason=row["outcome_reason"], recorded_at=row["recorded_at"],
        retired_at=row["retired_at"], reason=row["reason"],
    )  # fmt: skip


def versions(db: Reader, chain: Sequence[Memory]) -> tuple[Version, ...]:
    """Return the versions of a chain with what made each of them and why."""
    marks = ",".join("?" * len(chain))
    rows = db.execute(f"SELECT * FROM memory WHERE id IN ({marks})", [one.id for one in chain]).fetchall()
    made = {row["id"]: row for row in rows}
    reasons = {window.retired_at: window.reason for one in chain for window in one.windows if window.retired_at}
    return tuple(_version(one, made[one.id], reasons.get(one.recorded_at)) for one in chain)


def _version(memory: Memory, row: Mapping[str, Any], replaced: str | None) -> Version:
    making = Making(
        model=row["model"], prompt_version=row["prompt_version"], job_id=row["job_id"], node=row["node"]
    )  # fmt: skip
    return Version(
        memory=memory, making=making, reason=row["version_reason"] or (replaced if row["parent_id"] else None)
    )


def decisions(scope: Scope, db: Reader, chain: Sequence[Memory]) -> tuple[Judgement, ...]:
    """Return the decisions on the versions of a chain, and those that compared something with one of them.

    What was compared with a memory of another user or agent is left out: it would show that memory's text.
    """
    ids = [one.id for one in chain]
    rows = db.execute(_DECISIONS.replace("{marks}", ",".join("?" * len(ids))), ids * 3).fetchall()
    return tuple(_judgement(row) for row in rows if all(scope.sees(owner) for owner in _owners(row)))


def _owners(row: Mapping[str, Any]) -> tuple[Owner, Owner]:
    other = Owner(user=row["other_user"], agent=row["other_agent"], session=row["other_session"])
    return spaces.owner_of(row), other


def _judgement(row: Mapping[str, Any]) -> Judgement:
    one = decision(row)
    return Judgement(
        id=one.id, judge=one.judge, memory_id=one.memory_id, other_id=one.other_id, inputs=one.inputs,
        probabilities=one.probabilities, verdict=one.verdict, model=one.model, prompt_version=one.prompt_version,
        node=one.node, milliseconds=one.milliseconds, at=one.at, label=one.label, relabelled=one.relabelled,
    )  # fmt: skip
