"""Export and import."""

from __future__ import annotations

from pydantic import Field

from api.schemas.fields import Fields
from api.schemas.scope import InScope
from api.schemas.values import Tag


class Export(InScope):
    """`GET /v1/export`."""

    vectors: bool = Field(
        default=False, description="Whether vectors are told too; without them an import has them made anew."
    )


class StartImport(Fields):
    """`POST /v1/import`; the export is the body."""

    container_tag: Tag | None = Field(
        default=None, description="Another name for the space of an export of one space; else it keeps its own."
    )
    wait: bool = False


class FindImport(Fields):
    """`GET /v1/imports/{id}`."""
