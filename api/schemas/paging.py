"""Pages: by number, as Supermemory's clients ask, or by a cursor that inserts do not shift."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.fields import CamelFields, Fields
from api.schemas.values import Line

DEFAULT_LIMIT = 50
# A page of this many memories with their sources is about 200 kB.
MOST_ROWS = 200
# Far beyond any listing; keeps the offset within what SQLite counts.
MOST_PAGES = 1_000_000
# Longer ones are out of every range.
DECIMAL = re.compile(r"[0-9]{1,18}")


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


def _whole(value: Any) -> Any:
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _counted(most: int) -> WithJsonSchema:
    text = {"type": "string", "maxLength": 18, "pattern": f"^{DECIMAL.pattern}$"}
    return WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": most}, text]})


class WirePaged(Paged, CamelFields):
    """The same where Supermemory's clients write a number as text or with a fraction of zero."""

    limit: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=MOST_ROWS), _counted(MOST_ROWS)] = DEFAULT_LIMIT
    page: Annotated[int | None, BeforeValidator(_whole), Field(ge=1, le=MOST_PAGES), _counted(MOST_PAGES)] = None


class WireSorted(WirePaged, Sorted):
    """The same with an order."""


class CamelPaged(Paged, CamelFields):
    """The same for `/v3` and `/v4`."""


class CamelSorted(Sorted, CamelFields):
    """The same for `/v3` and `/v4`."""
