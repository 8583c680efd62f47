"""The settings of a tenant."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.answers.base import CamelAnswer
from api.answers.profile import Bucket


class Settings(CamelAnswer):
    """The settings of a tenant; null: not set."""

    should_llm_filter: bool | None = Field(
        alias="shouldLLMFilter", description="Whether a language model keeps only what `filterPrompt` asks for."
    )
    filter_prompt: str | None = Field(description="Which facts the language model is to keep.")
    include_items: list[str] | None = Field(description="Only facts that have every word of one of these are kept.")
    exclude_items: list[str] | None = Field(description="No fact that has every word of one of these is kept.")
    chunk_size: int | None = Field(description="Characters that a chunk aims at.")
    profile_buckets: list[Bucket] | None = Field(description="Parts of the profile of every space.")
    warning: str | None = None


class UpdatedSettings(CamelAnswer):
    """The settings after a change."""

    org_id: str = Field(description="The tenant.")
    org_slug: str = Field(description="The tenant.")
    updated: Settings = Field(description="All settings as they are now.")


class Reset(CamelAnswer):
    """What a reset has put away; each space can be restored."""

    success: Literal[True] = Field(description="It was done.")
    deleted_connections: int = Field(description="Always 0: there are none.")
    deleted_document_batches: int = Field(description="Spaces that were put away.")
    deleted_documents_approx: int = Field(description="Documents that these had.")
    deleted_memory_rows: int = Field(description="Memories that held in them.")
    deleted_extra_spaces: int = Field(description="Spaces beside `default` that were put away.")
    cleared_default_space_context: bool = Field(description="Whether the space `default` was put away.")
    cleared_brain_memory_registry: bool = Field(description="Always false: there is none.")
    settings_reset: bool = Field(description="Whether the settings were taken back.")
    deletion_ids: list[str] = Field(description="Each restores a space: `POST /v1/deletions/{deletion_id}/restore`.")


class SuggestedBucket(Bucket):
    """A bucket that memories would be in."""

    memories: int = Field(description="How many of the newest memories would be in it.")


class Suggestions(CamelAnswer):
    """Buckets that are not there yet, those with the most memories first."""

    buckets: list[SuggestedBucket]
