"""Files: the fields that come with one, as texts of a form."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from api.schemas.document_fields import DOCUMENT_TYPES, SharedFields
from api.schemas.scope import MOST_TAGS
from api.schemas.values import CustomId, Line, Tag
from memory.records import NewDocument, NewSource

LONGEST_MEDIA_TYPE = 255


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class UploadFile(SharedFields):
    """`POST /v3/documents/file`: what comes beside the file; objects and lists are JSON texts."""

    container_tags: Annotated[
        Annotated[list[Tag], Field(min_length=1, max_length=MOST_TAGS)] | None, BeforeValidator(_as_list)
    ] = Field(default=None, description="One name, or a JSON list of one name.")
    custom_id: CustomId | None = Field(
        default=None, description="An id of your own; the same again in the space is a new revision."
    )
    title: Line | None = Field(default=None, description="Shown in place of the file's name.")
    file_type: DOCUMENT_TYPES | None = Field(
        default=None, description="What the document is listed as; how the file is read follows from its content."
    )
    mime_type: str | None = Field(
        default=None, max_length=LONGEST_MEDIA_TYPE, description="The file's media type, where its part does not say."
    )
    use_advanced_processing: str | None = Field(default=None, max_length=10, description="Without effect.")
    wait: bool = Field(default=False, description="Wait up to 30 s for the end of the job.")

    def record(self, source: NewSource, listed_as: str) -> NewDocument:
        """Return the document as services take it.

        Args:
            source: the file.
            listed_as: its type where none is sent.
        """
        at, zone = self.document_date or (None, None)
        return NewDocument(
            content="", custom_id=self.custom_id, title=self.title or source.name, type=self.file_type or listed_as,
            filepath=self.filepath, metadata=self.metadata, document_date=at, document_zone=zone, source=source,
            task_type=self.task_type, entity_context=self.entity_context,
        )  # fmt: skip
