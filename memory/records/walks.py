"""What the two walks through time find: the changes between two times, and where one memory comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memory.records.facts import Memory
from memory.records.scope import Actor, Micros
from memory.records.sources import Source

ChangeKind = Literal[
    "learned", "superseded", "corrected", "forgotten", "restored", "retired", "conflict_opened", "conflict_resolved"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that became known, stopped being believed, or was put to a person."""

    at: Micros  # of the recorded clock
    kind: ChangeKind
    id: str  # of the memory; con_... of what is on the review list
    space: str
    memory: str | None  # as it is shown; of a conflict the memory or candidate that it is about
    root_id: str | None
    version: int | None
    other_id: str | None  # the successor of a superseded or corrected one, the version before of a restored one
    reason: str | None
    actor: Actor | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What made something: a job on a node, by a model with a prompt."""

    model: str  # "rules", "direct", "restored" or a model's name
    prompt_version: str
    job_id: str | None
    node: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One place where a memory was said, and how it was found there."""

    source: Source
    role: str | None  # of the message
    speaker: str | None
    making: Making
    outcome: str | None  # of the candidate it was: added, reinforced, ...
    outcome_reason: str | None
    recorded_at: Micros
    retired_at: Micros | None
    reason: str | None  # of the retirement


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a chain with what made it and why."""

    memory: Memory
    making: Making
    reason: str | None  # why it was made; None: a source said it


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The logged answer of a judge about a version of the chain, or about what was compared with one."""

    id: str  # dec_...
    judge: str
    memory_id: str | None
    other_id: str | None
    inputs: Mapping[str, Any]  # what the judge was shown
    probabilities: Mapping[str, float]
    verdict: str
    model: str
    prompt_version: str
    node: str | None
    milliseconds: int | None
    at: Micros
    label: str | None
    relabelled: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Everything a memory can be walked back to."""

    memory: Memory
    evidence: tuple[Evidence, ...]
    decisions: tuple[Judgement, ...]  # of the whole chain, oldest first
    versions: tuple[Version, ...]  # oldest first, each with its windows
