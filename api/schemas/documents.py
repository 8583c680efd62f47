"""Documents: added, listed, looked up, changed, deleted."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from api.schemas.document_fields import DOCUMENT_TYPES, TASK_TYPES, DocumentFields, SharedFields
from api.schemas.fields import naming
from api.schemas.pages import PageUrl, one_source, page_source
from api.schemas.paging import WirePaged, WireSorted
from api.schemas.scope import MOST_TAGS, CamelInScope
from api.schemas.values import Context, CustomId, FilterValue, Label, Line, Metadata, Moment, Prose, Tag
from memory import values
from memory.records import DocumentChange
from memory.settings import Settings

# As many as Supermemory takes at a time.
MOST_IDS = 100


class AddDocument(DocumentFields):
    """`POST /v3/documents`."""

    wait: bool = Field(default=False, description="Wait up to 30 s for the end of the job.")


class BatchDocument(DocumentFields):
    """One of a batch."""


def _as_document(value: Any) -> Any:
    return {"content": value} if isinstance(value, str) else value


def _not_too_many(documents: list[BatchDocument], info: ValidationInfo) -> list[BatchDocument]:
    most: int = (info.context or Settings()).max_batch_documents
    return naming(lambda value, field: values.few(value, field=field, limit=most))(documents)


class AddDocuments(SharedFields):
    """`POST /v3/documents/batch`: what is said beside `documents` holds for each that does not say otherwise."""

    documents: Annotated[
        list[Annotated[BatchDocument, BeforeValidator(_as_document, json_schema_input_type=BatchDocument | Prose)]],
        Field(
            min_length=1,
            description="Objects, or texts for documents of nothing but text.",
            json_schema_extra={"x-max-items": "MEMLANE_MAX_BATCH_DOCUMENTS"},
        ),
        AfterValidator(_not_too_many),
    ]
    content: None = Field(default=None, description="Absent or null: each document has its own.")

    def each(self) -> list[BatchDocument]:
        """Return every document with what it shares.

        Raises:
            InvalidInput: a document's metadata is over a limit together with the shared.
        """
        whole = [one.with_shared(self) for one in self.documents]
        for number, one in enumerate(whole):
            values.metadata(one.metadata, field=f"documents[{number}].metadata")
        return whole


# What a change may be about; a space and an owner only say where the document is.
_CHANGES = (
    "content", "url", "custom_id", "title", "type", "metadata", "document_date", "filepath", "filter_by_metadata",
    "task_type", "entity_context", "container_tag", "container_tags",
)  # fmt: skip


class ChangeDocument(CamelInScope):
    """`PATCH /v3/documents/{id}`: what is left out stays as it is."""

    content: Prose | None = Field(
        default=None,
        description="The new text; another than before is a new revision. A URL alone is a page, as in a POST.",
    )
    url: PageUrl | None = Field(default=None, description="A page whose text takes the place; fetched each time.")
    custom_id: CustomId | None = Field(default=None, description="The new id of your own; 409 when it is taken.")
    title: Line | None = None
    type: DOCUMENT_TYPES | None = None
    metadata: Metadata | None = Field(default=None, description="Takes the place of all metadata there was.")
    document_date: Moment | None = Field(
        default=None, description="When the text is from; another date than before reads the text again."
    )
    filepath: Line | None = None
    filter_by_metadata: Metadata | None = Field(
        default=None, description="Without effect: no memory is shown to what finds facts in a document."
    )
    task_type: TASK_TYPES | None = Field(
        default=None, description="`superrag` retires the facts that rest on it alone; `memory` looks for them again."
    )
    entity_context: Context | None = Field(
        default=None, description="What it is about; a language model is told it when the text is next read."
    )
    wait: bool = Field(default=False, description="Wait up to 30 s for the end of the job, where there is one.")

    @model_validator(mode="after")
    def _something(self) -> ChangeDocument:
        if all(getattr(self, name) is None for name in _CHANGES):
            hint = "Send at least one of content, customId, title, type, metadata, documentDate and filepath."
            raise PydanticCustomError("change", "says nothing that could be changed", {"hint": hint})
        return self

    @model_validator(mode="after")
    def _one_source(self, info: ValidationInfo) -> ChangeDocument:
        return one_source(self, info)

    def anywhere(self) -> CamelInScope:
        """Return whose the document is, without a space."""
        return CamelInScope.model_validate(
            {"userId": self.user_id, "agentId": self.agent_id, "sessionId": self.session_id}
        )

    def change(self) -> DocumentChange:
        """Return the change as services take it."""
        at, zone = self.document_date or (None, None)
        return DocumentChange(
            content=self.content, source=page_source(self.url), custom_id=self.custom_id, title=self.title,
            type=self.type or ("webpage" if self.url else None), filepath=self.filepath, metadata=self.metadata,
            document_date=at, document_zone=zone, task_type=self.task_type, entity_context=self.entity_context,
        )  # fmt: skip


class ListDocuments(CamelInScope, WireSorted):
    """`POST /v3/documents/list`, and `GET /v3/documents` as a query string."""

    filters: FilterValue | None = None
    include_content: bool = False
    filepath: Line | None = Field(default=None, description="This path, or everything below it when it ends in `/`.")

    def selection(self) -> dict[str, Any]:
        """Return the arguments of the listing."""
        return {
            **self.sorting(),
            "filters": self.filters,
            "filepath": self.filepath,
            "content": self.include_content,
        }


def _apart(names: Any) -> Any:
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        return names
    return [part.strip() for one in names for part in one.split(",")]


class ListProcessing(CamelInScope, WirePaged):
    """`GET /v3/documents/processing`."""

    container_tags: Annotated[
        Annotated[list[Tag], Field(min_length=1, max_length=MOST_TAGS)] | None, BeforeValidator(_apart)
    ] = Field(default=None, description="Several, parted by commas; one whose name has a comma goes in `containerTag`.")
    view: Literal["active", "pending", "all"] = Field(
        default="active",
        description="`active`: what is unfinished and was touched in the last 4 hours. `pending`: all that is "
        "unfinished. `all`: that, and what has failed.",
    )


class FindDocument(CamelInScope):
    """`GET /v3/documents/{id}` and its chunks."""


class DeleteDocument(CamelInScope):
    """`DELETE /v3/documents/{id}`."""

    reason: Line | None = Field(default=None, description="Kept with what is deleted; an erasure keeps no words.")
    erase: bool = False
    verify: bool = Field(default=False, description="With `erase`: the files are compared with the erased texts.")

    @model_validator(mode="after")
    def _of_one_kind(self) -> DeleteDocument:
        if self.verify and not self.erase:
            raise PydanticCustomError("alone", "is about an erasure; send `erase` with it", {"field": "verify"})
        if self.reason is not None and self.erase:
            raise PydanticCustomError("kept", "is not kept by an erasure; leave it out", {"field": "reason"})
        return self


class DeleteDocuments(CamelInScope):
    """`DELETE /v3/documents/bulk`: by ids, or all of some spaces, or what lies at a path of them."""

    ids: list[Label] | None = Field(
        default=None, min_length=1, max_length=MOST_IDS,
        description="Ids or customIds; with a space, only those in it.",
    )  # fmt: skip
    filepath: Line | None = Field(
        default=None,
        description="This path, or everything below it when it ends in `/`; without a space, in `default`.",
    )
    reason: Line | None = Field(default=None, description="Kept with what is deleted.")

    @model_validator(mode="after")
    def _one_way(self) -> DeleteDocuments:
        if self.ids is not None and self.filepath is not None:
            raise PydanticCustomError("doubled", "and `ids` exclude each other", {"field": "filepath"})
        if self.ids is None and self.filepath is None and not self.spaces():
            hint = "Send `ids`, `containerTags` or `filepath`."
            raise PydanticCustomError("missing_target", "is required", {"field": "ids", "hint": hint})
        return self
