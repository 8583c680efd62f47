"""Walks through time: the changes between two times, where a memory comes from, and undoing."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from api.schemas.paging import DEFAULT_LIMIT, MOST_ROWS
from api.schemas.scope import InScope
from api.schemas.values import Line, Moment


class ChangesBetween(InScope):
    """`GET /v1/changes`."""

    since: Moment | None = Field(default=None, alias="from")
    until: Moment | None = Field(default=None, alias="to")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MOST_ROWS)
    cursor: Line | None = None

    def selection(self) -> dict[str, Any]:
        """Return the arguments of the listing."""
        since, until = (moment[0] if moment else None for moment in (self.since, self.until))
        return {"since": since, "until": until, "limit": self.limit, "cursor": self.cursor}


class FindProvenance(InScope):
    """`GET /v1/memories/{id}/provenance`."""


class UndoMemory(InScope):
    """`POST /v1/memories/{id}/undo`; the body may be left out."""

    reason: Line | None = None
