"""Erasures, and how long a space keeps what it knows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.schemas.fields import Fields
from api.schemas.scope import InScope
from api.schemas.values import Label
from memory.values import MOST_DAYS

MOST_LISTED = 200


class Erase(InScope):
    """`POST /v1/erasures`."""

    kind: Literal["subject", "document", "memory", "space", "tenant"]
    id: Label | None = None
    verify: bool = False
    confirm: Label | None = None
    dry_run: bool = False
    wait: bool = False


class ListErasures(Fields):
    """`GET /v1/erasures`."""

    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class FindErasure(Fields):
    """`GET /v1/erasures/{id}`."""


class SetSpace(Fields):
    """`PATCH /v1/spaces/{name}`; null ends the retention, so the field must be there."""

    retention_days: int | None = Field(default=None, ge=1, le=MOST_DAYS)
