"""Turns ranked rows into results: a memory or chunk with its metadata and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.records import Hit, Memory, Micros, Scope, Source
from services.host import Host
from store.hydration import FoundChunk, chunks_by_row, memories_by_row


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow:
    """A row on its way to be a result."""

    row_id: int
    text_key: int  # equal for rows of equal text
    relevance: float  # 0..1
    explain: Mapping[str, float]


def hydrate(scope: Scope, host: Host, ranked: Sequence[RankedRow], *, known_at: Micros) -> list[Hit]:
    """Read what is shown of each row.

    Args:
        scope: whose rows.
        host: the adapters.
        ranked: rows in the order of the result.
        known_at: the time whose sources are shown.

    Returns:
        The hits in that order; a row that was erased in between is left out.
    """
    if not ranked:
        return []
    row_ids = [one.row_id for one in ranked]
    with host.store.read(scope.tenant) as db:
        memories = memories_by_row(db, row_ids, known_at=known_at)
        chunks = chunks_by_row(db, [row_id for row_id in row_ids if row_id not in memories])
    hits: list[Hit] = []
    for one in ranked:
        if one.row_id in memories:
            hits.append(_memory_hit(one, memories[one.row_id]))
        elif one.row_id in chunks:
            hits.append(_chunk_hit(one, chunks[one.row_id]))
    return hits


def _memory_hit(ranked: RankedRow, memory: Memory) -> Hit:
    return Hit(
        id=memory.id,
        kind="memory",
        text=memory.text,
        similarity=ranked.relevance,
        score=ranked.relevance,
        metadata=memory.metadata,
        updated_at=memory.updated_at,
        space=memory.space,
        memory=memory,
        sources=memory.sources,
        explain=ranked.explain,
    )


def _chunk_hit(ranked: RankedRow, chunk: FoundChunk) -> Hit:
    source = Source(
        kind="document",
        id=chunk.document_id,
        document_id=chunk.document_id,
        revision=chunk.revision,
        chunk_id=chunk.id,
        start=chunk.start,
        end=chunk.end,
        title=chunk.title,
        said_at=chunk.document_date,
    )
    return Hit(
        id=chunk.id,
        kind="chunk",
        text=chunk.text,
        similarity=ranked.relevance,
        score=ranked.relevance,
        metadata=chunk.metadata,
        updated_at=chunk.updated_at,
        space=chunk.space,
        document_id=chunk.document_id,
        filepath=chunk.filepath,
        position=chunk.position,
        title=chunk.title,
        heading=chunk.heading,
        sources=(source,),
        explain=ranked.explain,
    )
