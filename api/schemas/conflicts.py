"""The review list: what waits for a person."""

from __future__ import annotations

from typing import Literal

from api.schemas.paging import Paged
from api.schemas.scope import InScope
from api.schemas.values import Fact, Line


class ListConflicts(InScope, Paged):
    """`GET /v1/conflicts`."""

    kind: Literal["contradiction", "low_confidence", "unjudged", "inferred"] | None = None
    state: Literal["open", "resolved", "all"] = "open"


class FindConflict(InScope):
    """`GET /v1/conflicts/{id}`."""


class ResolveConflict(InScope):
    """`POST /v1/conflicts/{id}/resolve`."""

    resolution: Literal["keep_incumbent", "take_candidate", "keep_both", "edit"]
    text: Fact | None = None
    reason: Line | None = None
