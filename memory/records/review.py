"""What waits for a person, and what may be decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory.records.facts import Memory
from memory.records.scope import Actor, Micros

ReviewKind = Literal["contradiction", "low_confidence", "unjudged", "inferred"]
Resolution = Literal["keep_incumbent", "take_candidate", "keep_both", "edit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One entry of the review list: a candidate that is no memory yet, or a memory that is flagged."""

    id: str  # con_...
    space: str
    kind: ReviewKind
    state: str  # open or resolved
    memory_id: str | None  # the incumbent of a contradiction, else the flagged memory
    candidate_seq: int | None
    statement: str | None  # of the candidate
    quote: str | None
    speaker: str | None
    said_at: Micros | None
    said_zone: str | None
    confidence: float | None  # of the candidate, 0..1
    source_id: str | None  # doc_... or ep_... the candidate rests on; None when it was written directly
    support: int  # sources that say what the candidate says
    verdict: str | None  # of the judge, where one was asked
    probabilities: Mapping[str, float]
    model: str | None  # of the judge
    opened_at: Micros
    resolution: str | None
    resolved_at: Micros | None
    resolved_by: Actor | None
    reason: str | None
    memory: Memory | None = field(default=None)  # what `memory_id` names
    decision_id: str | None = None  # the decision that is doubted, where it is a single one
    # What the judges' answers count as since a calibration was applied to the past: a verdict that would decide about a
    # flagged memory; "undecided" where the memory had taken another's place by a verdict that no longer counts.
    proposed: str | None = None
