"""Pages: by number, as Supermemory's clients ask, or by a cursor that inserts do not shift."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.fields import CamelFields, Fields
from api.schemas.values import Line

DEFAULT_LIMIT = 50
# A page of this many memories with their sources is about 200 kB.
MOST_ROWS = 200
# Far beyond any listing; keeps the offset within what SQLite counts.
MOST_PAGES = 1_000_000


class Paged(Fields):
    """Which page of a listing."""

    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MOST_ROWS)
    page: int | None = Field(default=None, ge=1, le=MOST_PAGES)
    cursor: Line | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Paged:
        if self.page is not None and self.cursor is not None:
            raise PydanticCustomError("doubled", "and `page` exclude each other", {"field": "cursor"})
        return self

    def paging(self) -> dict[str, Any]:
        """Return the arguments of a listing."""
        return {"limit": self.limit, "page": self.page, "cursor": self.cursor}


class Sorted(Paged):
    """Which page, in which order."""

    sort: Literal["createdAt", "updatedAt"] = "createdAt"
    order: Literal["asc", "desc"] = "desc"

    def sorting(self) -> dict[str, Any]:
        """Return the arguments of a listing, with its order."""
        return {**self.paging(), "sort": self.sort, "order": self.order}


class CamelPaged(Paged, CamelFields):
    """The same for `/v3` and `/v4`."""


class CamelSorted(Sorted, CamelFields):
    """The same for `/v3` and `/v4`."""
