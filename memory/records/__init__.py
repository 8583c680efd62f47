"""The records that travel between the parts: frozen, slotted, keyword-only, every field with its unit.

Times are integers: microseconds since 1970-01-01T00:00:00Z. `FOREVER` is the open end of a window.
"""

from memory.records.answers import ARMS, Answer, Arm, Citation, Compressed, Hit, SearchAnswer, SearchQuery
from memory.records.facts import Entity, Forgetting, Match, Memory, NewMemory, Relation, Statement, Window, Written
from memory.records.review import Resolution, Review, ReviewKind
from memory.records.scope import (
    BEGINNING,
    FOREVER,
    Actor,
    ActorKind,
    Clocks,
    JobState,
    MemoryKind,
    Micros,
    Outcome,
    Owner,
    Page,
    RowKind,
    Scope,
)
from memory.records.sources import ChunkSpan, Document, Episode, Message, NewDocument, Source
from memory.records.work import Accepted, Idempotency, Job, WorkItem

__all__ = [
    "ARMS",
    "BEGINNING",
    "FOREVER",
    "Accepted",
    "Actor",
    "ActorKind",
    "Answer",
    "Arm",
    "ChunkSpan",
    "Citation",
    "Clocks",
    "Compressed",
    "Document",
    "Entity",
    "Episode",
    "Forgetting",
    "Hit",
    "Idempotency",
    "Job",
    "JobState",
    "Match",
    "Memory",
    "MemoryKind",
    "Message",
    "Micros",
    "NewDocument",
    "NewMemory",
    "Outcome",
    "Owner",
    "Page",
    "Relation",
    "Resolution",
    "Review",
    "ReviewKind",
    "RowKind",
    "Scope",
    "SearchAnswer",
    "SearchQuery",
    "Source",
    "Statement",
    "Window",
    "WorkItem",
    "Written",
]
