"""The base of every model of an answer, and what an answer is when it is not JSON.

A field that may be missing has the default None. What a name means in every answer stands once, in
`api/openapi/words.py`; `Field(description=...)` is for a name that means something of its own here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

# Text that a parser of ISO 8601 reads, with the offset it was written with.
Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
# What a caller has stored, given back unchanged.
AnyJson = dict[str, Any]


class Answer(BaseModel):
    """A JSON answer of `/v1`, in snake_case."""

    model_config = ConfigDict(frozen=True)


class CamelAnswer(Answer):
    """A JSON answer of `/v3` and `/v4`, in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


class Pending(Answer):
    """A change that is kept and will be carried out, though not in the time a request waits."""

    id: str | None = None
    status: Literal["pending"]
    warning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A body that is not JSON of ours."""

    # Such as `text/event-stream`; `*/*` when it is whatever was uploaded.
    type: str
    # What it holds, in one sentence.
    description: str
