"""Search, ask and compress."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import Answer, AnyJson, CamelAnswer, Timestamp
from api.answers.records import CamelSource, Fact, Source


class OfDocument(CamelAnswer):
    """A document that a result rests on."""

    id: str
    title: str | None
    type: str
    summary: str | None = None
    metadata: AnyJson
    created_at: Timestamp
    updated_at: Timestamp


class OfChunk(CamelAnswer):
    """A chunk that a memory was found in."""

    content: str
    document_id: str
    position: int


class OtherVersion(CamelAnswer):
    """A version before or after a memory."""

    id: str
    memory: str
    relation: Literal["updates"]
    version: int = Field(description="How many steps it is from the result: -1 is the one it took the place of.")
    updated_at: Timestamp | None
    metadata: AnyJson
    is_forgotten: Literal[True] | None = None


class Context(CamelAnswer):
    """What a memory is related to."""

    parents: list[OtherVersion] = Field(description="Versions before it, the nearest first.")
    children: list[OtherVersion] = Field(description="Versions after it, the nearest first.")
    related: list[OtherVersion] = Field(description="Empty.")


class Result(CamelAnswer):
    """One result of a search: a memory, or a chunk of a document."""

    id: str
    memory: str | None = None
    chunk: str | None = None
    similarity: float
    metadata: AnyJson
    updated_at: Timestamp | None
    container_tag: str
    version: int | None = None
    root_memory_id: str | None = None
    is_disputed: Literal[True] | None = None
    is_unjudged: Literal[True] | None = None
    is_forgotten: Literal[True] | None = None
    document_id: str | None = None
    position: int | None = None
    title: str | None = None
    filepath: str | None = None
    documents: list[OfDocument] | None = None
    chunks: list[OfChunk] | None = None
    context: Context | None = None
    sources: list[CamelSource] | None = None
    explain: dict[str, float] | None = None


class Found(CamelAnswer):
    """What fits a question best."""

    results: list[Result]
    total: int
    timing: float
    reason: str | None = None
    degraded: list[str] | None = None


class FoundChunk(CamelAnswer):
    """A chunk of a document that fits a question, or one beside it."""

    content: str
    is_relevant: bool = Field(description="Whether it is a match; one before or after a match is none.")
    position: int
    score: float


class FoundDocument(CamelAnswer):
    """A document with the chunks of it that fit a question."""

    document_id: str
    custom_id: str | None
    title: str | None
    type: str
    score: float = Field(description="Of its best chunk.")
    metadata: AnyJson
    container_tag: str
    created_at: Timestamp
    updated_at: Timestamp
    chunks: list[FoundChunk] = Field(description="Matches, best first, then those beside them.")
    filepath: str | None = None
    content: str | None = None
    summary: str | None = None


class FoundDocuments(CamelAnswer):
    """The documents that fit a question best."""

    results: list[FoundDocument]
    total: int
    timing: float
    reason: str | None = None
    degraded: list[str] | None = None


class FoundMemory(Fact):
    """One memory of a scope that fits a question."""

    sources: list[Source]
    similarity: float
    distance: float | None = None
    explain: dict[str, float] | None = None


class Walked(Answer):
    """What was walked of a graph."""

    min_hops: int
    max_hops: int
    entities: list[AnyJson]
    edges: list[AnyJson]
    note: str


class FoundInScope(Answer):
    """The memories of a scope that fit a question best."""

    results: list[FoundMemory]
    total: int
    timing: float
    graph: Walked
    reason: str | None = None
    degraded: list[str] | None = None


class Tokens(Answer):
    """What is handed over against what it stands for."""

    context: int = Field(description="Tokens of what is handed over.")
    source: int = Field(description="Tokens of what it was made of.")


class Saved(Tokens):
    """What is handed over against what it stands for."""

    ratio: float | None = Field(description="`source` divided by `context`; null when there is no context.")


class Citation(Answer):
    """One numbered piece of evidence."""

    n: int
    id: str
    text: str
    similarity: float
    source: Source
    sources: list[Source]


class Answered(Answer):
    """An answer with its evidence."""

    answer: str
    citations: list[Citation]
    context: str
    tokens: Saved
    model: str
    degraded: list[str] | None = None


class Compressed(Answer):
    """A text cut down to what matters."""

    text: str
    tokens: Tokens
    ratio: float = Field(description="What is left, of 1.")
    kept: int = Field(description="Sentences that were kept.")
    dropped: int = Field(description="Sentences that were dropped.")
    degraded: list[str] | None = None
