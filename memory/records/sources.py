"""Source material: documents and their chunks, messages and episodes, and where something was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memory.chunk_body import shown
from memory.records.scope import Micros


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
    task_type: str = "memory"  # superrag: it is cut and searched, and no facts are looked for
    entity_context: str | None = None  # what it is about, told to a language model that looks for facts
    summary: str | None = None  # the opening sentences of the live revision
    is_cancelled: bool = False  # the newest revision was cancelled
    url: str | None = None  # of a page: where its text was fetched from, as it was sent until then
    is_stuck: bool = False  # unfinished and untouched for hours; told in the list of what is processed


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """What a document's text is to be taken from: a file that was sent, or a page that is yet to be fetched."""

    kind: Literal["file", "url"]
    name: str | None = None  # the file's own name, without any path
    media_type: str | None = None  # as the sender declares it
    url: str | None = None  # of a page
    body: bytes | None = None  # of a file


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document as it is handed in."""

    content: str  # "" when it comes from a source
    custom_id: str | None = None
    title: str | None = None
    type: str = "text"
    filepath: str | None = None
    metadata: Mapping[str, Any] | None = None  # None: as it was, or none
    document_date: Micros | None = None
    document_zone: str | None = None
    task_type: str | None = None  # None: as it was, or memory
    entity_context: str | None = None  # None: as it was, or none
    source: NewSource | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """What is to become different about a document; None: it stays as it is."""

    content: str | None = None
    source: NewSource | None = None  # a page whose text is to take the place of the document's
    custom_id: str | None = None
    title: str | None = None
    type: str | None = None
    filepath: str | None = None
    metadata: Mapping[str, Any] | None = None  # takes the place of all there was
    document_date: Micros | None = None
    document_zone: str | None = None
    task_type: str | None = None
    entity_context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation as it came in."""

    role: str  # user, assistant, system or tool
    content: str
    name: str | None = None
    said_at: Micros | None = None
    said_zone: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "turn"  # what it is in the ledger: turn, tool_call, tool_result, outcome or error


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A run of episodes, as it is read."""

    id: str  # ses_...
    space: str
    conversation_id: str | None  # what the caller calls it; its own id when it was not named, None when it was erased
    user: str | None
    agent: str | None
    metadata: Mapping[str, Any]
    episodes: int  # how many it has, erased ones too
    job_id: str | None  # the newest consolidation
    created_at: Micros
    updated_at: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What a write to the ledger answers."""

    session: Session
    episodes: tuple[Episode, ...]  # those appended, in order
    status: str  # of their consolidation
    job_id: str | None  # None: they state nothing that would have to be extracted
    warning: str | None = None
    created: bool = True  # False when an equal request had been accepted before


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
    chain_hash: bytes = b""  # ties it to the entry before
    is_erased: bool = False  # only its place in the chain is left


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
