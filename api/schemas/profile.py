"""Profiles and their buckets."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from api.schemas.clocks import CamelAtClocks
from api.schemas.scope import CamelInScope, InScope
from api.schemas.search import MOST_RESULTS
from api.schemas.values import FilterValue, Line, Question
from memory.tenant_settings import BUCKET_KEY
from services.bucket_changes import MOST_BUCKETS
from services.profile import Wanted

# A profile goes into a prompt; more lines than this are a listing.
MOST_LINES = 200
Key = Annotated[str, Field(max_length=64, pattern=BUCKET_KEY)]
Part = Literal["static", "dynamic", "buckets"]


class FindProfile(CamelInScope, CamelAtClocks):
    """`GET /v4/profile`."""

    q: Question | None = None
    limit: int = Field(default=50, ge=1, le=MOST_LINES)
    include: list[Part] = Field(default=["static", "dynamic", "buckets"], min_length=1, max_length=len(get_args(Part)))
    buckets: list[Key] | None = Field(default=None, max_length=MOST_BUCKETS)
    details: bool = False
    search_limit: int = Field(default=10, ge=1, le=MOST_RESULTS)

    def wanted(self) -> Wanted:
        """Return what is asked for, as services take it."""
        return Wanted(
            clocks=self.clocks(), parts=self.include, keys=self.buckets, limit=self.limit, q=self.q,
            results=self.search_limit, threshold=self.least(), filters=self.conditions(),
        )  # fmt: skip

    def least(self) -> float:
        """Return the least similarity of a search result."""
        return 0.0

    def conditions(self) -> Any:
        """Return the filter of the memories that are shown; None: all of them."""
        return None


class ShowProfile(FindProfile):
    """`POST /v4/profile`."""

    threshold: float = Field(default=0.0, ge=0, le=1)
    filters: FilterValue | None = None

    def least(self) -> float:
        """Return the least similarity of a search result."""
        return self.threshold

    def conditions(self) -> Any:
        """Return the filter of the memories that are shown; None: all of them."""
        return self.filters


class ListBuckets(InScope):
    """`GET /v1/profile/buckets`."""


class ShowBuckets(CamelInScope):
    """`POST /v4/profile/buckets`."""


class PutBucket(InScope):
    """`PUT /v1/profile/buckets`."""

    key: Key
    description: Line


class DeleteBucket(InScope):
    """`DELETE /v1/profile/buckets`."""

    key: Key
