"""The records that travel between the parts: frozen, slotted, keyword-only, every field with its unit.

Times are integers: microseconds since 1970-01-01T00:00:00Z. `FOREVER` is the open end of a window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from memory.chunk_body import shown
from memory.errors import OneSpace

Row = TypeVar("Row")
Micros = int
FOREVER: Micros = 2**62
BEGINNING: Micros = -(2**62)

ActorKind = Literal["person", "agent", "service", "pipeline", "dream"]
MemoryKind = Literal["fact", "preference", "episode"]
RowKind = Literal["memory", "chunk"]
JobState = Literal["queued", "running", "done", "partial", "failed", "cancelled"]
Outcome = Literal["added", "reinforced", "superseded", "conflict", "review", "suppressed", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose data a call may touch: the first argument of every store and service function."""

    tenant: str
    spaces: tuple[str, ...] = ("default",)  # names; a write has exactly one
    user: str | None = None  # a row that has one is returned only to scopes naming it, or naming none
    agent: str | None = None
    session: str | None = None

    @property
    def space(self) -> str:
        """The one space of a write.

        Raises:
            OneSpace: the scope names none or several.
        """
        if len(self.spaces) != 1:
            raise OneSpace(field="containerTag")
        return self.spaces[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who did it, with the key or job behind it."""

    kind: ActorKind
    id: str  # key id, job id, or "local" for a keyless loopback caller


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSpan:
    """A heading-aware span of a document; spans tile the source exactly."""

    position: int  # 0-based in the document
    start: int  # character offset in the source, inclusive
    end: int  # character offset, exclusive
    heading: tuple[str, ...]  # heading path, outermost first
    opening: str = ""  # text put in front so that a split fence reads as code, e.g. "```python\n"
    closing: str = ""  # text put behind to close a split fence, e.g. "\n```"

    def body(self, source: str) -> str:
        """Return the text as it is embedded and shown: no heading path, no outer white space (`memory.chunk_body`)."""
        return shown(source[self.start : self.end], self.opening, self.closing)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation as it came in."""

    role: str  # user, assistant, system or tool
    content: str
    name: str | None = None
    said_at: Micros | None = None
    said_zone: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One entry of the append-only ledger."""

    id: str  # ep_...
    session_id: str  # ses_...
    index: int  # 0-based in its session, without gaps
    kind: str  # turn, tool_call, tool_result, outcome or error
    role: str
    name: str | None
    content: str
    said_at: Micros | None
    said_zone: str | None
    recorded_at: Micros
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Source material and its processing state."""

    id: str  # doc_...
    space: str
    custom_id: str | None
    title: str | None
    type: str  # Supermemory's words: text, pdf, webpage ...
    filepath: str | None
    metadata: Mapping[str, Any]
    document_date: Micros | None
    document_zone: str | None
    status: str  # unknown, queued, extracting, chunking, embedding, indexing, done, failed
    reason: str | None  # why it failed, for a person
    warning: str | None  # what is missing although it is done
    latest_revision: int  # 1-based, the newest accepted
    live_revision: int | None  # the one search answers from
    job_id: str | None  # the newest job
    chunk_count: int
    memory_count: int
    tokens: int | None  # of the live revision's text
    created_at: Micros
    updated_at: Micros
    content: str | None = None  # of the live revision (of the newest when none is live), when asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory or a result came from."""

    kind: Literal["document", "episode", "direct"]
    id: str  # doc_..., ep_... or mem_...
    document_id: str | None = None
    revision: int | None = None
    chunk_id: str | None = None
    start: int | None = None  # character span of the quote in the document or message
    end: int | None = None
    conversation_id: str | None = None
    message_index: int | None = None  # 0-based in the stored conversation
    quote: str | None = None
    title: str | None = None
    said_at: Micros | None = None


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

    @property
    def text(self) -> str:
        """The memory as it is shown, embedded and indexed: attribution, then statement."""
        from memory.statements import attributed

        return attributed(self.statement, self.speaker, self.said_at, self.said_zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Something accepted and owed."""

    id: str  # job_...
    space: str
    kind: str  # document, conversation
    state: JobState
    document_id: str | None
    revision: int | None
    session_id: str | None
    reason: str | None
    warning: str | None
    items_total: int
    items_done: int
    items_failed: int
    created_at: Micros
    updated_at: Micros
    finished_at: Micros | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """One retryable piece of a job, as leased."""

    id: int  # unique in its tenant
    tenant: str
    job_id: str
    task: str  # explicit task name, e.g. "embed.texts"
    queue: str  # "background" or "host"
    payload: Mapping[str, Any]  # small, JSON
    attempt: int  # number of this sending, 1-based; names the lease


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result."""

    id: str  # mem_... or chk_...
    kind: RowKind
    text: str
    similarity: float  # calibrated, 0..1, independent of the pool
    score: float  # what the order rests on
    metadata: Mapping[str, Any]
    updated_at: Micros
    space: str
    memory: Memory | None = None  # for kind memory
    document_id: str | None = None  # for kind chunk
    position: int | None = None  # for kind chunk: 0-based in the document
    title: str | None = None
    sources: tuple[Source, ...] = ()
    explain: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search returns."""

    hits: tuple[Hit, ...]
    total: int
    milliseconds: float
    degraded: tuple[str, ...] = ()  # what was skipped and why, one sentence each


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a write that starts a job answers."""

    id: str  # of the document or session
    status: str
    job_id: str | None
    warning: str | None = None  # e.g. the broker is down, the work starts when it is back
    created: bool = True  # False when an equal request had been accepted before


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Row]):
    """One page of a listing, in a stable order."""

    rows: tuple[Row, ...]
    total: int
    limit: int  # as applied
    next_cursor: str | None  # None on the last page


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """What makes a repeated POST answer as the first did."""

    route: str
    key: str
    body_hash: str  # hex sha256 of the body


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document as it is handed in."""

    content: str
    custom_id: str | None = None
    title: str | None = None
    type: str = "text"
    filepath: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    document_date: Micros | None = None
    document_zone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """A fact as a caller writes it directly."""

    content: str
    is_static: bool = False
    kind: MemoryKind | None = None  # None: by rule
    metadata: Mapping[str, Any] = field(default_factory=dict)
    valid_from: Micros | None = None  # None: now


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What to look for."""

    q: str
    mode: Literal["memories", "documents", "hybrid"] = "memories"
    limit: int = 10  # 1..100
    threshold: float = 0.0  # least similarity, 0..1
    filters: Any = None  # a memory.filters.Filter, already parsed
    rerank: bool = False
    as_of: Micros | None = None  # None: now
    known_at: Micros | None = None  # None: now
    document_id: str | None = None  # only this document's chunks and memories
    explain: bool = False
    surroundings: bool = True  # score rows with their neighbours; False where a match is acted upon, as in forgetting


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """One numbered piece of evidence of an answer."""

    n: int  # 1-based
    id: str  # mem_... or chk_...
    text: str
    similarity: float
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer with its evidence and what it saved."""

    answer: str
    citations: tuple[Citation, ...]
    context: str  # the evidence as text, fenced by the recalled-context marker
    context_tokens: int
    source_tokens: int  # of the whole documents and conversations the evidence comes from
    model: str  # "extractive" without an LLM
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """A text cut down to what matters, in its own order."""

    text: str
    tokens_before: int
    tokens_after: int
    kept: int  # sentences
    dropped: int
    degraded: tuple[str, ...] = ()


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
