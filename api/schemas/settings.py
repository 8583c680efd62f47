"""The settings of a tenant."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from api.schemas.container_tags import Definitions
from api.schemas.fields import CamelFields
from api.schemas.scope import CamelInScope
from api.schemas.values import Context, Label, Line, unsupported
from memory.tenant_settings import LARGEST_CHUNK, MOST_ITEMS, SMALLEST_CHUNK
from services.bucketing import SHARED

_NONE = "There are no connections to other services here, so nothing would use it"


def _items(value: Any) -> Any:
    """Read one text as a list of one, and refuse what no rule could hold."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise PydanticCustomError("items", "must be a text or a list of texts")
    return value


Items = Annotated[list[Line], BeforeValidator(_items), Field(max_length=MOST_ITEMS)]
Unused = Annotated[Any, Field(description="Refused: there are no connections to other services."), unsupported(_NONE)]


class FindSettings(CamelFields):
    """`GET /v3/settings`."""


class UpdateSettings(CamelFields):
    """`PATCH /v3/settings`: null takes a setting away, absence leaves it."""

    should_llm_filter: bool | None = Field(
        default=None, alias="shouldLLMFilter",
        description="Whether a language model keeps only what `filterPrompt` asks for; refused where there is none.",
    )  # fmt: skip
    filter_prompt: Context | None = Field(default=None, description="Which facts the language model is to keep.")
    include_items: Items | None = Field(
        default=None, description="Phrases: only facts that have every word of one of them are kept."
    )
    exclude_items: Items | None = Field(
        default=None, description="Phrases: no fact that has every word of one of them is kept."
    )
    chunk_size: int | None = Field(
        default=None, ge=SMALLEST_CHUNK, le=LARGEST_CHUNK,
        description="Characters that a chunk aims at; it may be a quarter longer, and is no longer than a model reads.",
    )  # fmt: skip
    profile_buckets: Definitions | None = Field(default=None, description="Parts of the profile of every space.")
    github_client_id: Unused = None
    github_client_secret: Unused = None
    github_custom_key_enabled: Unused = None
    google_drive_client_id: Unused = None
    google_drive_client_secret: Unused = None
    google_drive_custom_key_enabled: Unused = None
    notion_client_id: Unused = None
    notion_client_secret: Unused = None
    notion_custom_key_enabled: Unused = None
    onedrive_client_id: Unused = None
    onedrive_client_secret: Unused = None
    onedrive_custom_key_enabled: Unused = None

    def values(self, nulled: frozenset[str]) -> dict[str, Any]:
        """Return what changes, by the names of the store.

        Args:
            nulled: fields that were sent as null.
        """
        names = ("should_llm_filter", "filter_prompt", "include_items", "exclude_items", "chunk_size")
        sent = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        if self.profile_buckets is not None:
            sent[SHARED] = dict(one.pair() for one in self.profile_buckets)
        return {**sent, **{name: None for name in nulled if name in (*names, SHARED)}}


class ResetSettings(CamelFields):
    """`POST /v3/settings/reset`."""

    confirmation: Label = Field(description="The name of the tenant, spelt out.")


class SuggestBuckets(CamelInScope):
    """`POST /v3/settings/suggest-buckets`; the body may be left out."""
