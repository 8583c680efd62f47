"""Turns what a schema refuses into one InvalidInput: the first bad field, with a sentence for a person.

The value itself is named only where it is a number: anything else may be what somebody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from api.schemas.fields import PLACE
from memory.errors import InvalidInput

Sentence = Callable[[ErrorDetails, Mapping[str, Any]], str]

JSON_NAMES: Mapping[type, str] = {
    str: "text", bool: "true or false", int: "a whole number", float: "a number with a fraction", list: "a list",
    dict: "an object",
}  # fmt: skip

# By pydantic's error type; what is missing here says what pydantic says.
SENTENCES: Mapping[str, Sentence] = {
    "missing": lambda error, context: "is required",
    "int_type": lambda error, context: f"must be a whole number, not {_kind(error)}",
    "int_from_float": lambda error, context: "must be a whole number, not a number with a fraction",
    "float_type": lambda error, context: f"must be a number, not {_kind(error)}",
    "finite_number": lambda error, context: "must be a finite number",
    "bool_type": lambda error, context: f"must be true or false, not {_kind(error)}",
    "string_type": lambda error, context: f"must be text, not {_kind(error)}",
    "list_type": lambda error, context: f"must be a list, not {_kind(error)}",
    "dict_type": lambda error, context: f"must be an object, not {_kind(error)}",
    "model_type": lambda error, context: f"must be an object, not {_kind(error)}",
    "model_attributes_type": lambda error, context: f"must be an object, not {_kind(error)}",
    "greater_than_equal": lambda error, context: f"must be at least {context['ge']}, not {error['input']}",
    "less_than_equal": lambda error, context: f"must be at most {context['le']}, not {error['input']}",
    "string_too_long": lambda error, context: f"is longer than {context['max_length']} characters",
    "string_too_short": lambda error, context: "must not be empty",
    "too_long": lambda error, context: f"has more than {context['max_length']} entries",
    "too_short": lambda error, context: "must not be empty",
    "literal_error": lambda error, context: f"must be one of {context['expected']}",
}


def refusal(error: ValidationError) -> InvalidInput:
    """Return the first thing a schema refused as an error of the tree.

    Args:
        error: what pydantic found.

    Returns:
        InvalidInput, or the class of it that a check of `memory/` raised, with `field` and, where there is one, `hint`.
    """
    first = error.errors(include_url=False)[0]
    context: Mapping[str, Any] = first.get("ctx", {})
    path = (*first["loc"], *((context["field"],) if "field" in context else ()))
    name = place(path) or "body"
    if first["type"] == "refused":
        return _from_check(name, context)
    return InvalidInput(f"`{name}` {_sentence(first, context)}.", field=name, hint=context.get("hint"))


def place(path: tuple[str | int, ...]) -> str:
    """Return a field's place as a caller writes it, e.g. `messages[3].content`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _from_check(name: str, context: Mapping[str, Any]) -> InvalidInput:
    """Put the field's place where the check had none; what it found deeper inside stays behind it."""
    details = dict(context["details"])
    details["field"] = str(details.get("field", PLACE)).replace(PLACE, name)
    kind: type[InvalidInput] = context["refused"]
    return kind(context["message"].replace(PLACE, name), **details)


def _sentence(error: ErrorDetails, context: Mapping[str, Any]) -> str:
    sentence = SENTENCES.get(error["type"])
    return sentence(error, context) if sentence else error["msg"]


def _kind(error: ErrorDetails) -> str:
    return JSON_NAMES.get(type(error["input"]), "that")
