"""The types of single fields; what a value may be is decided in `memory/`, here it only gets its name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from api.schemas.fields import naming
from memory import filters, temporal, values
from memory.records import Micros
from memory.settings import Settings
from services import zones

# An id of somebody else's system; 255 is what file systems and most databases allow a name.
LABEL_CHARACTERS = 255
LINE_CHARACTERS = values.LONGEST_LINE
# A question is embedded whole; this is far beyond what the model reads of it.
QUESTION_CHARACTERS = 10_000


def _filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be empty")
    return text


def within(setting: str, *, blank: bool = False) -> AfterValidator:
    """Refuse text that is blank or has more characters than a setting says.

    Args:
        setting: the name of the setting; the settings are the context of the validation.
        blank: whether blank text is let through, because something else may stand for it.

    Returns:
        A validator.
    """

    def check(text: str, info: ValidationInfo) -> str:
        if blank and not text.strip():
            return text
        most: int = getattr(info.context or Settings(), setting)
        return naming(partial(values.text, limit=most))(text)

    return AfterValidator(check)


@dataclass(frozen=True, slots=True)
class unsupported:
    """Refuse a field of Supermemory's wire that would change the outcome and is not built: never ignore it quietly."""

    hint: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that refuses every value."""
        return core_schema.no_info_after_validator_function(self._refuse, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return what the document says: nothing but null."""
        return {"type": "null", "description": f"Not supported here. {self.hint}."}

    def _refuse(self, value: Any) -> Any:
        raise PydanticCustomError("unsupported", "is not supported here", {"hint": f"{self.hint}."})


def limited(setting: str) -> dict[str, Any]:
    """Return what a JSON schema says of a text that is as long as a setting lets it be, and not empty."""
    return {**NOT_EMPTY, "x-max-length": f"MEMLANE_{setting.upper()}"}


def _brief(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MOMENT_CHARACTERS:
        raise PydanticCustomError("moment", "is longer than a time is written")
    return value


# What a JSON schema can say of a value; what it means is decided by the check beside it.
NOT_EMPTY: dict[str, Any] = {"minLength": 1}
# A time with nanoseconds and an offset has 35.
MOMENT_CHARACTERS = 64
# No control characters, and no white space around it.
NAMES = r"^[^\x00-\x20\x7f-\xa0](?:[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0])?$"
# Each entry of a list is two quotes and a comma at least.
MOST_TEXTS = values.LARGEST_METADATA_BYTES // 3
TEXT = {"type": "string", "maxLength": values.LARGEST_METADATA_BYTES}
TEXTS = {"type": "array", "items": TEXT, "maxItems": MOST_TEXTS}
STORED = {"anyOf": [{**TEXT, "type": ["string", "number", "boolean", "null"]}, TEXTS]}
TIMES = [{"type": "string", "format": one, "maxLength": MOMENT_CHARACTERS} for one in ("date-time", "date")]
# In milliseconds, which reach further than seconds.
EPOCH = {"type": "number", "format": "epoch", "minimum": -62_135_596_800_000, "maximum": 253_402_300_799_999}
MOMENT = {"anyOf": [*TIMES, EPOCH], "examples": ["2026-05-04T09:30:00+02:00"]}
FILTER = {
    "type": ["object", "string"], "maxLength": filters.LONGEST_JSON, "maxProperties": filters.MOST_KEYS,
    "examples": [{"AND": [{"key": "team", "value": "infra"}]}],
}  # fmt: skip
ZONE = {"type": "string", "minLength": 1, "maxLength": zones.LONGEST}

Tag = Annotated[
    str,
    AfterValidator(naming(values.container_tag)),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": values.LONGEST_TAG, "pattern": NAMES}),
]
CustomId = Annotated[
    str,
    AfterValidator(naming(values.custom_id)),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": values.LONGEST_CUSTOM_ID, "pattern": NAMES}),
]
Label = Annotated[str, Field(max_length=LABEL_CHARACTERS, json_schema_extra=NOT_EMPTY), AfterValidator(_filled)]
Line = Annotated[str, Field(max_length=LINE_CHARACTERS, json_schema_extra=NOT_EMPTY), AfterValidator(_filled)]
CONTEXT_CHARACTERS = values.LONGEST_CONTEXT
Context = Annotated[str, Field(max_length=CONTEXT_CHARACTERS, json_schema_extra=NOT_EMPTY), AfterValidator(_filled)]
Question = Annotated[str, Field(max_length=QUESTION_CHARACTERS, json_schema_extra=NOT_EMPTY), AfterValidator(_filled)]
Prose = Annotated[str, within("max_document_chars"), Field(json_schema_extra=limited("max_document_chars"))]
# As long as a document, or blank where something else stands for it.
Words = Annotated[
    str,
    within("max_document_chars", blank=True),
    Field(json_schema_extra={"x-max-length": "MEMLANE_MAX_DOCUMENT_CHARS"}),
]
Compressible = Annotated[str, within("max_compress_chars"), Field(json_schema_extra=limited("max_compress_chars"))]
Fact = Annotated[str, within("max_memory_chars"), Field(json_schema_extra=limited("max_memory_chars"))]
Metadata = Annotated[
    dict[str, Any],
    AfterValidator(naming(values.metadata)),
    WithJsonSchema({"type": "object", "additionalProperties": STORED, "maxProperties": values.MOST_METADATA_KEYS}),
]
# Microseconds since the epoch, and the offset it was written with.
Moment = Annotated[
    tuple[Micros, str | None],
    BeforeValidator(naming(temporal.parse_instant)),
    BeforeValidator(_brief),
    WithJsonSchema(MOMENT),
]
Zone = Annotated[str, BeforeValidator(naming(zones.check_zone)), WithJsonSchema(ZONE)]
FilterValue = Annotated[Any, BeforeValidator(naming(filters.parse)), WithJsonSchema(FILTER)]
