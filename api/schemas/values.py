"""The types of single fields; what a value may be is decided in `memory/`, here it only gets its name."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from api.schemas.fields import naming, refused
from memory import filters, temporal, values
from memory.errors import InvalidInput, TooLarge
from memory.records import Micros
from memory.settings import Settings

# An id of somebody else's system; 255 is what file systems and most databases allow a name.
LABEL_CHARACTERS = 255
# A title, path or reason: one line.
LINE_CHARACTERS = 1_000
# A question is embedded whole; this is far beyond what the model reads of it.
QUESTION_CHARACTERS = 10_000


def _filled(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be empty")
    return text


def _filter(value: Any) -> filters.Filter:
    if isinstance(value, str):
        # A query string and some clients send the filter as JSON text.
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InvalidInput("`filters` is not valid JSON.", field="filters") from error
    return filters.parse(value)


def within(setting: str) -> AfterValidator:
    """Refuse text of more characters than a setting says; the settings are the context of the validation."""

    def check(text: str, info: ValidationInfo) -> str:
        most: int = getattr(info.context or Settings(), setting)
        if len(text) > most:
            raise refused(TooLarge(f"This text has {len(text)} characters; the limit is {most}."))
        return text

    return AfterValidator(check)


def unsupported(hint: str) -> AfterValidator:
    """Refuse a field of Supermemory's wire that would change the outcome and is not built: never ignore it quietly."""

    def refuse(value: Any) -> Any:
        raise PydanticCustomError("unsupported", "is not supported here", {"hint": f"{hint}."})

    return AfterValidator(refuse)


Tag = Annotated[str, AfterValidator(naming(values.space_name))]
Label = Annotated[str, Field(max_length=LABEL_CHARACTERS), AfterValidator(_filled)]
Line = Annotated[str, Field(max_length=LINE_CHARACTERS), AfterValidator(_filled)]
Question = Annotated[str, Field(max_length=QUESTION_CHARACTERS), AfterValidator(_filled)]
Prose = Annotated[str, AfterValidator(_filled), within("max_document_chars")]
Fact = Annotated[str, AfterValidator(_filled), within("max_memory_chars")]
Metadata = Annotated[dict[str, Any], AfterValidator(naming(values.metadata))]
# Microseconds since the epoch, and the offset it was written with.
Moment = Annotated[tuple[Micros, str | None], BeforeValidator(naming(temporal.parse_instant))]
FilterValue = Annotated[Any, BeforeValidator(naming(_filter))]
