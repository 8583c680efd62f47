"""The types of single fields; what a value may be is decided in `memory/`, here it only gets its name."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from api.schemas.fields import checked
from memory import filters, temporal, values
from memory.errors import InvalidInput
from memory.records import Micros

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


def _moment(text: str) -> tuple[Micros, str | None]:
    return temporal.parse_moment(text, field="time")


def unsupported(hint: str) -> AfterValidator:
    """Refuse a field of Supermemory's wire that would change the outcome and is not built: never ignore it quietly."""

    def refuse(value: Any) -> Any:
        raise PydanticCustomError("unsupported", "is not supported here", {"hint": f"{hint}."})

    return AfterValidator(refuse)


Tag = Annotated[str, checked(values.space_name)]
Label = Annotated[str, Field(max_length=LABEL_CHARACTERS), AfterValidator(_filled)]
Line = Annotated[str, Field(max_length=LINE_CHARACTERS), AfterValidator(_filled)]
Question = Annotated[str, Field(max_length=QUESTION_CHARACTERS), AfterValidator(_filled)]
Prose = Annotated[str, AfterValidator(_filled)]
Fact = Annotated[str, AfterValidator(_filled)]
Metadata = Annotated[dict[str, Any], checked(values.metadata)]
# Microseconds since the epoch, and the offset it was written with.
Moment = Annotated[Any, BeforeValidator(_text), checked(_moment)]
FilterValue = Annotated[Any, checked(_filter)]
