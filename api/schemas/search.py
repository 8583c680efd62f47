"""Search, ask and compress."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from api.schemas.fields import CamelFields, Fields
from api.schemas.scope import CamelInScope, InScope
from api.schemas.searching import CamelSearching, Searching
from api.schemas.values import Compressible, FilterValue, Label, Line, Question, unsupported
from memory.records import SearchQuery
from services.hit_details import Wanted

MOST_RESULTS = 100
# The largest budget that still is a cut: the context of the largest models.
MOST_TOKENS = 1_000_000


# What `degraded` says of a wish that is taken and changes nothing.
NOT_REWRITTEN = "The question was searched as it is written: nothing rewrites it."
NOT_AGGREGATED = "Nothing was aggregated: results are memories as they are kept."


class Include(CamelFields):
    """What a result carries beside itself."""

    sources: bool = Field(default=False, description="Where each result comes from.")
    documents: bool = Field(default=False, description="The documents that a result rests on.")
    summaries: bool = Field(default=False, description="The same with the summary of each.")
    related_memories: bool = Field(default=False, description="The versions before and after a memory, as `context`.")
    forgotten_memories: bool = Field(default=False, description="Memories that were forgotten are found too.")
    chunks: bool = Field(default=False, description="The chunks that a memory was found in.")

    def wanted(self) -> Wanted:
        """Return what is to be told of each result."""
        return Wanted(
            documents=self.documents or self.summaries, chunks=self.chunks, versions=self.related_memories,
            forgotten=self.forgotten_memories,
        )  # fmt: skip


class Search(CamelInScope, CamelSearching):
    """`POST /v4/search`."""

    q: Question
    search_mode: Literal["memories", "hybrid", "documents"] = "memories"
    limit: int = Field(default=10, ge=1, le=MOST_RESULTS)
    include: Include = Field(default_factory=Include)
    explain: bool = False
    doc_id: Label | None = Field(default=None, description="Only what is of this document, by id or customId.")
    filepath: Line | None = Field(
        default=None, description="Only what is of documents at this path, or below it when it ends in `/`."
    )
    rewrite_query: bool = Field(default=False, description="Without effect, as `degraded` then says.")
    aggregate: bool = Field(default=False, description="Without effect, as `degraded` then says.")

    def record(self) -> SearchQuery:
        """Return the query as services take it."""
        searched = self.searched(self.q, limit=self.limit)
        return replace(
            searched, mode=self.search_mode, document_id=self.doc_id, filepath=self.filepath,
            forgotten=self.include.forgotten_memories,
        )  # fmt: skip

    def without_effect(self) -> list[str]:
        """Return a sentence for each wish that changes nothing."""
        wishes = {NOT_REWRITTEN: self.rewrite_query, NOT_AGGREGATED: self.aggregate}
        return [sentence for sentence, wished in wishes.items() if wished]


EMPTY = {"type": "array", "items": {"type": "string", "maxLength": 0}, "maxItems": 0}


def _none_named(categories: list[str]) -> list[str]:
    if categories:
        hint = "Filter by metadata instead."
        raise PydanticCustomError("unsupported", "is not supported here", {"hint": hint})
    return categories


class SearchDocuments(CamelInScope):
    """`POST /v3/search`."""

    q: Question
    limit: int = Field(default=10, ge=1, le=MOST_RESULTS, description="Documents, or with `docId` chunks.")
    filters: FilterValue | None = None
    doc_id: Label | None = Field(default=None, description="Only this document, by id or customId.")
    filepath: Line | None = Field(
        default=None, description="Only documents at this path, or below it when it ends in `/`."
    )
    chunk_threshold: float = Field(default=0.0, ge=0, le=1, description="Least similarity of a chunk.")
    document_threshold: float = Field(
        default=0.0, ge=0, le=1, description="Without effect, as in Supermemory: `chunkThreshold` decides."
    )
    include_full_docs: bool = Field(default=False, description="The whole text of each document, as `content`.")
    include_summary: bool = Field(default=False, description="The summary of each document.")
    only_matching_chunks: bool = Field(default=True, description="`false` adds the chunks before and after each match.")
    rerank: bool = False
    rewrite_query: bool = Field(default=False, description="Without effect, as `degraded` then says.")
    categories_filter: Annotated[list[str], AfterValidator(_none_named), WithJsonSchema(EMPTY)] = Field(
        default_factory=list, description="Not supported: only an empty list is taken."
    )

    def record(self) -> SearchQuery:
        """Return the query as services take it."""
        return SearchQuery(
            q=self.q, mode="documents", limit=self.limit, threshold=self.chunk_threshold, filters=self.filters,
            rerank=self.rerank, document_id=self.doc_id, filepath=self.filepath,
        )  # fmt: skip

    def without_effect(self) -> list[str]:
        """Return a sentence for each wish that changes nothing."""
        return [NOT_REWRITTEN] if self.rewrite_query else []


class Ask(InScope, Searching):
    """`POST /v1/ask`."""

    q: Question
    limit: int = Field(default=10, ge=1, le=MOST_RESULTS)
    # Of the other searches: an answer is made of what was read again in any case.
    rerank: Annotated[bool, unsupported("It is always done")] = True

    def record(self) -> SearchQuery:
        """Return the query as services take it."""
        return self.searched(self.q, limit=self.limit)


class Compress(Fields):
    """`POST /v1/compress`."""

    text: Compressible
    q: Question | None = None
    budget: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
