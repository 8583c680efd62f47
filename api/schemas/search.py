"""Search, ask and compress."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from api.schemas.fields import CamelFields, Fields
from api.schemas.scope import CamelInScope, InScope
from api.schemas.searching import CamelSearching, Searching
from api.schemas.values import Label, Line, Prose, Question, unsupported
from memory.records import SearchQuery

MOST_RESULTS = 100
# The largest budget that still is a cut: the context of the largest models.
MOST_TOKENS = 1_000_000


class Include(CamelFields):
    """What a result carries beside itself."""

    sources: bool = False
    # Of Supermemory's wire, without effect here: a result names its document, `GET /v3/documents/{id}` has the rest.
    documents: bool = False
    summaries: bool = False
    related_memories: bool = False
    forgotten_memories: bool = False
    chunks: bool = False


class Search(CamelInScope, CamelSearching):
    """`POST /v4/search`."""

    q: Question
    search_mode: Literal["memories", "hybrid", "documents"] = "memories"
    limit: int = Field(default=10, ge=1, le=MOST_RESULTS)
    include: Include = Field(default_factory=Include)
    explain: bool = False
    doc_id: Label | None = None
    # Of Supermemory's wire, without effect here: both change how results are found, not which may be.
    rewrite_query: bool = False
    aggregate: bool = False
    filepath: Annotated[Line | None, unsupported("Filter by metadata instead")] = None

    def record(self) -> SearchQuery:
        """Return the query as services take it."""
        searched = self.searched(self.q, limit=self.limit)
        return replace(searched, mode=self.search_mode, document_id=self.doc_id)


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

    text: Prose
    q: Question | None = None
    budget: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
