"""How a question is searched for: the options that every search, question and context takes."""

from __future__ import annotations

from typing import get_args

from pydantic import Field

from api.schemas.clocks import AtClocks
from api.schemas.fields import CamelFields
from api.schemas.values import FilterValue, Label, Moment, Zone
from memory.records import ARMS, Arm, MemoryKind, SearchQuery

# A hundred years: whoever wants age to count for nothing leaves the half life out.
MOST_HALF_LIFE_DAYS = 36_500.0
# About a second.
LEAST_HALF_LIFE_DAYS = 1e-5


class Searching(AtClocks):
    """How a question is searched for."""

    filters: FilterValue | None = None
    kinds: list[MemoryKind] | None = Field(default=None, min_length=1, max_length=len(get_args(MemoryKind)))
    min_confidence: float = Field(default=0.0, ge=0, le=1)
    session: Label | None = None
    arms: list[Arm] | None = Field(default=None, min_length=1, max_length=len(ARMS))
    exact: bool = False
    threshold: float = Field(default=0.0, ge=0, le=1)
    half_life_days: float | None = Field(default=None, ge=LEAST_HALF_LIFE_DAYS, le=MOST_HALF_LIFE_DAYS)
    rerank: bool = False
    now: Moment | None = None
    time_zone: Zone | None = None

    def searched(self, q: str, *, limit: int = 10, distance: float | None = None) -> SearchQuery:
        """Return the query as services take it.

        Args:
            q: the question.
            limit: most results.
            distance: largest cosine distance of a result.
        """
        clocks = self.clocks()
        now, written = self.now or (None, None)
        return SearchQuery(
            q=q, limit=limit, distance=distance, threshold=self.threshold, filters=self.filters,
            kinds=frozenset(self.kinds or ()), min_confidence=self.min_confidence, session_id=self.session,
            arms=frozenset(self.arms or ARMS), exact=self.exact, rerank=self.rerank,
            half_life_days=self.half_life_days, as_of=clocks.as_of, known_at=clocks.known_at, now=now,
            zone=self.time_zone or written,
        )  # fmt: skip


class CamelSearching(Searching, CamelFields):
    """The same for `/v3` and `/v4`."""
