"""Pauses of nodes."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.fields import Fields
from api.schemas.values import Label, Moment
from memory.pausing import LONGEST_SECONDS

# Far more than a fleet has.
MOST_NODES = 1_000


class NamedNodes(Fields):
    """`POST /v1/nodes/resume`."""

    nodes: list[Label] = Field(min_length=1, max_length=MOST_NODES)


class DrainNodes(NamedNodes):
    """`POST /v1/nodes/drain`: nodes that are paused already need no end."""

    until: Moment | None = None
    seconds: int | None = Field(default=None, ge=1, le=LONGEST_SECONDS)

    @model_validator(mode="after")
    def _one_end(self) -> DrainNodes:
        if self.until is not None and self.seconds is not None:
            raise PydanticCustomError("doubled", "and `seconds` exclude each other", {"field": "until"})
        return self

    def end(self) -> dict[str, Any]:
        """Return the arguments that say when the pause ends."""
        return {"until": self.until[0] if self.until is not None else None, "seconds": self.seconds}


class PauseNodes(DrainNodes):
    """`POST /v1/nodes/pause`."""

    @model_validator(mode="after")
    def _an_end(self) -> PauseNodes:
        if self.until is None and self.seconds is None:
            hint = "A pause has an end: an ISO 8601 time, or `seconds` from now, at most 24 hours ahead."
            raise PydanticCustomError("missing_end", "is required", {"field": "until", "hint": hint})
        return self
