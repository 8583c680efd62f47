"""Search of memories in a scope: `POST /v1/memory/search`, and what it may say of vectors and of the graph."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.fields import Fields
from api.schemas.scope import InScope
from api.schemas.search import MOST_RESULTS
from api.schemas.searching import Searching
from api.schemas.values import Question
from memory.records import SearchQuery

MOST_HOPS = 3


def _a_number(value: object) -> object:
    if isinstance(value, str):
        hint = "Vectors are compared by cosine; `distance` is the largest cosine distance of a result, 0 to 1."
        raise PydanticCustomError("metric", "must be a number", {"hint": hint})
    return value


class Vector(Fields):
    """What is wanted of the comparison by vectors."""

    top_k: int = Field(default=10, ge=1, le=MOST_RESULTS)
    distance: Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_a_number)] = None


class Graph(Fields):
    """How far to walk from what the question names."""

    min_hops: int = Field(default=1, ge=1, le=MOST_HOPS)
    max_hops: int = Field(default=MOST_HOPS, ge=1, le=MOST_HOPS)

    @model_validator(mode="after")
    def _in_order(self) -> Graph:
        if self.min_hops > self.max_hops:
            raise PydanticCustomError("order", "must not be more than `max_hops`", {"field": "min_hops"})
        return self


class SearchMemories(Searching):
    """`POST /v1/memory/search`."""

    query: Question
    scope: InScope = Field(default_factory=InScope)
    vector: Vector = Field(default_factory=Vector)
    graph: Graph = Field(default_factory=Graph)
    explain: bool = False

    @model_validator(mode="after")
    def _comparable(self) -> SearchMemories:
        if self.vector.distance is not None and self.arms is not None and "vectors" not in self.arms:
            hint = "Leave out `vector.distance`, or add `vectors` to `arms`: only vectors have a distance."
            raise PydanticCustomError(
                "distance", "must have `vectors` with `vector.distance`", {"field": "arms", "hint": hint}
            )
        return self

    def record(self) -> SearchQuery:
        """Return the query as services take it."""
        return self.searched(self.query, limit=self.vector.top_k, distance=self.vector.distance)
