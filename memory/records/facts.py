"""Memories, their windows, and what is found before they are ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.records.scope import Actor, MemoryKind, Micros
from memory.records.sources import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A thing that a fact names."""

    name: str
    type: str  # person, organisation, place, product, event, or whatever else it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A typed link between two entities of a fact."""

    origin: str  # name of the entity it goes out from
    type: str  # e.g. "works for"
    target: str  # name of the entity it leads to


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What an extractor found, before it is a candidate: one self-contained sentence and where it stands."""

    text: str  # the statement alone, without speaker and date
    quote: str  # verbatim span of the source it rests on
    start: int  # character offset of the quote in the source text handed in
    end: int  # exclusive
    speaker: str | None  # who said it, or the document's title; None when unknown
    said_at: Micros | None  # when it was said; None when unknown
    said_zone: str | None  # UTC offset as written, e.g. "+02:00"
    kind: MemoryKind = "fact"
    confidence: float = 0.7  # 0..1
    position: int = 0  # order within its source
    valid_from: Micros | None = None  # when it became true, if the source says so
    valid_to: Micros | None = None  # exclusive; when it ceased to be true, if the source says so
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    role: str | None = None  # of the message it is from; None for a document


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One claim that a memory was true for a time, and when we believed it."""

    valid_from: Micros
    valid_to: Micros  # exclusive; FOREVER when open
    recorded_at: Micros
    retired_at: Micros | None
    actor: Actor
    reason: str | None = None  # of the retirement
    retired_by: Actor | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One atomic fact, one version of it."""

    id: str  # mem_...
    space: str
    root_id: str  # first version of the chain
    parent_id: str | None  # the version before
    version: int  # 1-based, without gaps
    statement: str
    speaker: str | None
    said_at: Micros | None
    said_zone: str | None
    kind: MemoryKind
    confidence: float  # 0..1
    support: int  # how many sources say so
    is_static: bool
    is_latest: bool  # has the highest version of its chain
    is_forgotten: bool
    forget_reason: str | None
    metadata: Mapping[str, Any]
    actor: Actor
    recorded_at: Micros
    updated_at: Micros
    windows: tuple[Window, ...] = ()
    sources: tuple[Source, ...] = ()
    forget_after: Micros | None = None  # forgotten by itself from then on
    is_disputed: bool = False  # something that contradicts it waits for a person
    is_unjudged: bool = False  # added although no judge could decide whether it is new
    is_inferred: bool = False  # derived from other memories, not said by a source

    @property
    def is_retired(self) -> bool:
        """Whether nothing of it is believed any more: each of its windows has been retired."""
        return bool(self.windows) and all(window.retired_at is not None for window in self.windows)

    @property
    def text(self) -> str:
        """The memory as it is shown, embedded and indexed: attribution, then statement."""
        # Not at the top: statements are described in the units of these records.
        from memory.statements import attributed

        return attributed(self.statement, self.speaker, self.said_at, self.said_zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """A fact as a caller writes it directly."""

    content: str
    is_static: bool = False
    kind: MemoryKind | None = None  # None: by rule
    metadata: Mapping[str, Any] = field(default_factory=dict)
    valid_from: Micros | None = None  # None: now
    forget_after: Micros | None = None  # forgotten by itself from then on; None: never


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of facts that were written directly."""

    memories: tuple[Memory, ...]  # new ones, and those that said the same before
    conflicts: tuple[str, ...] = ()  # con_..: what contradicts a confident memory and waits for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A memory that a forget-matching call would forget or has forgotten."""

    id: str
    text: str
    score: float  # similarity, 0..1


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """The outcome or preview of forget-matching."""

    dry_run: bool
    batch_id: str | None  # restores what it forgot; None for a preview
    matches: tuple[Match, ...]
