"""The types of single fields; what a value may be is decided in `memory/`, here it only gets its name."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from api.schemas.fields import naming
from memory import filters, temporal, values
from memory.records import Micros
from memory.settings import Settings
from services import zones

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


def unsupported(hint: str) -> AfterValidator:
    """Refuse a field of Supermemory's wire that would change the outcome and is not built: never ignore it quietly."""

    def refuse(value: Any) -> Any:
        raise PydanticCustomError("unsupported", "is not supported here", {"hint": f"{hint}."})

    return AfterValidator(refuse)


Tag = Annotated[str, AfterValidator(naming(values.container_tag))]
CustomId = Annotated[str, AfterValidator(naming(values.custom_id))]
Label = Annotated[str, Field(max_length=LABEL_CHARACTERS), AfterValidator(_filled)]
Line = Annotated[str, Field(max_length=LINE_CHARACTERS), AfterValidator(_filled)]
Question = Annotated[str, Field(max_length=QUESTION_CHARACTERS), AfterValidator(_filled)]
Prose = Annotated[str, within("max_document_chars")]
Fact = Annotated[str, within("max_memory_chars")]
Metadata = Annotated[dict[str, Any], AfterValidator(naming(values.metadata))]
# Microseconds since the epoch, and the offset it was written with.
Moment = Annotated[tuple[Micros, str | None], BeforeValidator(naming(temporal.parse_instant))]
Zone = Annotated[str, BeforeValidator(naming(zones.check_zone))]
FilterValue = Annotated[Any, BeforeValidator(naming(filters.parse))]
