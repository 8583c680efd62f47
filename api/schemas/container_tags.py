"""Container tags: their settings, merging and deleting them, and what was inferred in them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.schemas.fields import CamelFields, Fields
from api.schemas.paging import CamelPaged, Paged
from api.schemas.profile import Key
from api.schemas.scope import MOST_TAGS
from api.schemas.values import Context, Line, Tag
from services.bucket_changes import MOST_BUCKETS

MOST_PATHS = 100


class BucketDefinition(CamelFields):
    """A part of a profile."""

    key: Key
    description: Line | None = None

    def pair(self) -> tuple[str, str]:
        """Return key and description; a key that is not described is taken at its word."""
        return self.key, self.description or self.key.replace("_", " ").replace("-", " ")


Definitions = Annotated[list[BucketDefinition], Field(max_length=MOST_BUCKETS)]


class FindTag(CamelFields):
    """`GET` and `DELETE /v3/container-tags/{container_tag}`, and `GET /v3/container-tags/merge/{merge_id}`."""


class ListTags(CamelPaged):
    """`GET /v3/container-tags/list`."""


class UpdateTag(CamelFields):
    """`PATCH /v3/container-tags/{container_tag}`: null takes a setting away, absence leaves it."""

    name: Line | None = Field(default=None, description="What it is called for people.")
    entity_context: Context | None = Field(
        default=None, description="What its material is about, told to the language model that extracts."
    )
    memory_filesystem_paths: list[Line] | None = Field(
        default=None, max_length=MOST_PATHS,
        description="Only documents whose `filepath` is one of these or lies below teach facts; null: all do.",
    )  # fmt: skip
    profile_buckets: Definitions | None = Field(
        default=None, description="All parts that its profile is to have of its own."
    )

    def values(self, nulled: frozenset[str]) -> dict[str, Any]:
        """Return what changes, by the names of the store.

        Args:
            nulled: fields that were sent as null.
        """
        names = {"name": "display_name", "entity_context": "entity_context", "memory_filesystem_paths": "memory_paths"}
        sent = {own: getattr(self, field) for field, own in names.items() if getattr(self, field) is not None}
        return {**sent, **{names[field]: None for field in nulled if field in names}}

    def buckets(self, nulled: frozenset[str]) -> list[tuple[str, str]] | None:
        """Return the buckets that the profile is to have; None when they stay."""
        if self.profile_buckets is None:
            return [] if "profile_buckets" in nulled else None
        return [one.pair() for one in self.profile_buckets]


class MergeTags(CamelFields):
    """`POST /v3/container-tags/merge`."""

    container_tags: list[Tag] = Field(min_length=1, max_length=MOST_TAGS)
    target_container_tag: Tag = Field(description="Where everything moves to; it is made when it is new.")


class ListInferred(CamelPaged):
    """`GET /v3/container-tags/{container_tag}/inferred`."""


class ReviewInferred(CamelFields):
    """`POST /v3/container-tags/{container_tag}/inferred/{memory_id}/review`."""

    action: Literal["approve", "decline", "undo"] = Field(
        description="`approve` lets it stand like any other memory, `decline` forgets it, `undo` has it wait again."
    )


class ListDeletions(Paged):
    """`GET /v1/deletions`."""


class RestoreDeletion(Fields):
    """`POST /v1/deletions/{deletion_id}/restore`; the body may be left out."""

    container_tag: Tag | None = None
