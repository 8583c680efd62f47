"""What may be said of a document that is handed in: of one, or of all of a batch together."""

from __future__ import annotations

from typing import Literal, Self, TypeVar

from pydantic import Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.pages import PageUrl, one_source, page_source
from api.schemas.scope import CamelInScope
from api.schemas.values import Context, CustomId, Line, Metadata, Moment, Prose
from memory.records import NewDocument

DOCUMENT_TYPES = Literal[
    "text", "pdf", "tweet", "google_doc", "google_slide", "google_sheet", "image", "video", "audio", "notion_doc",
    "webpage", "onedrive", "github_markdown", "granola",
]  # fmt: skip
TASK_TYPES = Literal["memory", "superrag"]

Described = TypeVar("Described", bound="SharedFields")


class SharedFields(CamelInScope):
    """What several documents may share."""

    metadata: Metadata | None = None
    document_date: Moment | None = Field(
        default=None, description="When the text is from: relative dates in it count from then."
    )
    filepath: Line | None = Field(default=None, description="A path of your own, to list, search and delete by.")
    dreaming: Literal["instant", "dynamic"] | None = Field(
        default=None, description="Without effect: every document is processed at once."
    )
    entity_context: Context | None = Field(
        default=None,
        description="What it is about, told to a language model that looks for facts; where there is none it has no "
        "effect. It counts before that of the space.",
    )
    filter_by_metadata: Metadata | None = Field(
        default=None, description="Without effect: no memory is shown to what finds facts in a document."
    )
    task_type: TASK_TYPES | None = Field(
        default=None, description="`superrag`: it is cut and searched, and no facts are looked for."
    )

    def with_shared(self: Described, shared: SharedFields) -> Described:
        """Return these fields with those of `shared` that are not said here.

        Metadata is joined key by key; a document that names its space is not asked about the shared one.
        """
        own = set(self.model_fields_set)
        if own & {"container_tag", "container_tags"}:
            own |= {"container_tag", "container_tags"}
        taken = {name: getattr(shared, name) for name in SharedFields.model_fields if name not in own}
        if self.metadata is not None and shared.metadata is not None:
            taken["metadata"] = {**shared.metadata, **self.metadata}
        return self.model_copy(update=taken)


class DocumentFields(SharedFields):
    """A document as it is handed in."""

    content: Prose | None = Field(
        default=None,
        description="The text, in Markdown or plain. When it is an http or https URL and nothing else, that page is "
        "fetched and read, unless `type` is `text`.",
    )
    url: PageUrl | None = Field(
        default=None, description="A page of the public web to fetch and read, in the place of `content`."
    )
    custom_id: CustomId | None = Field(
        default=None, description="An id of your own; the same again in the space is a new revision."
    )
    title: Line | None = None
    type: DOCUMENT_TYPES | None = None

    @model_validator(mode="after")
    def _one_source(self, info: ValidationInfo) -> Self:
        if self.content is None and self.url is None:
            raise PydanticCustomError("missing", "is required", {"field": "content"})
        return one_source(self, info)

    def record(self) -> NewDocument:
        """Return the document as services take it."""
        at, zone = self.document_date or (None, None)
        return NewDocument(
            content=self.content or "",
            source=page_source(self.url),
            custom_id=self.custom_id,
            title=self.title,
            type=self.type or ("webpage" if self.url else "text"),
            filepath=self.filepath,
            metadata=self.metadata,
            document_date=at,
            document_zone=zone,
            task_type=self.task_type,
            entity_context=self.entity_context,
        )
