"""The base of every schema: strict types, unknown names refused with a hint, null the same as absent.

A misspelt filter must not return everything, so a name nobody knows is a 400 and not ignored. `/v3` and `/v4` write
names in camelCase and `/v1` in snake_case; either spelling is read on both, the answer names the plane's own.
"""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, Protocol, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from memory.errors import InvalidInput

Kind = Literal["text", "whole", "switch", "list"]
Checked = TypeVar("Checked", covariant=True)

# Stands for a field's place until it is known; a character that is nobody's text.
PLACE = "\ue000"

# As far apart as a typing slip is; lower makes hints of unrelated names.
HINT_CUTOFF = 0.6
# A name is echoed in the answer; nobody misspells one longer than this.
SHOWN_CHARACTERS = 100
SNAKE = re.compile(r"(?<=[a-z0-9])([A-Z])")


class Fields(BaseModel):
    """Fields of a body or query string."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _names(cls, sent: Any) -> Any:
        """Bring every name to its canonical spelling, drop nulls, refuse unknown and doubled names."""
        if not isinstance(sent, Mapping):
            return sent
        read: dict[str, Any] = {}
        for name, value in sent.items():
            known = cls.canonical(name)
            if known is None:
                raise _unknown(name, cls.names())
            if known in read:
                raise PydanticCustomError("doubled", "was sent in two spellings", {"field": name})
            if value is not None:
                read[known] = value
        return read

    @classmethod
    @cache
    def names(cls) -> tuple[str, ...]:
        """Return every name of the schema as its plane writes it."""
        return tuple(info.alias or name for name, info in cls.model_fields.items())

    @classmethod
    def canonical(cls, name: str) -> str | None:
        """Return the schema's own spelling of a name; None when it is unknown."""
        return cls._spellings().get(name)

    @classmethod
    @cache
    def _spellings(cls) -> Mapping[str, str]:
        return {
            spelling: own for own in cls.names() for spelling in (own, to_camel(own), SNAKE.sub(r"_\1", own).lower())
        }

    @classmethod
    @cache
    def text_kinds(cls) -> Mapping[str, Kind]:
        """Return how the text of a query parameter is to be read, by name."""
        return {info.alias or name: _kind(info.annotation) for name, info in cls.model_fields.items()}


class CamelFields(Fields):
    """Fields of `/v3` and `/v4`."""

    model_config = ConfigDict(alias_generator=to_camel)


def _unknown(name: str, known: tuple[str, ...]) -> PydanticCustomError:
    name = name[:SHOWN_CHARACTERS]
    close = difflib.get_close_matches(name, known, n=1, cutoff=HINT_CUTOFF)
    others = f"Known here: {', '.join(known)}." if known else "It takes no fields."
    hint = f"Did you mean `{close[0]}`?" if close else others
    return PydanticCustomError("unknown", "is not a field of this request", {"field": name, "hint": hint})


def _kind(annotation: Any) -> Kind:
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return _kind(next(one for one in get_args(annotation) if one is not type(None)))
    if get_origin(annotation) is list:
        return "list"
    return {int: "whole", bool: "switch"}.get(annotation, "text")  # type: ignore[return-value]


class Check(Protocol[Checked]):
    """A check of `memory/`: returns the value to keep, raises InvalidInput naming the field."""

    def __call__(self, value: Any, *, field: str) -> Checked:
        """Check a value."""
        ...


def naming(check: Check[Checked]) -> Callable[[Any], Checked]:
    """Let a check of `memory/` run inside a schema, so that its refusal names the field where it stands.

    Args:
        check: is called with `PLACE` for the field; only the whole schema knows where that is.

    Returns:
        A validator for pydantic.
    """

    def run(value: Any) -> Checked:
        try:
            return check(value, field=PLACE)
        except InvalidInput as error:
            carried = {"message": error.message, "refused": type(error), "details": error.details}
            raise PydanticCustomError("refused", "{message}", carried) from error

    return run
