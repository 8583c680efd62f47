"""Questions and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memory.records.facts import Memory
from memory.records.scope import Micros, RowKind
from memory.records.sources import Source

# Ways of finding a row, each of which can be left out.
Arm = Literal["vectors", "lexical", "time", "entities"]
ARMS: frozenset[Arm] = frozenset(("vectors", "lexical", "time", "entities"))


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
    without: frozenset[str] = frozenset()  # ids of documents whose chunks and memories are left out
    filepath: str | None = None  # only what is of documents at this path, or below it when it ends in a slash
    forgotten: bool = False  # memories that were forgotten too
    session_id: str | None = None  # only what was said in this session
    kinds: frozenset[str] = frozenset()  # only memories of these kinds; empty: of every kind
    min_confidence: float = 0.0  # only memories at least so sure, 0..1
    arms: frozenset[Arm] = ARMS  # which ways of finding are used
    exact: bool = False  # compare every vector in full, however many there are
    now: Micros | None = None  # what "last spring" in the question counts from; None: as_of, else now
    zone: str | None = None  # the asker's, "+02:00" or "Europe/Oslo", for days and months of the question; None: UTC
    distance: float | None = None  # only rows so near by cosine, 0..1; needs the arm "vectors"; None: all
    half_life_days: float | None = None  # how fast a memory's age takes from its order; None: not at all
    surroundings: bool = True  # score rows with their neighbours; False where a match is acted upon, as in forgetting


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
    filepath: str | None = None  # for kind chunk: of its document
    position: int | None = None  # for kind chunk: 0-based in the document
    title: str | None = None
    heading: tuple[str, ...] = ()  # for kind chunk: the path that `text` begins with
    sources: tuple[Source, ...] = ()
    explain: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search returns."""

    hits: tuple[Hit, ...]
    total: int
    milliseconds: float
    degraded: tuple[str, ...] = ()  # what was skipped and why, one sentence each
    reason: str | None = None  # why there are no hits although rows could have been found


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
