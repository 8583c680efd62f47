"""What the doors accept: one check for each kind of value, shared by the API, the command line and the tools.

Every check returns the value to keep or raises `InvalidInput` naming the field.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping
from typing import Any, TypeVar

from memory.errors import InvalidInput, TooLarge

Row = TypeVar("Row")

LONGEST_TAG = 100
LONGEST_CUSTOM_ID = 255
# A title, path or reason: one line.
LONGEST_LINE = 1_000
# What a space is about, or what is wanted of it; part of every request for extraction. The limit is Supermemory's.
LONGEST_CONTEXT = 1_500
# A space keeps its memories a hundred years at most; whoever means for ever says null.
MOST_DAYS = 36_500
MOST_METADATA_KEYS = 100
LONGEST_METADATA_KEY = 128
LARGEST_METADATA_BYTES = 16_384
# The largest integer every JSON reader keeps exactly.
_LARGEST_INTEGER = 2**53 - 1


def container_tag(value: Any, *, field: str = "containerTag") -> str:
    """Check the name of a space.

    Args:
        value: 1 to 100 characters with a letter or digit of any script; no control or invisible direction characters,
            no outer white space.
        field: the request's field.

    Returns:
        The name in NFC, otherwise exactly as sent.

    Raises:
        InvalidInput: it is none.
    """
    hint = "Use 1 to 100 characters such as letters, digits, '-', '_' and ':'."
    return _name(value, field, LONGEST_TAG, hint)


def custom_id(value: Any, *, field: str = "customId") -> str:
    """Check an id chosen by the caller: 1 to 255 characters, by the rules of `container_tag`.

    Raises:
        InvalidInput: it is none.
    """
    return _name(value, field, LONGEST_CUSTOM_ID, "Use 1 to 255 characters with at least one letter or digit.")


def text(value: Any, *, field: str, limit: int) -> str:
    """Check a text that is to be kept.

    Args:
        value: the text.
        field: the request's field.
        limit: the most characters it may have.

    Returns:
        The text as sent.

    Raises:
        InvalidInput: it is no text, blank, or holds NUL or half a surrogate pair.
        TooLarge: it is over the limit.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be a text.", field=field)
    if len(value) > limit:
        raise TooLarge(f"{field} has {len(value):,} characters; {limit:,} are allowed.", field=field, limit=limit)
    if not value.strip():
        raise InvalidInput(f"{field} is empty.", field=field, hint="Send some text.")
    _refuse_unstorable(value, field)
    return value


def few(value: list[Row], *, field: str, limit: int) -> list[Row]:
    """Check that a list is not longer than a setting allows.

    Raises:
        TooLarge: it is.
    """
    if len(value) > limit:
        raise TooLarge(f"{field} has {len(value):,} entries; {limit:,} are allowed.", field=field, limit=limit)
    return value


def metadata(value: Any, *, field: str = "metadata") -> dict[str, Any]:
    """Check metadata.

    Args:
        value: an object of at most 100 keys of 1 to 128 characters, with texts, finite numbers, booleans or lists of
            texts, of at most 16 KB as JSON; None for none. A null value drops its key.
        field: the request's field.

    Returns:
        The metadata as a new dictionary.

    Raises:
        InvalidInput: it is not such an object.
        TooLarge: it is over a limit.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{field} must be an object.", field=field)
    if len(value) > MOST_METADATA_KEYS:
        raise TooLarge(f"{field} may have {MOST_METADATA_KEYS} keys.", field=field, limit=MOST_METADATA_KEYS)
    kept = {}
    for key, item in value.items():
        _check_key(key, field)
        if item is not None:
            kept[key] = _metadata_value(item, f"{field}.{key}")
    size = len(json.dumps(kept, ensure_ascii=False).encode())
    if size > LARGEST_METADATA_BYTES:
        message = f"{field} is {size:,} bytes as JSON; {LARGEST_METADATA_BYTES:,} are allowed."
        raise TooLarge(message, field=field, limit=LARGEST_METADATA_BYTES)
    return kept


def _name(value: Any, field: str, longest: int, hint: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{field} must be a text.", field=field, hint=hint)
    _refuse_unstorable(value, field)
    name = unicodedata.normalize("NFC", value)
    if not 1 <= len(name) <= longest:
        raise InvalidInput(f"{field} must have 1 to {longest} characters.", field=field, hint=hint)
    if name != name.strip() or any(_is_hidden(char) for char in name):
        message = f"{field} must not hold control characters or begin or end with white space."
        raise InvalidInput(message, field=field, hint=hint)
    if not any(char.isalnum() for char in name):
        raise InvalidInput(f"{field} needs a letter or digit.", field=field, hint=hint)
    return name


def _is_hidden(char: str) -> bool:
    """Return whether a character is a control, a line separator or changes the direction of writing."""
    if unicodedata.category(char) in {"Cc", "Cs", "Cn", "Zl", "Zp"}:
        return True
    return "\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069" or char in "\u200b\ufeff"


def _refuse_unstorable(value: str, field: str) -> None:
    if "\0" in value:
        raise InvalidInput(f"{field} holds a NUL character; is it a binary file?", field=field)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{field} holds half a surrogate pair and is not valid Unicode.", field=field) from error


def _check_key(key: Any, field: str) -> None:
    if not isinstance(key, str) or not 1 <= len(key) <= LONGEST_METADATA_KEY or not key.strip():
        raise InvalidInput(f"Keys of {field} must have 1 to {LONGEST_METADATA_KEY} characters.", field=field)
    _refuse_unstorable(key, field)


def _metadata_value(value: Any, field: str) -> Any:
    if isinstance(value, str):
        _refuse_unstorable(value, field)
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        for item in value:
            _refuse_unstorable(item, field)
        return list(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{field} must be a finite number.", field=field)
    elif isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        raise InvalidInput(f"{field} is too large for a number; send it as a text.", field=field)
    elif not isinstance(value, bool | int | float):
        raise InvalidInput(f"{field} must be a text, number, boolean or list of texts.", field=field)
    return value
